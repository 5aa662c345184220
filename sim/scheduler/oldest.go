package scheduler

import "math/bits"

// Oldest first: the ready warp that has been resident longest. The youngest warps starve while older ones are ready.

func init() {
	Register("oldest", "the warp that has been resident longest", func(s Spec) Policy { return oldest{} })
}

type oldest struct{}

func (oldest) Pick(ready uint64, started *[Slots]uint64) int { return oldestOf(ready, started) }

// oldestOf returns the ready slot whose warp started first.
func oldestOf(ready uint64, started *[Slots]uint64) int {
	best := bits.TrailingZeros64(ready)
	for rest := ready & (ready - 1); rest != 0; rest &= rest - 1 {
		if slot := bits.TrailingZeros64(rest); started[slot] < started[best] {
			best = slot
		}
	}
	return best
}
