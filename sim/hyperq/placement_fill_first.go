package hyperq

func init() {
	RegisterPlacement("fill-first", "as many blocks to an SMX as it has room for, then to the next", func() Placement {
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
