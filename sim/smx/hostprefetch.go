package smx

import (
	"math/bits"
	"unsafe"

	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/sim/engine"
)

// This file models nothing. The warps of a chip are larger than the host's caches, so the other SMXs evict this one's warps during an
// epoch. What a warp needs next is known before the SMX runs, so the host can prefetch it. Measured: on one thread of a quiet machine it
// gains nothing, on two threads 5 % (six workloads), beside another run 1.3 times (tiled sgemm, a transposition).

// prefetchedWarp and prefetchedScoreboard are how many bytes at the beginning of a warp and its scoreboard most issues touch.
const (
	prefetchedWarp       = 312
	prefetchedScoreboard = 256
)

// heldByHost is how many warps of each SMX stay in the host's caches while the other SMXs run.
const heldByHost = 4

// warmHost fetches into the host's caches what the warps need that may issue before until. It skips warps that wait for the load/store
// unit: few of them will issue.
func (s *issuer) warmHost(until engine.Cycle) {
	if s.residency.residentWarps <= heldByHost {
		return
	}
	s.lsu.loadStore.requests.warmHost()
	hostcache.Value(&s.units.times[0], 8*s.units.used)
	hostcache.Value(&s.units.rateFreeAt, int(unsafe.Sizeof(s.units.rateFreeAt)))
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		if sc.occupied == 0 {
			continue
		}
		sc.warmHost()
		hostcache.Value(&s.units.lanes[i], int(unsafe.Sizeof(s.units.lanes[i])))
	}
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		for m := sc.occupied &^ sc.refusedSlots(); m != 0; m &= m - 1 {
			if slot := bits.TrailingZeros64(m) & 63; sc.wakes[slot] < until {
				w := sc.warps[slot]
				hostcache.Value(w, prefetchedWarp)
				hostcache.Value(&w.scoreboard, prefetchedScoreboard)
			}
		}
	}
	if s.residency.start < until {
		s.warmFree()
	}
	for i := range s.schedulers { // the warps fetched above have arrived
		sc := &s.schedulers[i]
		for m := sc.occupied &^ sc.refusedSlots(); m != 0; m &= m - 1 {
			if slot := bits.TrailingZeros64(m) & 63; sc.wakes[slot] < until {
				sc.warps[slot].warmOperands()
			}
		}
	}
}

// warmHost fetches what a scheduler looks at. Slots fill from 0.
func (sc *warpScheduler) warmHost() {
	slots := 8 * bits.Len64(sc.occupied)
	hostcache.Value(sc, int(unsafe.Offsetof(sc.agenda)+unsafe.Offsetof(sc.classes)))
	for some := sc.occupiedPlaces; some != 0; some &= some - 1 {
		hostcache.Value(&sc.classes[bits.TrailingZeros64(some)&(classPlaces-1)], 1)
	}
	hostcache.Value(&sc.calendar, int(unsafe.Offsetof(sc.wakes)))
	hostcache.Value(&sc.wakes, slots)
	hostcache.Value(&sc.warps, slots)
	hostcache.Value(&sc.started, slots)
}

// warmFree fetches the warps that the next block will use.
func (s *issuer) warmFree() {
	each := (s.residency.offered.blocks[0].Grid.Warps() + len(s.schedulers) - 1) / len(s.schedulers)
	for i := range s.schedulers {
		sc, left := &s.schedulers[i], each
		for m := ^sc.occupied; m != 0 && left > 0; m &= m - 1 {
			left--
			w := sc.warps[bits.TrailingZeros64(m)&63]
			if w == nil {
				break
			}
			hostcache.Value(w, prefetchedWarp)
			hostcache.Value(&w.scoreboard, prefetchedScoreboard)
			hostcache.Value(&w.placed, 1)
		}
	}
}

// warmHost fetches into the host's caches what the completion of an access will touch.
func (a *access) warmHost() {
	w, op := a.warp, a.operation
	hostcache.Value(w, prefetchedWarp)
	if op.writeCount > 0 {
		hostcache.Value(&w.scoreboard, prefetchedScoreboard)
		hostcache.Value(&a.Data[0], len(a.Data[0])*4*int(op.writeCount))
	}
}

// warmOperands fetches the registers that a warp's next operation touches.
func (w *warp) warmOperands() {
	if op := w.op; op.rows > 0 {
		hostcache.Rows((*[32]uint32)(&w.Registers[w.Base]), op.checks[:op.rows])
	}
}

// refusedSlots returns the slots of warps whose accesses the last look refused.
func (a *agenda) refusedSlots() (slots uint64) {
	for some := a.occupiedPlaces & accessPlaces; some != 0; some &= some - 1 {
		if c := &a.classes[bits.TrailingZeros64(some)&(classPlaces-1)]; c.wait == waitsForMemory {
			slots |= c.slots
		}
	}
	return slots
}
