package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
)

// agenda says when its scheduler looks at its warps again, and at which. A resident warp is in one of four states:
//
//   - It waits for an event, such as a response, a barrier or a system call, and wakes when that comes.
//   - It sleeps until a known cycle, in which its operands are ready and its pace allows it to issue. The calendar has it.
//   - It is awake and fresh: no look has seen its next operation yet.
//   - It is awake and in the class of its next operation. Whether the units and the load/store unit accept an operation depends only on its
//     class, so one check serves all warps of a class. Calls, returns and system calls have conditions of their own, and are checked one by
//     one in every cycle.
//
// A look finds which warps may issue in this cycle, and when the next look is due. That is the next cycle if ready warps are left.
// Otherwise it is when the first unit that a class waits for is free, or when the next warp of the calendar wakes. A full queue of the
// load/store unit concerns the whole SMX (foundFull): its warps are looked at when the queue has room that no scheduler before has taken.
// Three events make a look due earlier, because they change what the last look found: the load/store unit takes an access, a response
// arrives, or another scheduler takes a unit during replays (foundIdle). A look that finds nothing new changes nothing.
type agenda struct {
	next           *engine.Cycle // when the next look is due, unless the load/store unit has room before; in dueLooks
	awake          uint64        // slots of awake warps
	fresh          uint64        // of these, the fresh ones
	calls          uint64        // of these, those that are checked one by one
	occupiedPlaces uint64        // places of classes with warps
	stores         uint64        // slots in classes whose operations store to device memory
	classes        [classPlaces]class
	calendar
}

// dueLooks are when the schedulers' next looks are due, side by side, and the findings of their last looks that may change that.
type dueLooks struct {
	due   [mostSchedulers]engine.Cycle
	found findings
}

// findings are four sets of schedulers in one word.
type findings uint32

// For each finding, the set of scheduler 0 alone.
const (
	foundFull findings = 1 << (mostSchedulers * iota) // accesses wait for room in the load/store unit's queue
	foundOpen                                         // accesses were accepted: the unit may refuse them after it takes another
	foundHeld                                         // a texture unit refused accesses: each response may free it
	foundIdle                                         // replays take the slots of ready warps; these stall for a unit if it is taken
	foundAny  = foundFull | foundOpen | foundHeld | foundIdle
)

// of returns the schedulers whose last look had a finding.
func (f findings) of(finding findings) uint {
	return uint(f/finding) % (1 << mostSchedulers)
}

// note adds a finding of a scheduler's look.
func (l *dueLooks) note(finding findings, scheduler uint) {
	l.found |= finding << (scheduler % mostSchedulers)
}

// forget clears the findings of a scheduler.
func (l *dueLooks) forget(scheduler uint) { l.found &^= foundAny << (scheduler % mostSchedulers) }

// makeDue makes looks of some schedulers due now.
func (l *dueLooks) makeDue(schedulers uint, now engine.Cycle) {
	for ; schedulers != 0; schedulers &= schedulers - 1 {
		due := &l.due[bits.TrailingZeros(schedulers)%mostSchedulers]
		*due = min(*due, now)
	}
}

// reset forgets all warps.
func (a *agenda) reset(looks *dueLooks, scheduler uint) {
	*a = agenda{next: &looks.due[scheduler%mostSchedulers], calendar: calendar{sleep: never, first: never}}
	*a.next = never
	looks.forget(scheduler)
}

// class is the set of a scheduler's awake warps whose next operations are of one class.
type class struct {
	slots uint64
	waits
	of isa.Class
}

// classPlaces is the length of lists by class: a power of two, so that a mask replaces the bounds check.
const classPlaces = 64

// An operation that the load/store unit or the texture units carry out has the place of its class. Operations of such a class that execute
// elsewhere, such as parts of an expansion, have places behind all classes.
const (
	accessPlaces = 1<<(isa.ClassSurface+1) - 1<<isa.ClassGlobal
	elsewhere    = isa.ClassCount - isa.ClassGlobal
)

var _ [classPlaces - isa.ClassSurface - elsewhere - 1]struct{} // every class has a place

// noClass is the place of operations that are checked one by one.
const noClass isa.Class = classPlaces

// placeOf returns the place of a warp whose next operation this is.
func (op *operation) placeOf() isa.Class {
	switch {
	case op.drains:
		return noClass
	case !op.memory:
		return elsewhereOf(op.class)
	}
	return op.class
}

// wake sets when a slot's warp may issue next.
func (a *agenda) wake(slot int, at, now engine.Cycle) {
	if at <= now {
		a.strike(slot)
		a.wakes[slot&lastSlot] = at
		a.awake |= bit(slot)
		a.fresh |= bit(slot)
	} else {
		a.awake &^= bit(slot)
		a.fresh &^= bit(slot)
		a.enter(slot, at, now)
	}
	*a.next = min(*a.next, at)
}

// rouse wakes the warps that sleep until now.
func (a *agenda) rouse(now engine.Cycle) {
	slots := a.due(now)
	a.awake |= slots
	a.fresh |= slots
}

// join puts a fresh warp, whose stall has been settled, into its class.
func (a *agenda) join(w *warp, now engine.Cycle) {
	place := w.op.place
	if place == noClass {
		a.calls |= bit(w.slot)
		return
	}
	c := &a.classes[place%classPlaces]
	a.occupiedPlaces |= 1 << (place % classPlaces)
	c.slots |= bit(w.slot)
	c.of = w.op.class
	if w.op.store {
		a.stores |= bit(w.slot)
	}
	w.class, w.joined = c, joined{c.upTo(waitsForUnit, now), c.upTo(waitsForMemory, now)}
}

// leave takes a warp, whose stall has been settled, out of its class before it issues.
func (a *agenda) leave(w *warp) {
	if w.class == nil {
		a.calls &^= bit(w.slot)
		return
	}
	if w.class.slots &^= bit(w.slot); w.class.slots == 0 {
		a.occupiedPlaces &^= 1 << (w.op.place % classPlaces)
	}
	a.stores &^= bit(w.slot)
	w.class = nil
}

// withAccesses returns the schedulers with awake warps that want the load/store unit or a texture unit.
func (all schedulers) withAccesses() (some uint) {
	for i := range all {
		if all[i].occupiedPlaces&accessPlaces != 0 {
			some |= 1 << i
		}
	}
	return some
}
