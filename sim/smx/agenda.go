package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
)

// agenda is when a scheduler is to look at its warps again, and at which. It alone knows. A resident warp is in one of four places:
//
//   - it waits for an event: a response, a barrier, a system call. It wakes when that comes.
//   - it sleeps until a cycle that is known, in which its operands are ready and its pace allows it to issue. The calendar has it.
//   - it is awake and fresh: its next operation has not been looked at.
//   - it is awake and in the class of its next operation. Whether the units and the load/store unit accept an operation depends on its
//     class alone, so that one look serves all warps of a class. A call, return or system call has conditions of its own, and is looked at
//     in every cycle.
//
// A look finds which warps may issue in this cycle, and when the next look is due: in the next cycle if warps that may issue are left,
// else when the first unit that a class waits for is free, or when the calendar has a warp that wakes. That the load/store unit's queue is
// full is a condition of the whole SMX (foundFull): warps that wait for room are looked at when there is some and no scheduler before has
// taken it. Three things change what a look has found before that, and make another due: the load/store unit takes an access, a response
// comes, or a unit is taken while replays have the issue slots (foundIdle). A look that finds nothing new changes nothing.
type agenda struct {
	next    *engine.Cycle // when the next look is due, unless there is room in the load/store unit before; in looks
	awake   uint64        // slots whose cycle has come
	fresh   uint64        // of these, those that have not been looked at
	calls   uint64        // of these, those whose conditions are their own
	some    uint64        // places of classes that have warps
	stores  uint64        // slots of these that store to device memory
	classes [classPlaces]class
	calendar
}

// looks are when the schedulers' next looks are due, side by side, and what their last looks have found that may change that.
type looks struct {
	due   [mostSchedulers]engine.Cycle
	found findings
}

// findings are four sets of schedulers in one word.
type findings uint32

// The set of scheduler 0 alone, for each finding.
const (
	foundFull findings = 1 << (mostSchedulers * iota) // accesses wait for room in the load/store unit's queue
	foundOpen                                         // accesses were not refused: the unit may refuse them when it has taken another
	foundHeld                                         // a texture unit refused accesses: each response may free it
	foundIdle                                         // replays take slots of warps that may issue: these stall for a unit when it is taken
	foundAny  = foundFull | foundOpen | foundHeld | foundIdle
)

// of returns the schedulers whose last look has found something.
func (f findings) of(finding findings) uint {
	return uint(f/finding) % (1 << mostSchedulers)
}

// note notes what a look of a scheduler has found.
func (l *looks) note(finding findings, scheduler uint) {
	l.found |= finding << (scheduler % mostSchedulers)
}

// forget forgets what the last look of a scheduler has found.
func (l *looks) forget(scheduler uint) { l.found &^= foundAny << (scheduler % mostSchedulers) }

// again makes a look due now at some schedulers.
func (l *looks) again(schedulers uint, now engine.Cycle) {
	for ; schedulers != 0; schedulers &= schedulers - 1 {
		due := &l.due[bits.TrailingZeros(schedulers)%mostSchedulers]
		*due = min(*due, now)
	}
}

// reset forgets all warps.
func (a *agenda) reset(looks *looks, scheduler uint) {
	*a = agenda{next: &looks.due[scheduler%mostSchedulers], calendar: calendar{sleep: never, first: never}}
	*a.next = never
	looks.forget(scheduler)
}

// class are the awake warps of a scheduler whose next operations are of one class.
type class struct {
	slots uint64
	waits
	of isa.Class
}

// classPlaces is how many places lists by class have: a power of two, so that a class is masked and not compared with their length.
const classPlaces = 64

// Operations of a class that the load/store unit or the texture units carry out have the place of their class. Those of such a class that
// execute elsewhere, as parts of an expansion do, have places behind all classes.
const (
	accessPlaces = 1<<(isa.ClassSurface+1) - 1<<isa.ClassGlobal
	elsewhere    = isa.ClassCount - isa.ClassGlobal
)

var _ [classPlaces - isa.ClassSurface - elsewhere - 1]struct{} // no class is without a place

// noClass is the place of operations whose conditions are their own.
const noClass isa.Class = classPlaces

// placeOf is where warps wait whose next operation this is.
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

// rouse wakes the warps whose cycle has come.
func (a *agenda) rouse(now engine.Cycle) {
	slots := a.due(now)
	a.awake |= slots
	a.fresh |= slots
}

// join puts a fresh warp, which has been settled, into its class.
func (a *agenda) join(w *warp, now engine.Cycle) {
	place := w.op.place
	if place == noClass {
		a.calls |= bit(w.slot)
		return
	}
	c := &a.classes[place%classPlaces]
	a.some |= 1 << (place % classPlaces)
	c.slots |= bit(w.slot)
	c.of = w.op.class
	if w.op.store {
		a.stores |= bit(w.slot)
	}
	w.class, w.joined = c, joined{c.upTo(waitsForUnit, now), c.upTo(waitsForMemory, now)}
}

// leave takes a warp that is about to issue, and has been settled, out of its class.
func (a *agenda) leave(w *warp) {
	if w.class == nil {
		a.calls &^= bit(w.slot)
		return
	}
	if w.class.slots &^= bit(w.slot); w.class.slots == 0 {
		a.some &^= 1 << (w.op.place % classPlaces)
	}
	a.stores &^= bit(w.slot)
	w.class = nil
}

// withAccesses are the schedulers of which awake warps want the load/store unit or a texture unit.
func (all schedulers) withAccesses() (some uint) {
	for i := range all {
		if all[i].some&accessPlaces != 0 {
			some |= 1 << i
		}
	}
	return some
}
