package smx

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
)

// A warp that finds no room in the load/store unit would ask again in every cycle, and with it each that waits behind the same
// queue: a third of the time that kernels took which that unit bounds. Its scheduler sets such a warp aside until the
// cycle in which the head of the queue has been served, or until the answer comes that lets the unit go on. Nothing but host time
// depends on it: a warp set aside is awake, and its stall goes on.

// room reports whether the unit can take another access.
func (l *loadStore) room(class isa.Class, now engine.Cycle) bool {
	if l.full(now) || l.held > 0 && class != isa.ClassShared {
		return false
	}
	return class == isa.ClassShared || class == isa.ClassConstant || l.pending < l.most
}

// full takes what has been served out of the queue and reports whether the rest fills it.
func (l *loadStore) full(now engine.Cycle) bool {
	for l.queued > 0 && l.finishes[l.head] <= now {
		l.head = (l.head + 1) % len(l.finishes)
		l.queued--
	}
	return l.queued >= l.capacity
}

// blocked reports that an access to device memory finds no room before answers come, whatever the queue.
func (l *loadStore) blocked() bool {
	return l.held > 0 || l.pending >= l.most
}

// setAside has a scheduler pass over awake warps that have just found no room for operations of a class.
func (s *SMX) setAside(sc *warpScheduler, slots uint64, class isa.Class) {
	l, room := &s.loadStore, never
	switch {
	case s.byTexture(class):
		return // it has queues of its own
	case l.queued >= l.capacity:
		room = l.finishes[l.head]
	case class == isa.ClassConstant:
		return // it waits for some answers only
	}
	sc.aside |= slots
	sc.room = min(sc.room, room)
}

// readmit lets the warps that a scheduler has set aside ask again, unless the queue has filled again before their turn.
func (sc *warpScheduler) readmit(l *loadStore, now engine.Cycle) {
	if l.full(now) {
		sc.room = l.finishes[l.head]
		return
	}
	sc.aside, sc.room = 0, never
}

// unblocked has every scheduler that has set warps aside look in this cycle whether there is room.
func (s *SMX) unblocked() {
	for i := range s.schedulers {
		if sc := &s.schedulers[i]; sc.aside != 0 {
			sc.room, sc.next = s.now, min(sc.next, s.now)
		}
	}
}
