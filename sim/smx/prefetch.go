package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/sim/engine"
)

// The warps of a chip are larger than the host's caches: while the other SMXs have their turn in an epoch, what this one had there goes.
// What a warp needs next is known before its turn, so that the host is told in time.

// prefetchedWarp and prefetchedScoreboard are how many bytes from the beginning of a warp and its scoreboard most issues touch.
const (
	prefetchedWarp       = 320
	prefetchedScoreboard = 256
)

// prefetch has the host bring near what the warps that may issue before until need for it.
func (s *SMX) prefetch(until engine.Cycle) {
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		for m := sc.occupied; m != 0; m &= m - 1 {
			if slot := bits.TrailingZeros64(m) & 63; sc.wakes[slot] < until {
				w := sc.warps[slot]
				hostcache.Value(w, prefetchedWarp)
				hostcache.Value(&w.scoreboard, prefetchedScoreboard)
			}
		}
	}
	for i := range s.schedulers { // now that the first of them are there
		sc := &s.schedulers[i]
		for m := sc.occupied; m != 0; m &= m - 1 {
			if slot := bits.TrailingZeros64(m) & 63; sc.wakes[slot] < until {
				sc.warps[slot].prefetchOperands()
			}
		}
	}
}

// prefetchOperands has the host bring near the registers that a warp's next operation touches.
func (w *warp) prefetchOperands() {
	if op := w.op; op.rows > 0 {
		hostcache.Rows((*[32]uint32)(&w.Registers[w.Base]), op.checks[:op.rows])
	}
}
