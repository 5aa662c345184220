package scheduler

import "math/bits"

// Loose round robin: the next ready slot after the one that issued last. All warps advance alike.

func init() {
	Register("lrr", "loose round robin: the next ready warp after the one that issued last",
		func(s Spec) Policy { return &roundRobin{last: Slots - 1} })
}

type roundRobin struct{ last int }

func (r *roundRobin) Pick(ready uint64, _ *[Slots]uint64) int {
	r.last = nextOf(ready, r.last)
	return r.last
}

// nextOf returns the next ready slot after last; behind the highest comes the lowest.
func nextOf(ready uint64, last int) int {
	if after := ready &^ (2<<last - 1); after != 0 {
		return bits.TrailingZeros64(after)
	}
	return bits.TrailingZeros64(ready)
}
