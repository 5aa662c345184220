package memory

import "github.com/keplersim/keplersim/sim/engine"

// link moves messages at a fixed rate and is booked in the order of calls. A message is a header and data.
type link struct {
	free          engine.SubCycle
	bytesPerCycle divisor
	header        int
	// sectors is how long a message with that many sectors takes: nearly all messages.
	sectors [5]engine.SubCycle
}

func newLink(bytesPerCycle, header int) link {
	l := link{bytesPerCycle: newDivisor(bytesPerCycle), header: header}
	for n := range l.sectors {
		l.sectors[n] = l.rate(header + n*SectorBytes)
	}
	return l
}

// reserve books the link for a message that is ready now or later, and returns when the message begins. The link can move other messages
// until then: the booked time is taken from now on.
func (l *link) reserve(now, ready, takes engine.SubCycle) engine.SubCycle {
	start := max(ready, l.free)
	l.free = max(now, l.free) + takes
	return start
}

// carries returns how long a message with some sectors takes.
func (l *link) carries(sectors int) engine.SubCycle {
	if uint(sectors) < uint(len(l.sectors)) {
		return l.sectors[sectors]
	}
	return l.rate(l.header + sectors*SectorBytes)
}

// rate returns how long some bytes take.
func (l *link) rate(bytes int) engine.SubCycle {
	takes, _ := l.bytesPerCycle.divide(uint64(bytes)<<engine.SubCycleShift + l.bytesPerCycle.by - 1)
	return engine.SubCycle(takes)
}
