package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
)

// A full load/store unit would be checked in every cycle for every warp that waits for it: a third of the simulation time of kernels
// that this unit bounds. A scheduler therefore sets such warps aside, until the head of the queue has been served or the response
// arrives that frees the unit. This saves host time and changes nothing else: a warp set aside is awake, and its stall goes on.

// accepts reports whether the unit can take another access of a class.
func (l *loadStore) accepts(class isa.Class, now engine.Cycle) bool {
	if l.full(now) || l.held > 0 && class != isa.ClassShared {
		return false
	}
	return class == isa.ClassShared || class == isa.ClassConstant || l.pending < l.outstanding
}

// full takes what has been served out of the queue and reports whether the rest fills it.
func (l *loadStore) full(now engine.Cycle) bool {
	for l.queued > 0 && l.finishes[l.head] <= now {
		l.head++
		l.queued--
	}
	return l.queued >= l.capacity
}

// blocked reports that the unit accepts no access to device memory before a response arrives, however short its queue.
func (l *loadStore) blocked() bool {
	return l.held > 0 || l.pending >= l.outstanding
}

// setAside has a scheduler pass over awake warps whose operations, of one class, the unit has just not accepted.
func (s *SMX) setAside(sc *warpScheduler, slots uint64, class isa.Class) {
	l, until := &s.loadStore, never
	switch {
	case s.byTexture(class):
		return // it has queues of its own
	case l.queued >= l.capacity:
		until = l.finishes[l.head]
	case class == isa.ClassConstant:
		return // it waits for responses to some accesses only
	}
	sc.aside |= slots
	sc.asideUntil = min(sc.asideUntil, until)
	if !l.inTurn || class == isa.ClassShared {
		return
	}
	for m := slots &^ sc.turned; m != 0; m &= m - 1 {
		slot := bits.TrailingZeros64(m)
		if w := sc.warps[slot]; w.op.writeCount == 0 { // a store
			w.asked = s.now
			sc.turned |= 1 << slot
		}
	}
}

// readmit makes the warps that a scheduler has set aside candidates again, unless the queue has filled before their turn: then it reports
// false.
func (sc *warpScheduler) readmit(l *loadStore, now engine.Cycle) bool {
	if l.full(now) {
		sc.asideUntil = l.finishes[l.head]
		return false
	}
	sc.aside, sc.asideUntil = 0, never
	return true
}

// alert has the schedulers look again whose warps wait for something else than the load/store unit, when that may have become full, and
// those whose warps wait for the texture units, or with constants for L1, when responses have come.
func (s *SMX) alert() {
	s.watched = false
	for i := range s.schedulers {
		if sc := &s.schedulers[i]; sc.watches {
			sc.watches, sc.calm, sc.next = false, min(sc.calm, s.now), min(sc.next, s.now)
		}
	}
}

// readmitAll has every scheduler that has set warps aside check the unit in this cycle.
func (s *SMX) readmitAll() {
	for i := range s.schedulers {
		if sc := &s.schedulers[i]; sc.aside != 0 {
			sc.asideUntil, sc.next = s.now, min(sc.next, s.now)
		}
	}
}
