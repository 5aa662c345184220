package smx

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/stats"
)

// issuer lets schedulers pick warps and issues their operations to the units.
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

// schedule lets one scheduler issue in this cycle, and returns how many of its warps could have issued.
func (s *issuer) schedule(sc *warpScheduler) (eligible int) {
	if sc.sleep <= s.now {
		sc.rouse(s.now)
	}
	if sc.replays > 0 {
		s.takeReplays(sc, s.now)
	}
	var can candidates
	looked := sc.fresh != 0 && sc.fresh == sc.awake && sc.fresh&(sc.fresh-1) == 0 && sc.replays == 0
	if looked {
		can, looked = s.lookAtOne(sc)
	}
	if !looked {
		if sc.fresh != 0 {
			s.joinClasses(sc)
		}
		can = s.look(sc)
	}
	if sc.awake != 0 || sc.replays > 0 {
		s.lastActive = s.now + 1
	}
	*sc.next = min(sc.sleep, can.next)
	switch {
	case sc.replays > 0:
		s.takeReplays(sc, max(s.now, sc.replaysFrom)+1)
		*sc.next = min(*sc.next, s.afterReplays(sc, can.ready))
	case can.ready != 0:
		eligible = bits.OnesCount64(can.ready)
		if s.ledger.mixed {
			s.ledger.countEligible(sc, can.ready)
		}
		slot := sc.choose(can.ready)
		rest := can.ready &^ bit(slot)
		if slot < 0 || rest == can.ready {
			s.hold(sc, slot, can.ready)
			return eligible
		}
		if rest != 0 {
			*sc.next = s.now + 1
		}
		w := sc.warps[slot&lastSlot]
		s.ledger.settle(w, s.now)
		sc.leave(w)
		first := w.op
		s.issueFrom(sc, w)
		if idle := s.dueLooks.found.of(foundIdle); idle != 0 {
			s.lookAgain(idle, first)
		}
	}
	return eligible
}

// lookAgain makes a look due now at the schedulers in idle (foundIdle) whose warps may want a unit that first, or the second of its pair,
// has just taken.
func (s *issuer) lookAgain(idle uint, first *operation) {
	mayBlock := s.units.mayBlock[first.class%classPlaces]
	for ; idle != 0; idle &= idle - 1 {
		other := &s.schedulers[bits.TrailingZeros(idle)]
		if first.pair || other.occupiedPlaces&mayBlock != 0 || other.calls != 0 {
			*other.next = min(*other.next, s.now)
		}
	}
}

// hold handles a policy that picked none of the ready warps, or one that is not ready. A warp that lookAtOne found has no class yet: it
// joins that of its operation.
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

// mostHeld is the most cycles in a row in which a policy may pick none of the ready warps. Our choice: longer than any memory response.
const mostHeld = 1_000_000

// lookAtOne is look for a scheduler whose only awake warp is fresh. If that warp may issue, it need not join a class.
func (s *issuer) lookAtOne(sc *warpScheduler) (can candidates, looked bool) {
	one := sc.fresh
	w := sc.warps[bits.TrailingZeros64(one)&lastSlot]
	can.next = never
	sc.fresh = 0
	switch {
	case !s.frontEnd.resolveOperation(sc, w):
	case s.hazardOf(sc, w, false) == waitsForScheduler:
		can.ready = one
	default:
		s.join(sc, w)
		return can, false
	}
	return can, true
}

// joinClasses resolves the operations of fresh warps. Each that stays awake joins the class of its next operation.
func (s *issuer) joinClasses(sc *warpScheduler) {
	for fresh := sc.fresh; fresh != 0; fresh &= fresh - 1 {
		if w := sc.warps[bits.TrailingZeros64(fresh)&lastSlot]; s.frontEnd.resolveOperation(sc, w) {
			s.join(sc, w)
		}
	}
	sc.fresh = 0
}

// join settles a fresh warp's stall and puts the warp into its class.
func (s *issuer) join(sc *warpScheduler, w *warp) {
	s.ledger.settle(w, s.now)
	sc.join(w, s.now)
}

// candidates are the result of a look.
type candidates struct {
	ready uint64       // slots that may issue in this cycle
	next  engine.Cycle // the earliest cycle in which another may, as far as is known
}

// look finds which of a scheduler's awake warps may issue in this cycle, and what the others wait for. It checks all warps of a class at
// once.
func (s *issuer) look(sc *warpScheduler) (can candidates) {
	can.next = never
	s.dueLooks.forget(sc.index)
	refused, accesses := uint64(0), sc.occupiedPlaces&accessPlaces
	if accesses != 0 {
		l := &s.lsu.loadStore
		if refused = accesses & l.refuses(s.now); refused != 0 || accesses&l.textured != 0 {
			refused, can.next = s.refuse(sc, refused)
		}
		if accesses&^refused != 0 {
			s.dueLooks.note(foundOpen, sc.index)
		}
	}
	for rest := sc.occupiedPlaces; rest != 0; rest &= rest - 1 {
		place := bits.TrailingZeros64(rest) & (classPlaces - 1)
		c := &sc.classes[place]
		waitsFor, until := s.hazard(refused>>place&1 != 0, s.units.takenUntil(c.of, sc.index, false))
		if waitsFor == waitsForScheduler {
			can.ready |= c.slots
		} else {
			can.next = min(can.next, until)
		}
		if c.wait != waitsFor {
			s.ledger.wait(sc, c, waitsFor)
		}
	}
	if sc.calls != 0 {
		can.next = s.now + 1
		can.ready |= s.lookAtCalls(sc)
	}
	return can
}

// hazard returns the structural hazard that keeps operations of a class from issuing in this cycle, waitsForScheduler for none, and the
// cycle in which it ends, never if unknown. The access is refused, or the path to the register file or every unit is taken.
func (s *issuer) hazard(refused bool, taken int64) (of wait, until engine.Cycle) {
	switch {
	case refused:
		return waitsForMemory, never
	case taken >= (int64(s.now)+1)*ticks:
		return waitsForUnit, engine.Cycle(uint64(taken) / ticks)
	}
	return waitsForScheduler, s.now
}

// hazardOf is hazard for one warp whose operation has been resolved. A call also waits for the warp's accesses in flight.
func (s *issuer) hazardOf(sc *warpScheduler, w *warp, second bool) wait {
	op := w.op
	if op.drains && w.mustDrain(op) {
		return waitsForAccesses
	}
	of, _ := s.hazard(op.memory && !s.lsu.accepts(sc, op.class), s.units.takenUntil(op.class, sc.index, second))
	return of
}

// refuse returns the places of classes whose accesses are refused in this cycle, by the load/store unit or a texture unit, and when a
// texture unit may accept one. It notes the reason, and which stores wait: the load/store unit takes these first and in turn.
func (s *issuer) refuse(sc *warpScheduler, byUnit uint64) (places uint64, next engine.Cycle) {
	l := &s.lsu.loadStore
	if byUnit != 0 && l.full(s.now) {
		s.dueLooks.note(foundFull, sc.index)
	}
	if stores := sc.stores &^ sc.refusedStores; stores != 0 && byUnit != 0 && l.storesInOrder {
		s.refuseStores(sc, byUnit, stores)
	}
	places, next = byUnit, never
	if textured := sc.occupiedPlaces & l.textured; textured != 0 {
		if at := s.lsu.textureAccepts(sc); at > s.now {
			places, next = places|textured, at
			s.dueLooks.note(foundHeld, sc.index)
		}
	}
	return places, next
}

// refuseStores notes that stores of the classes wait for the load/store unit from this cycle on.
func (s *issuer) refuseStores(sc *warpScheduler, places, stores uint64) {
	for rest := places; rest != 0; rest &= rest - 1 {
		for slot := range slotsOf(sc.classes[bits.TrailingZeros64(rest)&(classPlaces-1)].slots & stores) {
			sc.warps[slot].refusedAt = s.now
			sc.refusedStores |= bit(slot)
		}
	}
}

// lookAtCalls is look for operations that are checked one by one. It returns the slots that may issue.
func (s *issuer) lookAtCalls(sc *warpScheduler) (ready uint64) {
	for slot := range slotsOf(sc.calls) {
		w := sc.warps[slot]
		waitsFor := s.hazardOf(sc, w, false)
		if waitsFor == waitsForScheduler {
			ready |= bit(slot)
		}
		if why := waitReasons[waitsFor%waitCount]; w.reason != why {
			s.ledger.stall(w, why, s.now)
		}
	}
	return ready
}

// afterReplays returns when a scheduler looks again while replays take its issue slots. Its ready warps wait until the replays end. They
// need a look before that if another scheduler takes their unit, because they then stall for the unit.
func (s *issuer) afterReplays(sc *warpScheduler, ready uint64) engine.Cycle {
	switch {
	case s.config.Ideal.NoDivergence:
		return s.now + 1
	case ready == 0:
		return never
	case sc.replays == 0:
		return s.now + 1
	}
	s.dueLooks.note(foundIdle, sc.index)
	return sc.replaysFrom + engine.Cycle(sc.replays)
}

// takeReplays counts the replays that take issue slots before cycle until. An otherwise idle scheduler does not look in each of those
// cycles: it counts them at its next look, or at the end of an epoch.
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

// choose picks a ready warp: first one whose store the load/store unit has refused, else the policy's choice.
func (sc *warpScheduler) choose(ready uint64) int {
	if ready&sc.refusedStores != 0 {
		return sc.firstRefused(ready)
	}
	return sc.policy.Pick(ready, &sc.started)
}

// firstRefused picks the ready warp whose store was refused first.
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

// issueFrom issues a warp's next operation, and the following one if the two pair.
func (s *issuer) issueFrom(sc *warpScheduler, w *warp) {
	w.reason, w.chargedUntil = stats.StallOther, s.now+1
	first := w.op
	s.issue(sc, w, first, false)
	issued := 1
	if first.pair && w.resident && s.Fault == nil {
		second := w.current()
		w.op = second
		at, _ := w.dependencies(second)
		resolved := at <= s.now && s.frontEnd.buffered(w, second) && s.frontEnd.resolveOperation(sc, w)
		if resolved && w.op == second && s.hazardOf(sc, w, true) == waitsForScheduler {
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

// issue executes one operation of a warp and advances the warp. second marks the second operation of a pair.
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
		sc.idleLanes = min(sc.idleLanes+warpLanes-lanes, 2*warpLanes) // unused lanes expire
	} else {
		s.units.take(op, sc.index, s.now, op.collection)
	}
	w.Clock = uint64(s.now)
	if op.timer {
		s.frontEnd.setTimer(w)
	}
	w.paceUntil, w.paceReason = s.now+max(op.wait, engine.Cycle(s.config.Pipelines.ReissueCycles)), stats.StallOther
	if op.wait > 1 {
		w.paceReason = stats.StallExecutionDependency
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
			s.dueLooks.makeDue(s.dueLooks.found.of(foundOpen), s.now)
		}
	default:
		if op.data {
			op.bound.Run(&w.Warp, mask)
		}
		w.wrote(op, s.now+op.latency, stats.StallExecutionDependency)
	}
	w.stack.advance(pc + 1)
}
