package smx

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// access is a warp access in flight.
type access struct {
	// What each response touches lies side by side.
	remaining  int32
	coming     int32 // of these, those whose responses are known to come in the part that runs, and have not; see lookAhead
	tag        int32
	warp       *warp
	gridState  *GridState // of the warp, which may end before its stores are acknowledged
	generation uint64
	operation  *operation
	issued     engine.Cycle
	// cached: the responses come through one of the SMX's own caches.
	cached bool
	// taken are the lanes of a load through L1 that have been read, or will be by a request of the access's own.
	taken uint32
	// several: other accesses of the same operation may be in flight.
	several bool
	exec.Access
}

// lineOf is the access to one line, as a cache sees it.
func (a *access) lineOf(line uint64) cache.Access {
	return cache.Access{Line: line, PC: a.operation.index, Warp: int32(a.warp.WarpID)}
}

// replay books the issue slots that the further passes of an access take again.
func (sc *warpScheduler) replay(h *GridState, counter *uint64, now engine.Cycle, passes int) {
	if passes > 1 {
		*counter += uint64(passes - 1)
		sc.again(h, now, passes)
	}
}

// again books the issue slots of an operation that issues so many times, but for the first.
func (sc *warpScheduler) again(h *GridState, now engine.Cycle, issues int) {
	if issues > 1 {
		if sc.replays == 0 {
			sc.replaysFrom = now + 1
		}
		sc.replays += issues - 1
		sc.replayed = h
	}
}

// partArrived counts one part of an access whose response has arrived, and ends the access with the last.
func (s *lsu) partArrived(a *access) {
	a.remaining--
	if a.remaining > 0 {
		return
	}
	if w := a.warp; w.resident && w.generation == a.generation {
		s.complete(w, a)
	}
	s.loadStore.release(a)
}

// complete writes what an access brought and wakes its warp.
func (s *lsu) complete(w *warp, a *access) {
	op := a.operation
	if s.observer != nil {
		s.observeAnswer(w, op, a.issued, s.now)
	}
	if op.writeCount > 0 {
		count := &a.gridState.Operations[op.index].Memory
		count.Answered++
		count.Latency += uint64(s.now - a.issued)
	}
	if a.Kind != exec.AccessStore && a.Kind != exec.AccessReduction && a.Kind != exec.AccessPrefetch {
		// L2 has put the data of a load past the SMX's caches, or of an atomic, into the access. One through a cache reads now what it
		// has not read yet.
		if a.cached && (a.Space == isa.SpaceGlobal || a.Space == isa.SpaceTexture) {
			s.port.Load(&a.Access, a.Active&^a.taken)
		}
		if a.Space != isa.SpaceLocal {
			op.bound.Complete(&w.Warp, &a.Access, a.Active)
		}
		if !a.several || !s.loadStore.anotherInFlight(a) {
			reason := stats.StallMemoryDependency
			if a.Space == isa.SpaceTexture {
				reason = stats.StallTexture
			}
			w.wrote(op, s.now, reason)
		}
	}
	w.outstanding--
	if w.atExit {
		s.ledger.atEnd(w, op)
		if w.outstanding == 0 {
			s.residency.endWarp(w, s.now)
		}
		return
	}
	if w.atFence && w.outstanding == 0 {
		w.atFence = false
		w.paceUntil, w.paceReason = max(w.paceUntil, s.now), stats.StallFence
	}
	// A warp whose next issue has a known cycle is not waiting for this access: nothing that its next operation needs is awaited.
	if w.agenda.wakes[w.slot&lastSlot] == never && !w.atBarrier && !w.atFence && !w.atSystem {
		s.ledger.settle(w, s.now)
		s.frontEnd.plan(w)
	}
}
