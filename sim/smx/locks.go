package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// sharedAtomic carries out an atomic on shared memory and returns when its result is ready. An atomic is a loop: load and lock, change,
// store and unlock. It repeats for lanes whose word another lane or warp has locked. One set of locks serves the shared memory of all
// blocks of the SMX, so words of two blocks may share a lock. Each round is two requests to the banks. The warp issues nothing else before
// the last round.
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

// takeLocks takes the locks of an access for all its lanes, from a cycle on. It returns how long the last lane waits for its lock. Lanes
// that want the same lock take it one after another, after earlier accesses. The argument free is when each lock is free, held how long a
// lane holds a lock, first the word at which the block's shared memory begins in the SMX's.
func takeLocks(free []engine.Cycle, held engine.Cycle, demand []memory.LockDemand, first uint32, from engine.Cycle) (wait engine.Cycle) {
	for _, d := range demand {
		at := &free[(d.Lock+first)&uint32(len(free)-1)]
		last := max(*at, from) + engine.Cycle(d.Lanes-1)*held
		*at = last + held
		wait = max(wait, last-from)
	}
	return wait
}
