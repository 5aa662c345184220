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
	// Each response touches these fields.
	remaining  int32
	coming     int32 // of these, responses known to come in this part, and not taken yet; see lookAhead
	tag        int32
	warp       *warp
	gridState  *GridState // the warp's; the warp may end before its stores are acknowledged
	generation uint64
	operation  *operation
	issued     engine.Cycle
	// cached: the responses come through one of the SMX's caches.
	cached bool
	// taken are the lanes of a load through L1 that have been read, or will be by a request to L2.
	taken uint32
	// several: other accesses of the same operation may be in flight.
	several bool
	exec.Access
}

// lineOf describes the access to one line to a cache.
func (a *access) lineOf(line uint64) cache.Access {
	return cache.Access{Line: line, PC: a.operation.index, Warp: int32(a.warp.WarpID)}
}

// replay books issue slots for the passes of an access behind its first.
func (sc *warpScheduler) replay(h *GridState, counter *uint64, now engine.Cycle, passes int) {
	if passes > 1 {
		*counter += uint64(passes - 1)
		if sc.replays == 0 {
			sc.replaysFrom = now + 1
		}
		sc.replays += passes - 1
		sc.replayed = h
	}
}

// partArrived counts the response to one part of an access, and completes the access with the last.
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

// complete writes the result of an access and wakes its warp.
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
		// For a load past the SMX's caches, or an atomic, L2 has put the data into the access. A load through a cache now reads the lanes
		// that it has not read yet.
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
	// A warp with a known wake-up time does not wait for this access: no entry that its next operation needs is awaited.
	if w.agenda.wakes[w.slot&lastSlot] == never && !w.atBarrier && !w.atFence && !w.atSystem {
		s.ledger.settle(w, s.now)
		s.frontEnd.plan(w)
	}
}
