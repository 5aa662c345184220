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
	best := ^uint64(0)
	for rest := ready; rest != 0; rest &= rest - 1 {
		slot := bits.TrailingZeros64(rest) & (Slots - 1)
		best = min(best, started[slot]*Slots|uint64(slot)) // without a branch, which the host could not predict
	}
	return int(best % Slots)
}
