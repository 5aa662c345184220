package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// lsu carries out accesses to memory. It has the load/store unit, the texture units and the SMX's caches.
type lsu struct {
	*common
	ledger    *ledger
	frontEnd  *frontEnd
	residency *residency
	effects   *effects
	loadStore loadStore
	locks     []engine.Cycle // when each lock of shared memory's atomics is free; nil before the first atomic
	responses
	outlet    sender     // where requests go: the port, or an observer before it
	listeners *listeners // that listen to the caches; nil for none
}

// reset empties the unit and the caches, and divides memory as carveOut says.
func (s *lsu) reset(carveOut configs.CarveOut) error {
	s.locks = nil
	return s.loadStore.build(s.config, carveOut)
}

// access carries out a warp's memory operation for the lanes whose guard holds. A generic access to several spaces is carried out space by
// space.
func (s *lsu) access(sc *warpScheduler, w *warp, op *operation, mask uint32) {
	ready, why := s.now+op.latency, stats.StallExecutionDependency
	several := false
	count, replays := &w.gridState.Operations[op.index].Memory, sc.replays
	for rest := mask; rest != 0; {
		a := &s.loadStore.brief
		if op.inFlight {
			a = s.loadStore.take()
			a.warp, a.gridState, a.generation, a.operation, a.issued = w, w.gridState, w.generation, op, s.now
		}
		left, fault := s.effects.prepare(w, op, rest, a)
		if fault != nil {
			s.accessFault(w, op, fault)
			return
		}
		rest = left
		if s.observer != nil {
			s.observeAccess(w, op, a)
		}
		if a.Active == 0 || a.Kind == exec.AccessQuery { // no access to memory
			op.bound.Complete(&w.Warp, &a.Access, a.Active)
			s.loadStore.release(a)
			continue
		}
		several = several || rest != 0
		a.several = several
		at, reason := s.bySpace(sc, w, op, a)
		if s.Fault != nil {
			return
		}
		if at != never && op.writeCount > 0 {
			count.Answered++
			count.Latency += uint64(at - s.now)
		}
		if s.observer != nil && at != never {
			s.observeAnswer(w, op, s.now, at)
		}
		if at >= ready {
			ready, why = at, reason
		}
	}
	count.Replays += uint64(sc.replays - replays)
	if s.observer != nil && sc.replays > replays {
		s.observeReplays(w, op, sc.replays-replays)
	}
	if op.writeCount > 0 || op.flagCount > 0 {
		w.wrote(op, ready, why)
	}
}

// bySpace carries out an access to one space. It returns when the result is ready, never if unknown, and the stall of a warp that needs it.
func (s *lsu) bySpace(sc *warpScheduler, w *warp, op *operation, a *access) (engine.Cycle, stats.Stall) {
	switch a.Space {
	case isa.SpaceShared:
		return s.shared(sc, w, op, a), stats.StallShared
	case isa.SpaceLocal:
		return s.local(sc, w, op, a), stats.StallMemoryDependency
	case isa.SpaceConst, isa.SpaceParam:
		return s.constantLoad(sc, w, op, a), stats.StallConstant
	case isa.SpaceTexture:
		return s.texture(sc, w, op, a), stats.StallTexture
	}
	reason := stats.StallMemoryDependency
	if op.class == isa.ClassReadOnly {
		reason = stats.StallTexture
	}
	return s.deviceAccess(sc, w, op, a), reason
}

// shared carries out an access to shared memory and returns when its result is ready.
func (s *lsu) shared(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	if a.Kind == exec.AccessAtomic || a.Kind == exec.AccessReduction {
		return s.sharedAtomic(sc, w, op, a)
	}
	requests, passes := memory.SharedPasses(&a.Access, w.block.grid.BankMode, &s.loadStore.banks)
	if s.config.Ideal.NoBankConflicts {
		passes = requests
	}
	needed := 1
	if passes > 1 {
		needed = min(passes, s.loadStore.banks.Needed(a.Bytes))
		if a.Bytes == 8 && w.block.grid.BankMode == 4 && s.config.SharedMemory.BankBytes >= 8 {
			if _, wide := memory.SharedPasses(&a.Access, 8, &s.loadStore.banks); wide == 1 {
				w.gridState.Counters.SharedNarrow++
			}
		}
	}
	w.gridState.Counters.SharedNeeded += uint64(needed)
	traffic := &w.gridState.Counters.SharedLoad
	if a.Kind == exec.AccessStore {
		traffic = &w.gridState.Counters.SharedStore
	}
	if fault := op.bound.ApplyFlat(&w.Warp, &a.Access, w.block.Shared); fault != nil {
		s.accessFault(w, op, fault)
		return 0
	}
	s.ledger.tally(w.gridState, traffic, op, &a.Access, passes, 0)
	sc.replay(w.gridState, &w.gridState.Counters.SharedReplays, s.now, passes)
	start := s.loadStore.serveShared(w.gridState, op, s.now, a.Bytes, requests, passes)
	s.loadStore.release(a)
	replays := engine.Cycle((passes - needed) * s.config.SharedMemory.ReplayCycles) // from this warp's first pass to its last
	if replays > 0 && s.config.SharedMemory.ReplaysHold {
		w.paceUntil, w.paceReason = max(w.paceUntil, s.now+replays+1), stats.StallShared
	}
	done := start + engine.Cycle(s.config.SharedMemory.Latency+needed-1) + replays
	if op.writeCount == 0 && s.config.SharedMemory.BarriersWait {
		w.block.stored = max(w.block.stored, done)
	}
	return done
}

// deviceAccess starts an access to global memory: through the read-only cache or L1 if the operation may use them, else to L2. It returns
// when the result is ready, never if unknown.
func (s *lsu) deviceAccess(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	if fault := s.effects.outside(a); fault != nil {
		s.accessFault(w, op, fault)
		return 0
	}
	c, l := &w.gridState.Counters, &s.loadStore
	kind, traffic, replays := memory.RequestLoad, &c.GlobalLoad, &c.GlobalReplays
	switch a.Kind {
	case exec.AccessStore:
		kind, traffic = memory.RequestStore, &c.GlobalStore
	case exec.AccessAtomic:
		kind, traffic, replays = memory.RequestAtomic, &c.Atomics, &c.AtomicReplays
	case exec.AccessReduction:
		kind, traffic, replays = memory.RequestReduction, &c.Reductions, &c.AtomicReplays
	case exec.AccessLoad:
		if s.loadStore.byTexture(op.class) {
			return s.readOnlyLoad(sc, w, op, a)
		}
		if cache := l.forLoad(op.class, a, w.block.grid.CacheGlobalLoads); cache != nil && !cache.bypasses(a) {
			return s.cachedLoad(sc, w, op, a, cache)
		}
	}
	from := &a.Access
	if a.Image != nil {
		from = l.inBlocks(from)
	}
	l.transactions = memory.Coalesce(from, s.config.L2.Line, &l.parts, l.transactions[:0])
	if s.config.Ideal.Coalescing && a.Image == nil && (a.Kind == exec.AccessLoad || a.Kind == exec.AccessStore) {
		l.transactions = memory.Pack(l.transactions, from, s.config.L2.Line)
	}
	sectors := 0
	for i := range l.transactions {
		sectors += bits.OnesCount8(l.transactions[i].Sectors)
	}
	s.ledger.tally(w.gridState, traffic, op, &a.Access, len(l.transactions), sectors)
	slots, line := len(l.transactions)+1, l.line // the operation itself takes a pass, and each line is a replay
	if a.Kind == exec.AccessStore || a.Kind == exec.AccessReduction {
		line = l.storeLine
	}
	if s.config.Ideal.LoadStore && (a.Kind == exec.AccessLoad || a.Kind == exec.AccessStore) {
		slots, line = 1, 0
	}
	sc.replay(w.gridState, replays, s.now, slots)
	start := l.book(w.gridState, op.class, s.now, op.classTicks+int64(len(l.transactions))*line)
	if l.globals && a.Image == nil && kind != memory.RequestLoad {
		s.overwrite(l.transactions, start+engine.Cycle(op.classTicks/ticks))
	}
	l.requestForAccess(a, kind, memory.SourceGlobal, l.transactions, start, op.classTicks, line)
	l.warmNext()
	w.outstanding++
	return never
}

// receiveRest takes the responses since the last event, at the end of a part.
func (s *lsu) receiveRest() {
	if s.next < s.now && s.Fault == nil {
		s.lastActive = max(s.lastActive, s.receive(s.now-1))
	}
}

// receive takes the responses that have arrived by a cycle and wakes the warps that waited for them. It returns when the last arrived.
func (s *lsu) receive(by engine.Cycle) (last engine.Cycle) {
	l := &s.loadStore
	blocked := l.blocked()
	arrived := s.take(by)
	for i := range arrived {
		r := &arrived[i]
		last = r.Ready
		l.pending--
		if late := s.now - r.Ready; late > 0 && s.residency.residentWarps > 0 {
			s.ledger.sums.outstanding -= uint64(late) // it was counted as in flight
		}
		if s.observer != nil {
			s.observeResponse(*r)
		}
		if r.Fills() {
			l.fills[r.Tag].gridState.responded(s.now)
			s.filled(r.Tag)
		} else {
			a := l.accesses[r.Tag]
			a.gridState.responded(r.Ready)
			a.coming--
			s.partArrived(a)
		}
	}
	again := s.dueLooks.found.of(foundHeld)
	if l.blocked() != blocked {
		again = s.schedulers.withAccesses()
	}
	s.dueLooks.makeDue(again, s.now)
	return last
}
