package smx

import (
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// A block whose warps wait for grids that they launched leaves its place to these. Its registers and shared memory move to device memory,
// and back to the same SMX when the wait is over. So nested launches never deadlock for want of room.

// parking has the blocks that have left.
type parking struct {
	*common
	ledger    *ledger
	residency *residency
	returning []*block // parked blocks that may come back
	anyHeld   bool     // a resident block may have a held call
	wanted    bool     // one of returning found no room
}

// Hold makes the call's warp wait after the call has been carried out, until Resume.
func (c *SystemCall) Hold() { c.held = true }

// Resume lets the warp of a held call go on at a cycle, or later as soon as its block is resident again.
func (c *SystemCall) Resume(at engine.Cycle) {
	b := c.warp.block
	b.held--
	c.held, c.at = false, at
	if !b.parked {
		c.release(at)
		return
	}
	if len(b.resumed) == 0 {
		c.SMX.returning = append(c.SMX.returning, b)
	}
	b.resumed = append(b.resumed, c)
}

// Waiting reports that blocks wait to come back to the SMX. No other block may take their place.
func (s *parking) Waiting() bool { return s.wanted }

// empty reports that the SMX holds nothing and that nothing is to come, as in most SMXs while a grid has few blocks.
func (s *parking) empty() bool {
	r := s.residency
	return r.Idle() && len(r.leaving) == 0 && len(r.offered.blocks) == 0 && len(s.returning) == 0
}

// Parked returns the number of the SMX's parked blocks.
func (s *ledger) Parked() (n int) {
	for _, h := range s.gridStates {
		n += h.parked
	}
	return n
}

// Swap brings back blocks whose wait is over, if there is room, and parks blocks that only wait. Call it between epochs. bytesPerCycle is
// how fast a block's state moves to device memory and back, 0 for at once.
func (s *parking) Swap(now engine.Cycle, bytesPerCycle float64) {
	took := func(b *block) engine.Cycle {
		if bytesPerCycle == 0 {
			return 0
		}
		return engine.Cycle(float64(b.stateBytes()) / bytesPerCycle)
	}
	if bytesPerCycle == 0 {
		s.residency.clear(never)
	} else if len(s.returning) > 0 {
		s.residency.clear(now)
	}
	s.wanted = false
	s.returning = slices.DeleteFunc(s.returning, func(b *block) bool {
		if b.resumed[0].at > now && bytesPerCycle > 0 {
			return false
		}
		if s.residency.empty() && b.grid.CarveOut != (configs.CarveOut{}) && s.residency.carveOut != b.grid.CarveOut {
			s.now = now
			if err := s.residency.machine.renew(b.grid.CarveOut); err != nil {
				panic(err) // it was made so before
			}
		}
		if !s.residency.free.holds(b.grid) {
			s.wanted = true
			return false
		}
		s.bringBack(b, now, now+took(b))
		return true
	})
	if !s.anyHeld {
		return
	}
	s.anyHeld = false
	for i, b := range s.residency.blocks {
		if b.resident && b.held > 0 {
			if b.idle() {
				s.residency.blocks[i] = &block{}
				s.park(b, now, now+took(b))
			} else {
				s.anyHeld = true
			}
		}
	}
}

// stateBytes returns the size of a block's registers and shared memory.
func (b *block) stateBytes() int {
	return b.grid.Program.Machine.Registers*4*b.grid.Threads() + b.grid.Shared
}

// idle reports that every warp of the block waits for a held call or at a barrier.
func (b *block) idle() bool {
	for _, w := range b.warps {
		if w.resident && w.block == b && (w.outstanding > 0 || w.atExit || w.atFence || !w.atSystem && !w.atBarrier) {
			return false
		}
	}
	return true
}

// park takes a block off the SMX. Its place is free from a cycle on.
func (s *parking) park(b *block, now, free engine.Cycle) {
	for _, w := range b.warps {
		if !w.resident || w.block != b {
			continue
		}
		s.ledger.settle(w, now)
		sc := &s.schedulers[w.scheduler]
		sc.occupied &^= 1 << w.slot
		sc.wake(w.slot, never, s.now)
		sc.warps[w.slot] = nil
		s.residency.residentWarps--
		w.gridState.resident--
	}
	b.resident, b.parked = false, true
	if s.observer != nil {
		s.observer.Block(now, b.observed, observe.Parked)
	}
	b.gridState.blocks--
	b.gridState.parked++
	b.grid.Parked++
	at := len(s.residency.leaving)
	for at > 0 && s.residency.leaving[at-1].at > free {
		at--
	}
	s.residency.leaving = slices.Insert(s.residency.leaving, at, departure{b.grid, free})
}

// bringBack makes a block resident again. Its warps go on from a cycle on.
func (s *parking) bringBack(b *block, now, at engine.Cycle) {
	g := b.grid
	if i := slices.IndexFunc(s.residency.blocks, func(other *block) bool { return !other.resident }); i >= 0 {
		s.residency.blocks[i] = b
	} else {
		s.residency.blocks = append(s.residency.blocks, b)
	}
	b.sharedAt = s.residency.placeShared(g.Occupancy.AllocatedShared)
	b.resident, b.parked, s.residency.fresh = true, false, false
	s.residency.startCount++
	for _, w := range b.warps {
		if !w.resident || w.block != b {
			continue
		}
		w.scheduler, w.slot = s.residency.freeSlot()
		sc := &s.schedulers[w.scheduler]
		w.agenda, sc.warps[w.slot], sc.started[w.slot] = &sc.agenda, w, s.residency.startCount
		sc.wake(w.slot, never, now)
		w.WarpID = uint32(w.slot*len(s.schedulers) + w.scheduler)
		w.chargedUntil, w.fetched, w.constantLine = now, noIndex, 0
		s.residency.residentWarps++
		w.gridState.resident++
	}
	if s.observer != nil {
		s.observeReturn(b, now)
	}
	s.residency.free.Take(g, 1)
	b.gridState.blocks++
	b.gridState.parked--
	g.Parked--
	for _, c := range b.resumed {
		c.release(max(at, c.at))
	}
	b.resumed = b.resumed[:0]
	s.anyHeld = s.anyHeld || b.held > 0
}

// release lets a call's warp go on at a cycle.
func (c *SystemCall) release(at engine.Cycle) {
	s, w := c.SMX, c.warp
	w.atSystem = false
	if s.atOnce {
		return
	}
	s.loadStore.invalidateGlobal()
	s.settle(w, max(w.chargedUntil, min(at, s.now)))
	w.paceUntil, w.paceReason = max(w.paceUntil, at), stats.StallSystem
	w.wrote(c.op, w.paceUntil, w.paceReason)
	s.plan(w)
}
