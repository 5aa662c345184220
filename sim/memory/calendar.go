package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
)

// calendar lists flights by the cycle of their next event, those of one cycle in the order in which they were added. It stores their
// numbers. No flight is in two calendars, because the link to the next flight of a list is stored with the flight.
type calendar struct {
	first   engine.Cycle // of the first flight; Never for none
	now     engine.Cycle // the cycle entered last; nothing is listed before it
	flights *flights
	days    *[calendarCycles]day         // a ring by cycle; nil before the first flight: runs without timing need none
	filled  *[calendarCycles / 64]uint64 // a bit for each day with flights
	words   uint64                       // a bit for each word of filled that is not zero
	far     engine.Heap[int32]
}

// day is the list of a cycle: its first and last number, 0 if empty.
type day struct{ first, last int32 }

// calendarCycles is how many cycles the days reach ahead: farther than DRAM's latency under load. Later flights wait in a heap.
const calendarCycles = 4096

func newCalendar(f *flights) calendar {
	return calendar{first: engine.Never, flights: f}
}

// add lists a flight in a cycle, or in the cycle entered last if that is later.
func (c *calendar) add(at engine.Cycle, number int32) {
	at = max(at, c.now)
	c.first = min(c.first, at)
	if at-c.now >= calendarCycles {
		c.far.Push(at, number)
		return
	}
	c.insert(at, number)
}

func (c *calendar) insert(at engine.Cycle, number int32) {
	if c.days == nil {
		c.days, c.filled = new([calendarCycles]day), new([calendarCycles / 64]uint64)
	}
	next, position := c.flights.next, uint(at)%calendarCycles
	next[number] = 0
	if d := &c.days[position]; d.first != 0 {
		next[d.last], d.last = number, number
		return
	}
	c.days[position] = day{number, number}
	c.filled[position/64] |= 1 << (position % 64)
	c.words |= 1 << (position / 64)
}

// enter moves to the cycle of the first flight and returns it.
func (c *calendar) enter() engine.Cycle {
	c.now = c.first
	for { // what comes within reach now was added before all that is listed in its cycle
		at, ok := c.far.Next()
		if !ok || at-c.now >= calendarCycles {
			break
		}
		_, number := c.far.Pop()
		c.insert(at, number)
	}
	return c.now
}

// list removes all flights of the cycle entered, and returns the first; flights.next links them. Flights added to the cycle meanwhile come
// with the next call. When no flight is left, list returns 0 and moves first on.
func (c *calendar) list() int32 {
	d := &c.days[uint(c.now)%calendarCycles]
	number := d.first
	if d.first = 0; number == 0 {
		c.leave()
	}
	return number
}

// listOf is list for a cycle, after all earlier cycles.
func (c *calendar) listOf(now engine.Cycle) int32 {
	if c.first != now {
		return 0
	}
	c.enter()
	return c.list()
}

// leave finds the first cycle with flights behind the one entered.
func (c *calendar) leave() {
	position := uint(c.now) % calendarCycles
	word := position / 64
	if c.filled[word] &^= 1 << (position % 64); c.filled[word] == 0 {
		c.words &^= 1 << word
	}
	if c.words == 0 {
		c.first, _ = c.far.Next()
		return
	}
	pending := c.filled[word] &^ (1<<(position%64) - 1)
	if pending == 0 {
		words := c.words &^ (2<<word - 1)
		if words == 0 {
			words = c.words
		}
		word = uint(bits.TrailingZeros64(words))
		pending = c.filled[word]
	}
	ahead := (word*64 + uint(bits.TrailingZeros64(pending)) - position) % calendarCycles
	c.first = c.now + engine.Cycle(ahead)
}

// moveTo moves all flights to another calendar, behind its flights of the same cycles. The cycle entered stays the same.
func (c *calendar) moveTo(other *calendar) {
	now := c.now
	for c.first != engine.Never {
		at := c.enter()
		for number := c.list(); number != 0; number = c.list() {
			for number != 0 {
				next := c.flights.next[number]
				other.add(at, number)
				number = next
			}
		}
	}
	c.now = now
}

func (c *calendar) empty() bool { return c.first == engine.Never }
