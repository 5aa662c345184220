package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// A scheduler's awake warps stand in queues by the class of their next operations, as sets of slots: whether the units accept an
// operation, and the load/store unit an access, depends on its class alone, so that one check serves all warps of a queue.

// queue is what a warp waits for once its operands are ready.
type queue uint8

const (
	queueUnits  queue = iota // units of its class
	queueAccess              // capacity of the load/store unit, then units of its class
	queueCall                // the further conditions of a call or a return
)

func (op *operation) queueFor() queue {
	switch {
	case op.memory:
		return queueAccess
	case op.control >= isa.ControlCall:
		return queueCall
	}
	return queueUnits
}

// queues are a scheduler's awake warps by what they wait for.
type queues struct {
	fresh  uint64 // their next operations have not been looked at
	units  classes
	access classes
	calls  uint64
	summed uint64 // slots whose stalls follow from the waits of their class
}

// empty reports that no warp stands in a queue.
func (q *queues) empty() bool { return q.units.some|q.access.some|q.calls == 0 }

// classPlaces is how many places lists by class have: a power of two, so that a class is masked and not compared with their length.
const classPlaces = 64

var _ [classPlaces - isa.ClassCount]struct{} // no class is without a place

// classes are slots by class.
type classes struct {
	some  uint64 // a bit for each class that has slots
	slots [classPlaces]uint64
	waits [classPlaces]waits
}

func (c *classes) add(class isa.Class, slot int) {
	c.some |= 1 << (class % classPlaces)
	c.slots[class%classPlaces] |= bit(slot)
}

func (c *classes) remove(class isa.Class, slot int) {
	if c.slots[class%classPlaces] &^= bit(slot); c.slots[class%classPlaces] == 0 {
		c.some &^= 1 << (class % classPlaces)
	}
}

// join puts a warp, whose next operation has been looked at, into its queue.
func (q *queues) join(w *warp) {
	switch op := w.op; op.queue {
	case queueUnits:
		q.units.add(op.class, w.slot)
	case queueAccess:
		q.access.add(op.class, w.slot)
	default:
		q.calls |= bit(w.slot)
	}
}

// leave takes a warp that is about to issue out of its queue.
func (q *queues) leave(w *warp) {
	q.summed &^= bit(w.slot)
	switch op := w.op; op.queue {
	case queueUnits:
		q.units.remove(op.class, w.slot)
	case queueAccess:
		q.access.remove(op.class, w.slot)
	default:
		q.calls &^= bit(w.slot)
	}
}

// candidates are a scheduler's awake warps, by whether they can issue in a cycle.
type candidates struct {
	ready uint64       // slots that can issue
	busy  uint64       // slots whose units are taken
	free  engine.Cycle // none of the others becomes ready before
}

// candidates returns which of a scheduler's awake warps can issue in this cycle. Those that the load/store unit cannot accept are set
// aside.
func (s *SMX) candidates(sc *warpScheduler) (c candidates) {
	end := (int64(s.now) + 1) * ticks
	collected := s.units.collectors[sc.index%mostSchedulers].free
	c.free = never
	for rest := sc.units.some; rest != 0; rest &= rest - 1 {
		class := isa.Class(bits.TrailingZeros64(rest)) % classPlaces
		if busy := max(collected, s.units.busyUntil(class, sc.index)); busy < end {
			c.ready |= sc.units.slots[class]
			sc.units.waits[class].turn(waitsForTurn, s.now)
		} else {
			c.busy |= sc.units.slots[class]
			c.free = min(c.free, engine.Cycle(busy/ticks))
			sc.units.waits[class].turn(waitsForUnit, s.now)
		}
	}
	for rest := sc.access.some; rest != 0; rest &= rest - 1 {
		class := isa.Class(bits.TrailingZeros64(rest)) % classPlaces
		slots := sc.access.slots[class] &^ sc.aside
		switch {
		case slots == 0:
		case !s.accepts(sc, class):
			sc.access.waits[class].turn(waitsForMemory, s.now)
			if s.observer != nil {
				s.bookSlots(sc, slots, stats.StallMemoryThrottle)
			}
			s.setAside(sc, slots, class)
			if sc.aside&slots == 0 {
				c.free = min(c.free, s.acceptsFrom(sc, class))
				sc.watches, s.watched = true, true
			}
		default:
			if busy := max(collected, s.units.busyUntil(class, sc.index)); busy < end {
				c.ready |= slots
				sc.access.waits[class].turn(waitsForTurn, s.now)
			} else { // the load/store unit may be full before
				c.busy |= slots
				c.free = min(c.free, engine.Cycle(busy/ticks))
				sc.watches, s.watched = true, true
				sc.access.waits[class].turn(waitsForUnit, s.now)
			}
		}
	}
	for rest := sc.calls; rest != 0; rest &= rest - 1 {
		slot := bits.TrailingZeros64(rest) & lastSlot
		w := sc.warps[slot]
		c.free = 0
		switch {
		case w.unsettled(w.op):
			s.stalled(sc, 1<<slot, stats.StallMemoryDependency)
		case s.units.available(w.op, sc.index, s.now):
			c.ready |= bit(slot)
		default:
			c.busy |= bit(slot)
		}
	}
	return c
}

// stalled books a reason of stalling from this cycle on for warps that do not have it yet. Mostly there are none.
func (s *SMX) stalled(sc *warpScheduler, slots uint64, reason stats.Stall) {
	if slots != 0 {
		s.bookSlots(sc, slots, reason)
	}
}

func (s *SMX) bookSlots(sc *warpScheduler, slots uint64, reason stats.Stall) {
	if s.observer != nil {
		s.observeStalls(sc, slots, reason)
	}
	for ; slots != 0; slots &= slots - 1 {
		if w := sc.warps[bits.TrailingZeros64(slots)&lastSlot]; w.reason != reason {
			s.book(w, reason, s.now)
		}
	}
}
