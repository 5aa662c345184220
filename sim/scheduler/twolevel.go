package scheduler

import "math/bits"

// Two-level: a small active set issues in round robin. A warp that is not ready when its turn comes leaves the set, and the oldest ready
// warp outside takes its place.

func init() {
	Register("two-level", "a small active set in round robin; a warp that is not ready leaves it",
		func(s Spec) Policy { return &twoLevel{group: s.Int("group"), current: Slots - 1} },
		// 8 is our choice: half of a Kepler scheduler's 16 warps.
		Parameter{Name: "group", Does: "warps in the active set", Default: 8, Min: 1, Max: Slots})
}

type twoLevel struct {
	group   int
	active  uint64 // slots of the active set
	current int
}

func (t *twoLevel) Pick(ready uint64, started *[Slots]uint64) int {
	t.active &= ready
	for bits.OnesCount64(t.active) < t.group {
		outside := ready &^ t.active
		if outside == 0 {
			break
		}
		t.active |= 1 << oldestOf(outside, started)
	}
	if after := t.active &^ (2<<t.current - 1); after != 0 {
		t.current = bits.TrailingZeros64(after)
	} else {
		t.current = bits.TrailingZeros64(t.active)
	}
	return t.current
}
