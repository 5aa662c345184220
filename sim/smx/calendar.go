package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/scheduler"
)

// calendarCycles is how many cycles ahead a calendar has a day for each: longer than arithmetic, branches and shared memory take.
const calendarCycles = 64

// calendar says when a scheduler's warps wake. It has a day for each of the coming cycles: the set of slots that wake in it. To wake a
// warp, or to find the next, takes a few operations on words, however many warps sleep.
type calendar struct {
	sleep engine.Cycle // the earliest wake-up
	days  uint64       // days with slots, one bit each
	dated uint64       // slots that have a day
	later uint64       // slots that wake after the last day
	first engine.Cycle // the earliest wake-up in later
	slots [calendarCycles]uint64
	wakes [scheduler.Slots]engine.Cycle // when a slot's warp may issue next; never if it waits for an event
}

// dayOf returns the index of a cycle's day.
func dayOf(at engine.Cycle) int { return int(uint64(at) % calendarCycles) }

// enter makes a slot's warp wake at a cycle after now.
func (c *calendar) enter(slot int, at, now engine.Cycle) {
	if (c.dated|c.later)&bit(slot) != 0 {
		c.strike(slot)
	}
	c.wakes[slot&lastSlot] = at
	switch {
	case at == never:
		return
	case at-now < calendarCycles:
		c.slots[dayOf(at)] |= bit(slot)
		c.days |= 1 << dayOf(at)
		c.dated |= bit(slot)
	default:
		c.later |= bit(slot)
		c.first = min(c.first, at)
	}
	c.sleep = min(c.sleep, at)
}

// strike removes a slot.
func (c *calendar) strike(slot int) {
	if c.dated&bit(slot) != 0 {
		day := dayOf(c.wakes[slot&lastSlot])
		if c.slots[day] &^= bit(slot); c.slots[day] == 0 {
			c.days &^= 1 << day
		}
		c.dated &^= bit(slot)
	}
	c.later &^= bit(slot)
}

// due removes and returns the slots whose warps wake up to now.
func (c *calendar) due(now engine.Cycle) (slots uint64) {
	for c.sleep <= now {
		day := dayOf(c.sleep)
		slots |= c.slots[day]
		c.slots[day] = 0
		c.days &^= 1 << day
		if c.first <= c.sleep {
			slots |= c.comeOfLater()
		}
		next := c.first
		if ahead := bits.RotateLeft64(c.days, -int(day)); ahead != 0 {
			next = min(next, c.sleep+engine.Cycle(bits.TrailingZeros64(ahead)))
		}
		c.sleep = next
	}
	c.dated &^= slots
	return slots
}

// comeOfLater removes and returns the slots of later that wake in this cycle.
func (c *calendar) comeOfLater() (slots uint64) {
	c.first = never
	for m := c.later; m != 0; m &= m - 1 {
		slot := bits.TrailingZeros64(m)
		if wake := c.wakes[slot]; wake <= c.sleep {
			slots |= 1 << slot
		} else {
			c.first = min(c.first, wake)
		}
	}
	c.later &^= slots
	return slots
}
