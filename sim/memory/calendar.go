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
	days    []day    // by cycle, a ring
	filled  []uint64 // the days with numbers, one bit each
	words   uint64   // the words of filled that are not zero, one bit each
	far     engine.Heap[int32]
}

// day is the list of a cycle: its first and its last number, 0 where it is empty.
type day struct{ first, last int32 }

// calendarCycles is how far ahead days reach: farther than DRAM's latency under load. What lies behind them waits in a heap.
const calendarCycles = 4096

func newCalendar(f *flights) calendar {
	return calendar{first: engine.Never, flights: f, days: make([]day, calendarCycles), filled: make([]uint64, calendarCycles/64)}
}

// add lists a number in a cycle, or in that which was entered last if that is later.
func (c *calendar) add(at engine.Cycle, number int32) {
	at = max(at, c.now)
	c.first = min(c.first, at)
	if at-c.now >= calendarCycles {
		c.far.Push(at, number)
		return
	}
	c.list(at, number)
}

func (c *calendar) list(at engine.Cycle, number int32) {
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
	for { // what has come near was added before anything behind it in its cycle
		at, ok := c.far.Next()
		if !ok || at-c.now >= calendarCycles {
			break
		}
		_, number := c.far.Pop()
		c.list(at, number)
	}
	return c.now
}

// take takes the next number of the cycle that has been entered. After the last it returns 0, and the cycle is over.
func (c *calendar) take() int32 {
	position := uint(c.now) % calendarCycles
	d := &c.days[position]
	number := d.first
	if number == 0 {
		c.leave(position)
		return 0
	}
	d.first = c.flights.next[number]
	return number
}

// leave finds the cycle of the first number behind that which has been entered.
func (c *calendar) leave(position uint) {
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

// takeOf takes the next number of a cycle before which there is none; 0 where it has none.
func (c *calendar) takeOf(now engine.Cycle) int32 {
	if c.first != now {
		return 0
	}
	c.enter()
	return c.take()
}

// moveTo puts what is left behind what another calendar lists in the same cycles. Time stays.
func (c *calendar) moveTo(other *calendar) {
	now := c.now
	for c.first != engine.Never {
		at := c.enter()
		for number := c.take(); number != 0; number = c.take() {
			other.add(at, number)
		}
	}
	c.now = now
}

func (c *calendar) empty() bool { return c.first == engine.Never }
