package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// sharedAtomic carries out an atomic on shared memory and returns when its result is ready. It is a loop: load and lock,
// change, store and unlock, again for the lanes that found their word locked, by another lane or another warp. The SMX has one
// set of locks for the shared memory of all its blocks, so that words of two blocks may share one. Each round is two requests to the banks,
// and the warp does nothing else until the last.
func (s *lsu) sharedAtomic(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	atomics, l := &s.config.Atomics.Shared, &s.loadStore
	var passes int
	l.demand, passes = memory.SharedAtomic(&a.Access, &l.banks, atomics.Locks, l.demand[:0])
	if fault := op.bound.ApplyFlat(&w.Warp, &a.Access, w.block.Shared); fault != nil {
		s.accessFault(w, op, fault)
		return 0
	}
	rounds := 0
	for _, d := range l.demand {
		rounds = max(rounds, int(d.Lanes))
	}
	alike := s.config.Ideal.NoAtomicConflicts
	if alike {
		rounds, passes = 1, 1
	}
	s.ledger.tally(w.gridState, &w.gridState.Counters.SharedAtomics, op, &a.Access, rounds, 0)
	sc.replay(w.gridState, &w.gridState.Counters.SharedReplays, s.now, rounds)
	start := l.serve(w.gridState, op.class, s.now, 2*rounds, 2*passes)
	l.release(a)
	took := engine.Cycle(atomics.FirstPass + (rounds-1)*atomics.FurtherPass)
	if !alike {
		if s.locks == nil {
			s.locks = make([]engine.Cycle, atomics.Locks)
		}
		wait := takeLocks(s.locks, engine.Cycle(atomics.LockHeld), l.demand, uint32(w.block.sharedAt/4), start)
		took = max(took, wait+engine.Cycle(atomics.FirstPass))
	}
	w.paceUntil, w.paceReason = start+took, stats.StallShared
	return start + took
}

// takeLocks takes each lock of a demand for all its lanes, one after another, from a cycle on or from when those before have had it, and
// returns how long the last lane waits for its lock. free is when each lock is free, held how long a lane holds one. first is the word of
// the SMX's shared memory at which the block's begins.
func takeLocks(free []engine.Cycle, held engine.Cycle, demand []memory.LockDemand, first uint32, from engine.Cycle) (wait engine.Cycle) {
	for _, d := range demand {
		at := &free[(d.Lock+first)&uint32(len(free)-1)]
		last := max(*at, from) + engine.Cycle(d.Lanes-1)*held
		*at = last + held
		wait = max(wait, last-from)
	}
	return wait
}
