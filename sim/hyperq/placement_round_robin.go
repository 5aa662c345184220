package hyperq

func init() {
	RegisterPlacement("round-robin", "one block to each SMX in turn", func() Placement { return roundRobin{} })
}

type roundRobin struct{}

// Next returns the next SMX with room after the last.
func (roundRobin) Next(free []int, last int) int {
	for k := last + 1; ; k++ {
		if k == len(free) {
			k = 0
		}
		if free[k] > 0 {
			return k
		}
	}
}
