package memory

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
)

// issues says in which cycles ports have requests to issue. A port's requests come in order, so that it is noted with its first alone, and
// all stay where the port has them until their turn comes.
type issues struct {
	words  int          // that have a bit for each port
	ports  []uint64     // by cycle, as far as one epoch goes, a ring
	filled []uint64     // the cycles with ports, one bit each
	now    engine.Cycle // that was taken last
	first  engine.Cycle // none of the ports is due before; Never where none is
	mask   engine.Cycle // the cycles of the ring less one
}

// newIssues is for so many ports, and requests that are issued within so many cycles.
func newIssues(ports int, epoch engine.Cycle) issues {
	cycles := 64
	for cycles <= int(epoch) {
		cycles *= 2
	}
	words := (ports + 63) / 64
	return issues{
		words: words, ports: make([]uint64, cycles*words), filled: make([]uint64, cycles/64), first: engine.Never,
		mask: engine.Cycle(cycles - 1),
	}
}

// note says that a port has a request that is issued in a cycle, at the earliest in that which was taken last.
func (q *issues) note(port int, at engine.Cycle) {
	at = max(at, q.now)
	q.first = min(q.first, at)
	if at > q.first+q.mask {
		panic(fmt.Errorf("memory: a request of port %d is issued in cycle %d, %d after the first", port, at, at-q.first))
	}
	place := int(at & q.mask)
	q.ports[place*q.words+port>>6] |= 1 << (port & 63)
	q.filled[place>>6] |= 1 << (place & 63)
}

// take takes out the ports of the first cycle, in their order, and has issue called with each.
func (q *issues) take(issue func(port int)) {
	q.now = q.first
	place := int(q.now & q.mask)
	q.filled[place>>6] &^= 1 << (place & 63)
	q.first = q.after(place)
	for word := range q.words {
		m := q.ports[place*q.words+word]
		q.ports[place*q.words+word] = 0
		for ; m != 0; m &= m - 1 {
			issue(word<<6 + bits.TrailingZeros64(m))
		}
	}
}

// after returns the first cycle behind that of a place, which is now.
func (q *issues) after(place int) engine.Cycle {
	word := place >> 6
	pending := q.filled[word] &^ (2<<(place&63) - 1)
	for range len(q.filled) + 1 {
		if pending != 0 {
			ahead := word<<6 + bits.TrailingZeros64(pending) - place
			return q.now + engine.Cycle(ahead)&q.mask
		}
		if word++; word == len(q.filled) {
			word = 0
		}
		pending = q.filled[word]
	}
	return engine.Never
}
