package sampling

import (
	"github.com/keplersim/keplersim/sim/stats"
)

// A launch behind others that ran without timing finds the caches as these found them: it takes longer, or shorter, than it would. So
// launches are timed in turn until one of the same kernel has been, or as much has gone through L2 as it holds, and what comes then is a
// measurement.

// warmth follows what launches find in the caches.
type warmth struct {
	gaps   uint64    // launches that ran without timing
	moved  float64   // bytes through L2 since the last of them
	timing *launches // of the kernel for a measurement of which launches are timed, nil for none
	left   int       // how many of them at most
}

const (
	// mostTimed is how many launches are timed at most for a measurement of one kernel.
	mostTimed = 16
	// fillsOften is how many times what L2 holds a launch moves to whose time it does not matter what it found there.
	fillsOften = 8
	// coldApart is how far off, as a share, a launch may be that has not found the caches as it would.
	coldApart = 0.1
)

// timed follows a launch that was timed. It reports whether it found the caches about as it would have.
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

// untimed follows a launch that was not.
func (w *warmth) untimed() {
	w.gaps++
	w.moved = 0
}
