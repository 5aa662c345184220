package main

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/scheduler"
)

// youngest issues from the youngest warp; of warps equally young, from the one that has waited less. It listens to stalls.
type youngest struct {
	waited [scheduler.Slots]uint64 // the cycles that each slot's warp has waited
}

func init() {
	scheduler.Register("youngest", "the warp that became resident last, of several the one that has waited least",
		func(scheduler.Spec) scheduler.Policy {
			return &youngest{}
		})
}

// Pick implements scheduler.Policy.
func (y *youngest) Pick(ready uint64, started *[scheduler.Slots]uint64) int {
	best := bits.TrailingZeros64(ready)
	for rest := ready & (ready - 1); rest != 0; rest &= rest - 1 {
		slot := bits.TrailingZeros64(rest)
		if started[slot] > started[best] || started[slot] == started[best] && y.waited[slot] < y.waited[best] {
			best = slot
		}
	}
	return best
}

// Issued implements scheduler.Listener.
func (y *youngest) Issued(scheduler.Issue) {}

// Stalled implements scheduler.Listener.
func (y *youngest) Stalled(s scheduler.Stall) { y.waited[s.Slot] += uint64(s.To - s.From) }
