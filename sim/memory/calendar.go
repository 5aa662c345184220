package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
)

// calendar lists numbers by the cycle in which something happens to them, those of one cycle in the order in which they were added. Numbers
// are those of flights, and none is in two calendars: the flights hold the lists together.
type calendar struct {
	first   engine.Cycle // of the first number; Never where there is none
	now     engine.Cycle // that was entered last: nothing is listed before it
	flights *flights
	days    *[calendarCycles]day         // by cycle, a ring; nil before the first number: a run without timing has none
	filled  *[calendarCycles / 64]uint64 // the days with numbers, one bit each
	words   uint64                       // the words of filled that are not zero, one bit each
	far     engine.Heap[int32]
}

// day is the list of a cycle: its first and its last number, 0 where it is empty.
type day struct{ first, last int32 }

// calendarCycles is how far ahead days reach: farther than DRAM's latency under load. What lies behind them waits in a heap.
const calendarCycles = 4096

func newCalendar(f *flights) calendar {
	return calendar{first: engine.Never, flights: f}
}

// add lists a number in a cycle, or in that which was entered last if that is later.
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

// enter comes to the cycle of the first number.
func (c *calendar) enter() engine.Cycle {
	c.now = c.first
	for { // what has just come within reach was added before anything behind it in its cycle
		at, ok := c.far.Next()
		if !ok || at-c.now >= calendarCycles {
			break
		}
		_, number := c.far.Pop()
		c.insert(at, number)
	}
	return c.now
}

// list takes all numbers of the cycle that has been entered, which follow each other in flights.next. What is added to the cycle meanwhile
// comes with the next call. It returns 0, and the cycle is over, when there are none.
func (c *calendar) list() int32 {
	d := &c.days[uint(c.now)%calendarCycles]
	number := d.first
	if d.first = 0; number == 0 {
		c.leave()
	}
	return number
}

// listOf is list for a cycle before which there is nothing.
func (c *calendar) listOf(now engine.Cycle) int32 {
	if c.first != now {
		return 0
	}
	c.enter()
	return c.list()
}

// leave finds the cycle of the first number behind that which has been entered.
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

// moveTo puts what is left behind what another calendar lists in the same cycles. Time stays.
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
