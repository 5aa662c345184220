package hyperq

func init() {
	RegisterPlacement("fill-first", "fills one SMX, then the next", func() Placement {
		return fillFirst{}
	})
}

type fillFirst struct{}

// Next returns the first SMX with room.
func (fillFirst) Next(free []int, _ int) int {
	for k := range free {
		if free[k] > 0 {
			return k
		}
	}
	return -1
}
