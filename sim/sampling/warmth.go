package sampling

import (
	"github.com/keplersim/keplersim/sim/stats"
)

// A launch after others without timing finds caches in another state, and takes longer or shorter than it would have. So launches are timed
// in a row until one of the same kernel has been timed, or L2 has been filled once. What comes then is a measurement.

// warmth tracks the state in which launches find the caches.
type warmth struct {
	gaps   uint64    // launches without timing
	moved  float64   // bytes through L2 since the last of them
	timing *launches // kernel for whose measurement launches are timed, nil for none
	left   int       // how many more at most
}

const (
	// mostTimed is the most launches timed for a measurement of one kernel.
	mostTimed = 16
	// fillsOften: a launch that moves this many times the size of L2 does not depend on what it found there.
	fillsOften = 8
	// coldApart is the possible relative error of a launch that found the caches in another state.
	coldApart = 0.1
)

// timed records a timed launch. It reports whether the launch found the caches about as it would have.
func (w *warmth) timed(kernel *launches, memory *stats.Memory, l2 float64) (warm bool) {
	moves := float64(memory.L2ReadSectors+memory.L2WriteSectors) * stats.SectorBytes
	warm = w.gaps == 0 || kernel.gaps == w.gaps || w.moved >= l2 || moves >= fillsOften*l2
	w.moved += moves
	kernel.gaps = w.gaps
	switch {
	case warm && w.timing == kernel:
		w.timing = nil
	case !warm && w.timing == nil:
		w.timing, w.left = kernel, mostTimed
	case w.timing != nil:
		if w.left--; w.left == 0 {
			w.timing = nil
		}
	}
	return warm
}

// untimed records a launch without timing.
func (w *warmth) untimed() {
	w.gaps++
	w.moved = 0
}
