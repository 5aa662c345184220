package smx

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/stats"
)

// issuer is where schedulers pick warps and issue their operations to the units.
type issuer struct {
	*common
	ledger    *ledger
	frontEnd  *frontEnd
	residency *residency
	lsu       *lsu
	flow      *flow
	units     units
}

// reset makes all units free.
func (s *issuer) reset() {
	if s.units.used == 0 {
		s.units = newUnits(s.config)
	}
	s.units.reset()
}

// schedule lets one scheduler issue in this cycle, and returns how many of its warps could have.
func (s *issuer) schedule(sc *warpScheduler) (eligible int) {
	if sc.sleep <= s.now {
		sc.rouse(s.now)
	}
	if sc.replays > 0 {
		s.takeReplays(sc, s.now)
	}
	var found candidates
	looked := sc.fresh != 0 && sc.fresh == sc.awake && sc.fresh&(sc.fresh-1) == 0 && sc.replays == 0
	if looked {
		found, looked = s.lookAtOne(sc)
	}
	if !looked {
		if sc.fresh != 0 {
			s.joinClasses(sc)
		}
		found = s.look(sc)
	}
	if sc.awake != 0 || sc.replays > 0 {
		s.lastActive = s.now + 1
	}
	*sc.next = min(sc.sleep, found.next)
	switch {
	case sc.replays > 0:
		s.takeReplays(sc, max(s.now, sc.replaysFrom)+1)
		*sc.next = min(*sc.next, s.afterReplays(sc, found.ready))
	case found.ready != 0:
		eligible = bits.OnesCount64(found.ready)
		if s.ledger.mixed {
			s.ledger.countEligible(sc, found.ready)
		}
		slot := sc.choose(found.ready)
		rest := found.ready &^ bit(slot)
		if slot < 0 || rest == found.ready {
			s.hold(sc, slot, found.ready)
			return eligible
		}
		if rest != 0 {
			*sc.next = s.now + 1
		}
		w := sc.warps[slot&lastSlot]
		s.ledger.settle(w, s.now)
		sc.leave(w)
		s.issueFrom(sc, w)
		s.looks.again(s.found.of(foundIdle), s.now) // a unit may be taken now
	}
	return eligible
}

// hold is for a policy that lets none of the ready warps issue in this cycle. One that lookAtOne has found waits in the class of its
// operation from now on.
func (s *issuer) hold(sc *warpScheduler, slot int, ready uint64) {
	w := sc.warps[bits.TrailingZeros64(ready)&lastSlot]
	if w.class == nil && sc.calls&bit(w.slot) == 0 {
		s.join(sc, w)
		s.look(sc)
	}
	*sc.next = s.now + 1
	switch executed := w.gridState.Counters.InstExecuted; {
	case slot != scheduler.None:
		s.fault(w, w.op, &Fault{Kind: FaultPolicy, Detail: fmt.Sprintf("slot %d, whose warp is not ready", slot)})
	case executed != sc.heldAt:
		sc.heldAt, sc.heldFrom = executed, s.now
	case s.now-sc.heldFrom >= mostHeld:
		s.fault(w, w.op, &Fault{Kind: FaultPolicy, Detail: fmt.Sprintf("no warp in %d cycles in which some were ready", mostHeld)})
	}
}

// mostHeld is how many cycles a policy may hold all warps back, by our choice: longer than any response takes, and soon over.
const mostHeld = 1_000_000

// lookAtOne is look for a scheduler of which one warp alone is awake, which is fresh: if it may issue, it needs no class.
func (s *issuer) lookAtOne(sc *warpScheduler) (found candidates, looked bool) {
	one := sc.fresh
	w := sc.warps[bits.TrailingZeros64(one)&lastSlot]
	found.next = never
	sc.fresh = 0
	switch {
	case !s.frontEnd.settleOperation(sc, w):
	case s.granted(sc, w, false):
		found.ready = one
	default:
		s.join(sc, w)
		return found, false
	}
	return found, true
}

// joinClasses settles the fresh warps: those that stay awake wait in the classes of their next operations from now on.
func (s *issuer) joinClasses(sc *warpScheduler) {
	for fresh := sc.fresh; fresh != 0; fresh &= fresh - 1 {
		if w := sc.warps[bits.TrailingZeros64(fresh)&lastSlot]; s.frontEnd.settleOperation(sc, w) {
			s.join(sc, w)
		}
	}
	sc.fresh = 0
}

// join puts a fresh warp that stays awake into its class, charged for what it has waited for until now.
func (s *issuer) join(sc *warpScheduler, w *warp) {
	s.ledger.settle(w, s.now)
	sc.join(w, s.now)
}

// afterReplays is when a scheduler whose issue slots go to replays is to look at warps that may issue. It looks before if a unit is taken:
// then they stall for that.
func (s *issuer) afterReplays(sc *warpScheduler, ready uint64) engine.Cycle {
	switch {
	case s.config.Ideal.NoDivergence:
		return s.now + 1
	case ready == 0:
		return never
	case sc.replays == 0:
		return s.now + 1
	}
	s.looks.note(foundIdle, sc.index)
	return sc.replaysFrom + engine.Cycle(sc.replays)
}

// takeReplays lets the issue slots before cycle until go to replays that wait for them. A scheduler with nothing else to do is not asked in
// each of their cycles: they are counted when it is asked again, and at the end of an epoch.
func (s *issuer) takeReplays(sc *warpScheduler, until engine.Cycle) {
	taken := min(engine.Cycle(sc.replays), until-sc.replaysFrom)
	if taken <= 0 {
		return
	}
	sc.replays -= int(taken)
	sc.replaysFrom += taken
	s.lastActive = max(s.lastActive, min(sc.replaysFrom, s.now+1))
	c := &sc.replayed.Counters
	c.InstIssued += uint64(taken)
	c.IssuedSingle += uint64(taken)
	c.IssueSlots += uint64(taken)
}

// choose picks one of the warps that are ready: those whose stores the load/store unit has refused before all others, then by the policy.
func (sc *warpScheduler) choose(ready uint64) int {
	if ready&sc.refusedStores != 0 {
		return sc.firstRefused(ready)
	}
	return sc.policy.Pick(ready, &sc.started)
}

// firstRefused picks of the warps whose stores have been refused the one that came to the unit first.
func (sc *warpScheduler) firstRefused(ready uint64) int {
	refused := ready & sc.refusedStores
	first := bits.TrailingZeros64(refused) & lastSlot
	for m := refused & (refused - 1); m != 0; m &= m - 1 {
		if slot := bits.TrailingZeros64(m) & lastSlot; sc.warps[slot].refusedAt < sc.warps[first].refusedAt {
			first = slot
		}
	}
	sc.refusedStores &^= bit(first)
	return first
}

// granted reports whether a warp whose operation has been settled can issue it in this cycle, as the second of a pair or not: the
// load/store unit accepts its access, a call has no write outstanding that it must wait for, and a unit of its class is free.
func (s *issuer) granted(sc *warpScheduler, w *warp, second bool) bool {
	op := w.op
	switch {
	case op.memory && !s.lsu.accepts(sc, op.class), op.control >= isa.ControlCall && w.unsettled(op):
		return false
	}
	return s.units.available(op, sc.index, s.now, second)
}

// issueFrom issues a warp's next operation, and the one after it where the two pair.
func (s *issuer) issueFrom(sc *warpScheduler, w *warp) {
	w.reason, w.since = stats.StallOther, s.now+1
	first := w.op
	s.issue(sc, w, first, false)
	issued := 1
	if first.pair && w.resident && s.Fault == nil {
		second := w.current()
		w.op = second
		at, _ := w.dependencies(second)
		settled := at <= s.now && s.frontEnd.buffered(w, second) && s.frontEnd.settleOperation(sc, w)
		if settled && w.op == second && s.granted(sc, w, true) {
			s.issue(sc, w, second, true)
			issued = 2
		}
	}
	w.gridState.Counters.IssueSlots++
	if issued == 2 {
		w.gridState.Counters.IssuedDual++
	} else {
		w.gridState.Counters.IssuedSingle++
	}
	if w.resident && s.Fault == nil {
		s.frontEnd.plan(w)
	}
}

// issue executes one operation of a warp, the second of a pair or not, and moves the warp on.
func (s *issuer) issue(sc *warpScheduler, w *warp, op *operation, second bool) {
	top := w.stack.top()
	active, pc := top.mask, top.pc
	mask := active
	if op.guarded {
		mask = op.bound.GuardMask(&w.Warp, active)
	}
	if s.config.Ideal.NoDivergence {
		lanes := bits.OnesCount32(mask)
		s.units.takePart(op, sc.index, s.now, lanes)
		sc.idleLanes = min(sc.idleLanes+warpLanes-lanes, 2*warpLanes) // those that are not taken soon are lost
	} else {
		s.units.take(op, sc.index, s.now, op.collection)
	}
	w.Clock = uint64(s.now)
	if op.timer {
		s.frontEnd.setTimer(w)
	}
	w.next, w.pace = s.now+max(op.wait, engine.Cycle(s.config.Pipelines.ReissueCycles)), stats.StallOther
	if op.wait > 1 {
		w.pace = stats.StallExecutionDependency
	}

	w.gridState.countExecuted(op, active, mask)
	w.issued++
	if s.observer != nil {
		s.observeIssue(w, op, active, mask, second)
	}
	switch {
	case op.control != isa.ControlNone:
		s.flow.control(w, op, pc, mask)
		return
	case op.memory:
		w.scoreboard[scoreboardAccess] = readyAt(s.now+op.apart, stats.StallExecutionDependency)
		s.lsu.access(sc, w, op, mask)
		if !s.lsu.loadStore.accepts(isa.ClassGlobal, s.now) || s.lsu.loadStore.byTexture(op.class) {
			s.looks.again(s.found.of(foundOpen), s.now)
		}
	default:
		if op.data {
			op.bound.Run(&w.Warp, mask)
		}
		w.wrote(op, s.now+op.latency, stats.StallExecutionDependency)
	}
	w.stack.advance(pc + 1)
}
