package main

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/sim/scheduler"
)

// owl is the per-core half of OWL (Jog et al., ASPLOS 2013): two-level scheduling aware of blocks and of locality. The blocks of an SMX
// form groups, the oldest first. A group's warps take turns. The first group with a ready warp goes first, even if its data arrive while
// another group runs. So L1 serves few blocks at a time. The paper's other half is missing: cores that prefer different groups, and
// prefetching in DRAM.
//
// It is not OWF (owner warp first), which orders warps that share registers or shared memory: Kepler's warps do not.
type owl struct {
	scheduler.Spec
	last int
}

func init() {
	scheduler.Register("owl", "block-aware groups (Jog 2013): the oldest group of blocks goes first, its warps take turns",
		func(s scheduler.Spec) scheduler.Policy { return &owl{Spec: s, last: scheduler.Slots - 1} },
		scheduler.Parameter{Name: "group", Does: "blocks in a group", Default: 2, Min: 1, Max: 64})
}

// Pick implements scheduler.Policy.
func (o *owl) Pick(ready uint64, started *[scheduler.Slots]uint64) int {
	first := o.firstGroup(ready, started)
	if after := first &^ (2<<o.last - 1); after != 0 {
		first = after
	}
	o.last = bits.TrailingZeros64(first)
	return o.last
}

// firstGroup returns the ready slots of the first group with any.
func (o *owl) firstGroup(ready uint64, started *[scheduler.Slots]uint64) (slots uint64) {
	var blocks []uint64 // the SMX's blocks with warps here, by their starts
	for rest := o.Warps.Resident(); rest != 0; rest &= rest - 1 {
		blocks = append(blocks, started[bits.TrailingZeros64(rest)])
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)
	for group := range slices.Chunk(blocks, o.Int("group")) {
		for rest := ready; rest != 0; rest &= rest - 1 {
			if slot := bits.TrailingZeros64(rest); slices.Contains(group, started[slot]) {
				slots |= 1 << slot
			}
		}
		if slots != 0 {
			return slots
		}
	}
	return ready
}
