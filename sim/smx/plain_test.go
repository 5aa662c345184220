package smx

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/stats"
)

// This file specifies when the warps of an SMX issue and what they stall for. In every cycle every scheduler looks at every one of its
// warps. Nothing is skipped, and each stall is counted in its own cycle, except the one that plain.stall names. The other loop must give
// the same issue cycles and counters: run.go skips cycles, agenda.go and schedule in issue.go skip warps, and ledger.go counts by
// differences. plain_same_test.go compares the two.
//
// One cycle, in order:
//
//  1. Responses that have arrived write registers and free the load/store unit.
//  2. Blocks start where there is room. While the SMX is paused neither this nor the next steps happen, except replays.
//  3. The schedulers take their turns. The scheduler that goes first rotates each cycle, because some share units.
//     A replay of a memory access takes the scheduler's issue slot. Otherwise its policy picks one of the warps that may issue. The warp
//     issues one operation, and a second one that the compiler has paired with it.
//  4. Every warp that has not issued is charged one cycle of stall, for the first reason that holds.
//
// A warp may issue its next operation when all of this holds. Each line names the stall that is counted while it does not:
//
//   - It does not wait at a barrier (sync), at a fence (fence), for a system call (system) or for its stores after its exit (exit).
//   - The warp's pace allows it. The pace is the distance of two issues (other), the compiler's wait in the operation (execution
//     dependency), a branch (branch), or the fetch of its instruction (instruction fetch). It is also the time of a barrier, a fence, a
//     system call or a nanosleep (sync, fence, system, sleep), or an atomic on shared memory (shared).
//   - Every register, predicate and carry that the operation reads or writes is ready (the reason in the scoreboard entry).
//   - Its constant operand is in the constant cache (constant).
//   - The load/store unit or the texture unit accepts its access (memory throttle).
//   - A call, return or system call has no access in flight that it must wait for (memory dependency).
//   - The scheduler's path to the register file and an execution unit of the operation's class are free (pipe busy).
//   - The policy picks it (not selected). The policy may pick none.
//
// This file does not specify the code that both loops use, and a mistake there is in both:
//
//   - what an operation does when it issues (issuer.issue in issue.go, control.go, call.go, stack.go, barrier.go, lsu.go, access.go,
//     datacache.go);
//   - what it takes of the units (units.go);
//   - when its operands and its code are ready (plan and resolveOperation in frontend.go, scoreboard.go, fetch.go, constant.go);
//   - which accesses are accepted (loadstore.go, texture.go), how responses arrive (receive in lsu.go), how blocks start and end
//     (block.go);
//   - the charge of a warp that has exited (atEnd in ledger.go).
//
// That code maintains the agenda. This loop only asks it whether a warp is awake after it has skipped a slow path.

// plain is the state of the plain loop of an SMX between cycles.
type plain struct {
	// looked has the warps whose next operation has been looked at since they woke: a slow path that no lane needs has been skipped, and
	// its constant operand has been read.
	looked map[*warp]bool
	// refusedStores is when the full load/store unit refused a warp's store. Such stores issue in turn, before all other warps.
	refusedStores map[*warp]engine.Cycle
}

// plains are the SMXs that the plain loop runs, on one thread.
var plains = map[*SMX]*plain{}

// plainLoop advances an SMX to a cycle of an epoch that ends at until.
func plainLoop(s *SMX, to, until engine.Cycle) {
	p := plains[s]
	if p == nil {
		p = &plain{looked: map[*warp]bool{}, refusedStores: map[*warp]engine.Cycle{}}
		plains[s] = p
	}
	if !s.epoch.began {
		s.beginEpoch()
		s.lastActive = max(s.lastActive, s.now)
	}
	for s.now < to && s.Fault == nil {
		p.cycle(s)
		s.now++
	}
	s.loadStore.requests.send(s.outlet, to)
	if to < until {
		return
	}
	s.bookSums()
	s.epoch = epoch{}
	// When the SMX is due: at once if something is in progress, else when the first warp wakes.
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		*sc.next = never
		for _, w := range residents(sc) {
			at, _ := w.wakes()
			*sc.next = min(*sc.next, at)
		}
		if *sc.next < until || sc.replays > 0 {
			s.lastActive = until
		}
	}
	s.clear(min(s.lastActive, until-1))
}

// cycle is one cycle of the core clock.
func (p *plain) cycle(s *SMX) {
	if arrival, ok := s.port.NextReady(); ok && arrival <= s.now {
		s.receive(s.now)
		s.lastActive = max(s.lastActive, s.now)
	}
	if s.paused { // it is about to go forward without timing (forward.go), and looks again after that
		clear(p.looked)
		clear(p.refusedStores)
		for i := range s.schedulers {
			s.schedulers[i].replayOnce()
		}
		return
	}
	if s.due() <= s.now {
		s.startOffered()
		s.lastActive = max(s.lastActive, s.now)
	}
	eligible := 0
	var waiting [mostSchedulers]candidateStalls
	for k := range s.schedulers {
		sc := &s.schedulers[(int(s.now)+k)%len(s.schedulers)]
		eligible += p.schedule(s, sc, &waiting[sc.index])
		for sc.idleLanes >= warpLanes { // ideal.no_divergence: idle lanes add up to an issue slot
			sc.idleLanes -= warpLanes
			p.schedule(s, sc, &waiting[sc.index])
		}
	}
	for i := range s.schedulers {
		for _, w := range residents(&s.schedulers[i]) {
			p.stall(s, w, &waiting[i])
		}
	}
	switch {
	case s.residentWarps == 0 && s.mixed:
		s.passOver()
	case s.residentWarps == 0:
	case s.mixed:
		s.addSums(1, s.loadStore.held > 0)
	default:
		s.sums.add(1, s.residentWarps, eligible, s.loadStore.pending, s.loadStore.held > 0)
	}
}

// residents are a scheduler's resident warps, by slot.
func residents(sc *warpScheduler) (list []*warp) {
	for _, w := range sc.warps {
		if w != nil && w.resident {
			list = append(list, w)
		}
	}
	return list
}

// candidateStalls has the reasons why warps whose operands are ready do not issue in this cycle.
type candidateStalls struct {
	some   uint64 // slots
	reason [scheduler.Slots]stats.Stall
}

// schedule is a scheduler's turn in a cycle. It returns how many warps could issue, 0 if a replay takes the slot.
func (p *plain) schedule(s *SMX, sc *warpScheduler, waiting *candidateStalls) (eligible int) {
	ready := uint64(0)
	for _, w := range residents(sc) {
		if at, _ := w.wakes(); at > s.now {
			continue
		}
		s.lastActive = max(s.lastActive, s.now)
		if !p.looked[w] {
			if !s.resolveOperation(sc, w) {
				continue // its constant operand is not there, or the operation behind the slow path is not ready
			}
			p.looked[w] = true
		}
		s.lastActive = s.now + 1
		waiting.some |= bit(w.slot)
		why, may := w.may(s, sc, false)
		if may {
			ready |= bit(w.slot)
			why = stats.StallNotSelected
		}
		waiting.reason[w.slot] = why
		if why == stats.StallMemoryThrottle {
			p.noteRefused(s, w)
		}
	}
	switch {
	case sc.replays > 0:
		s.lastActive = s.now + 1
		sc.replayOnce()
		return 0
	case ready == 0:
		return 0
	}
	if s.mixed {
		s.countEligible(sc, ready)
	}
	for _, w := range residents(sc) {
		eligible += int(ready >> w.slot & 1)
	}
	if w := p.choose(sc, ready); w != nil { // nil: the policy picks none
		waiting.some &^= bit(w.slot)
		p.issue(s, sc, w)
	}
	return eligible
}

// replayOnce lets a waiting replay take the issue slot of this cycle.
func (sc *warpScheduler) replayOnce() {
	if sc.replays == 0 {
		return
	}
	sc.replays--
	sc.replaysFrom++
	c := &sc.replayed.Counters
	c.InstIssued++
	c.IssuedSingle++
	c.IssueSlots++
}

// wakes returns when a warp's pace and operands allow it to issue, never if unknown, and what it waits for until then.
func (w *warp) wakes() (at engine.Cycle, why stats.Stall) {
	switch {
	case w.atBarrier:
		return never, stats.StallSync
	case w.atFence:
		return never, stats.StallFence
	case w.atExit:
		return never, stats.StallExit
	case w.atSystem:
		return never, stats.StallSystem
	}
	at, why = w.dependencies(w.op)
	if w.paceUntil > at {
		at, why = w.paceUntil, w.paceReason
	}
	return at, why
}

// may reports whether a warp whose operands are ready can issue in this cycle, and why not. The second operation of a pair shares the path
// to the register file with the first.
func (w *warp) may(s *SMX, sc *warpScheduler, second bool) (why stats.Stall, ok bool) {
	op, end := w.op, (int64(s.now)+1)*ticks
	switch {
	case op.memory && !s.accepts(sc, op.class):
		return stats.StallMemoryThrottle, false
	case w.mustDrain(op):
		return stats.StallMemoryDependency, false
	case s.units.busyUntil(op.class, sc.index) >= end, !second && s.units.operandPorts[sc.index].free >= end:
		return stats.StallPipeBusy, false
	}
	return stats.StallOther, true
}

// noteRefused notes that the load/store unit has no room for a warp's access, if it is a store to device memory.
func (p *plain) noteRefused(s *SMX, w *warp) {
	isStore := w.op.writeCount == 0 && w.op.class != isa.ClassShared && !s.loadStore.byTexture(w.op.class)
	if _, already := p.refusedStores[w]; isStore && !already && s.loadStore.storesInOrder {
		p.refusedStores[w] = s.now
	}
}

// choose picks a ready warp: first those whose stores were refused, the earliest first, else the policy's choice.
func (p *plain) choose(sc *warpScheduler, ready uint64) *warp {
	var first *warp
	for _, w := range residents(sc) {
		at, turned := p.refusedStores[w]
		if turned && ready&bit(w.slot) != 0 && (first == nil || at < p.refusedStores[first]) {
			first = w
		}
	}
	if first == nil {
		slot := sc.policy.Pick(ready, &sc.started)
		if slot == scheduler.None {
			return nil
		}
		first = sc.warps[slot]
	}
	delete(p.refusedStores, first)
	return first
}

// issue issues a warp's next operation, and the following one if the two pair and the second may issue, too.
func (p *plain) issue(s *SMX, sc *warpScheduler, w *warp) {
	w.chargedUntil = s.now + 1
	c := &w.gridState.Counters
	first, issued := w.op, 1
	s.issue(sc, w, first, false)
	if first.pair && w.resident && s.Fault == nil {
		second := w.current()
		w.op = second
		// The warp's pace does not separate a pair. The second must be in the instruction buffer already.
		if at, _ := w.dependencies(second); at <= s.now && s.buffered(w, second) && s.resolveOperation(sc, w) && w.op == second {
			if _, may := w.may(s, sc, true); may {
				s.issue(sc, w, second, true)
				issued = 2
			}
		}
	}
	c.IssueSlots++
	if issued == 2 {
		c.IssuedDual++
	} else {
		c.IssuedSingle++
	}
	delete(p.looked, w)
	if w.resident && s.Fault == nil {
		s.plan(w) // the fetch of its next instruction begins
	}
}

// stall charges this cycle to a warp that has not issued. A warp that waits for its stores after its exit is charged when one of them is
// acknowledged.
func (p *plain) stall(s *SMX, w *warp, waiting *candidateStalls) {
	_, why := w.wakes()
	switch {
	case w.atExit:
		return
	case waiting.some&bit(w.slot) != 0:
		why = waiting.reason[w.slot]
	}
	w.charge(why, s.now+1)
}

// charge counts a stall of a warp up to a cycle, at its next operation.
func (w *warp) charge(why stats.Stall, until engine.Cycle) {
	if until > w.chargedUntil {
		w.gridState.Operations[w.stalledAt].Stalls[why] += uint64(until - w.chargedUntil)
		w.chargedUntil = until
	}
}
