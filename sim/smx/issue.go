package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// issuable marks a warp that nothing holds back.
const issuable = stats.StallCount

// schedule lets one scheduler issue in this cycle, and returns how many of its warps could have.
func (s *SMX) schedule(sc *warpScheduler) (eligible int) {
	var ready uint64
	if sc.sleep <= s.now {
		sc.rouse(s.now)
	}
	if sc.room <= s.now {
		sc.readmit(s)
	}
	for m := sc.awake &^ sc.aside; m != 0; m &= m - 1 {
		slot := bits.TrailingZeros64(m)
		w := sc.warps[slot]
		switch why := s.hold(sc, w); {
		case why == issuable:
			ready |= 1 << slot
		case sc.awake>>slot&1 == 0: // holding it back has set a new wake-up time
		default:
			if w.reason != why {
				s.stall(w, why, s.now)
			}
			if why == stats.StallMemoryThrottle {
				s.setAside(sc, w)
			}
		}
	}
	next := min(sc.sleep, sc.room)
	if sc.awake&^sc.aside != 0 || sc.replays > 0 {
		next = s.now + 1
	}
	sc.next = next
	switch {
	case sc.replays > 0:
		sc.replays--
		s.Counters.InstIssued++
		s.Counters.IssuedSingle++
		s.Counters.IssueSlots++
	case ready != 0:
		chosen := sc.policy.Pick(ready, &sc.ages)
		eligible = bits.OnesCount64(ready)
		ready &^= 1 << chosen
		s.issueFrom(sc, sc.warps[chosen])
	}
	for m := ready; m != 0; m &= m - 1 {
		if w := sc.warps[bits.TrailingZeros64(m)]; w.reason != stats.StallNotSelected {
			s.stall(w, stats.StallNotSelected, s.now)
		}
	}
	return eligible
}

// rouse wakes the warps whose time has come, and finds when the next one's will.
func (sc *warpScheduler) rouse(now engine.Cycle) {
	sc.sleep = never
	for m := sc.occupied &^ sc.awake; m != 0; m &= m - 1 {
		slot := bits.TrailingZeros64(m)
		if wake := sc.wakes[slot]; wake <= now {
			sc.awake |= 1 << slot
		} else {
			sc.sleep = min(sc.sleep, wake)
		}
	}
}

// wake sets when a slot's warp may issue next.
func (sc *warpScheduler) wake(slot int, at, now engine.Cycle) {
	sc.wakes[slot] = at
	if at <= now {
		sc.awake |= 1 << slot
	} else {
		sc.awake &^= 1 << slot
		sc.sleep = min(sc.sleep, at)
	}
	sc.next = min(sc.next, at)
}

// current is the operation that a warp is at.
func (w *warp) current() *operation { return &w.block.grid.Program.operations[w.stack.top().pc] }

// hold says why a warp whose operands are ready cannot issue in this cycle, or issuable.
func (s *SMX) hold(sc *warpScheduler, w *warp) stats.Stall {
	op := w.op
	for op.slowLength > 0 && !op.bound.NeedsSlow(&w.Warp, w.stack.top().mask) {
		w.stack.advance(w.stack.top().pc + op.slowLength)
		s.plan(w)
		if sc.awake>>w.slot&1 == 0 {
			return w.reason
		}
		op = w.op
	}
	if op.constant && !w.constantReady {
		if !s.constants.ready(s, w, op) {
			return stats.StallConstant
		}
		w.constantReady = true
	}
	if op.memory && !s.roomFor(sc, op) {
		return stats.StallMemoryThrottle
	}
	if op.control >= isa.ControlCall && w.unsettled(op) {
		return stats.StallMemoryDependency
	}
	if !s.units.available(op, sc.index, s.now) {
		return stats.StallPipeBusy
	}
	return issuable
}

// issueFrom issues a warp's next operation, and the one after it where the two pair.
func (s *SMX) issueFrom(sc *warpScheduler, w *warp) {
	s.stall(w, stats.StallOther, s.now)
	w.since = s.now + 1
	first := w.op
	s.issue(sc, w, first)
	issued := 1
	if first.pair && s.config.Pipelines.DualIssue.Enabled && s.config.SMX.Dispatch > 1 && w.resident && s.Fault == nil {
		second := w.current()
		w.op, w.constantReady = second, false
		at, _ := w.dependencies(second)
		if at <= s.now && s.buffered(w, second) && s.hold(sc, w) == issuable && w.op == second {
			s.issue(sc, w, second)
			issued = 2
		}
	}
	s.Counters.IssueSlots++
	if issued == 2 {
		s.Counters.IssuedDual++
	} else {
		s.Counters.IssuedSingle++
	}
	if w.resident && s.Fault == nil {
		s.plan(w)
	}
}

// issue executes one operation of a warp and moves the warp on.
func (s *SMX) issue(sc *warpScheduler, w *warp, op *operation) {
	top := w.stack.top()
	active, pc := top.mask, top.pc
	mask := op.bound.GuardMask(&w.Warp, active)
	s.units.take(op, sc.index, s.now, op.collection)
	w.Clock, w.Nanoseconds = uint64(s.now), uint64(s.clock.Picoseconds(s.now))/1000
	w.next, w.pace = s.now+engine.Cycle(s.config.Pipelines.ReissueCycles), stats.StallOther

	s.countExecuted(op, active, mask)
	switch {
	case op.control != isa.ControlNone:
		s.control(w, op, pc, mask)
		return
	case op.memory:
		s.access(sc, w, op, mask)
	default:
		if op.data {
			op.bound.Run(&w.Warp, mask)
		}
		w.wrote(op, s.now+op.latency, stats.StallExecutionDependency)
	}
	w.stack.advance(pc + 1)
}

// buffered reports whether an operation is in the warp's instruction buffer; the fetch of its line begins if it is not.
func (s *SMX) buffered(w *warp, op *operation) bool {
	if op.lineIndex == w.fetched {
		return true
	}
	w.fetched = op.lineIndex
	at := s.fetch.line(s, op.lineIndex)
	if at <= s.now {
		return true
	}
	w.next, w.pace = max(w.next, at), stats.StallInstructionFetch
	return false
}

// plan finds when a warp can issue next and why not before.
func (s *SMX) plan(w *warp) {
	sc := &s.schedulers[w.scheduler]
	if w.atBarrier || w.atFence || w.atExit || w.atSystem {
		sc.wake(w.slot, never, s.now)
		return
	}
	op := w.current()
	w.op, w.constantReady = op, false
	w.front = op.index
	s.buffered(w, op)
	at, why := w.dependencies(op)
	if w.next > at {
		at, why = w.next, w.pace
	}
	w.reason = why
	sc.wake(w.slot, at, s.now)
}

// countExecuted counts one executed operation: active are the warp's lanes on this path, mask those whose guard holds. What follows from
// how often each operation was executed is counted in the end, by Flush.
func (s *SMX) countExecuted(op *operation, active, mask uint32) {
	c := &s.Counters
	c.InstExecuted++
	c.InstIssued++
	c.ThreadInstExecuted += uint64(bits.OnesCount32(active))
	o := &s.Operations[op.index]
	o.Executed++
	o.Lanes += uint64(bits.OnesCount32(mask))
}
