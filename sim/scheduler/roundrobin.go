package scheduler

import "math/bits"

// Loose round robin: the next ready slot after the one that issued last. All warps advance alike.

func init() {
	Register("lrr", "loose round robin: the next ready warp after the one that issued last",
		func(s Spec) Policy { return &roundRobin{last: Slots - 1} })
}

type roundRobin struct{ last int }

func (r *roundRobin) Pick(ready uint64, _ *[Slots]uint64) int {
	if after := ready &^ (2<<r.last - 1); after != 0 {
		r.last = bits.TrailingZeros64(after)
	} else {
		r.last = bits.TrailingZeros64(ready)
	}
	return r.last
}
