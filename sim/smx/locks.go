package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// sharedAtomic carries out an atomic on shared memory and returns when its result is ready. It is a loop: load and lock,
// change, store and unlock, again for the lanes that found their word locked, by another lane or another warp of the block.
// Each turn is two requests to the banks, and the warp does nothing else until the last.
func (s *SMX) sharedAtomic(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	atomics, l := &s.config.Atomics.Shared, &s.loadStore
	var passes int
	l.demand, passes = memory.SharedAtomic(&a.Access, atomics.Locks, l.demand[:0])
	if fault := a.ApplyFlat(w.block.Shared); fault != nil {
		s.accessFault(w, op, fault)
		return 0
	}
	op.bound.Complete(&w.Warp, &a.Access, a.Active)
	turns := 0
	for _, d := range l.demand {
		turns = max(turns, int(d.Lanes))
	}
	s.tally(&s.Counters.SharedAtomics, op, &a.Access, turns, 0)
	s.replay(sc, &s.Counters.SharedReplays, turns)
	start := l.serve(s, op, 2*turns, 2*passes)
	l.release(a)
	took := engine.Cycle(atomics.FirstPass + (turns-1)*atomics.FurtherPass)
	took = max(took, w.block.lock(l.demand, start, atomics.Locks, engine.Cycle(atomics.LockHeld))+engine.Cycle(atomics.FirstPass))
	w.next, w.pace = start+took, stats.StallShared
	return start + took
}

// lock takes each lock of a demand for all its lanes, one after another, from a cycle on or from when those before have had it,
// and returns how long the last lane waits for its lock.
func (b *block) lock(demand []memory.LockDemand, from engine.Cycle, locks int, held engine.Cycle) (wait engine.Cycle) {
	if b.locks == nil {
		b.locks = make([]engine.Cycle, locks)
	}
	for _, d := range demand {
		free := &b.locks[d.Lock]
		last := max(*free, from) + engine.Cycle(d.Lanes-1)*held
		*free = last + held
		wait = max(wait, last-from)
	}
	return wait
}
