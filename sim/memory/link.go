package memory

import "github.com/keplersim/keplersim/sim/engine"

// link is something that moves messages at a fixed rate, reserved in the order of asking. A message is a header and data.
type link struct {
	free          engine.SubCycle
	bytesPerCycle divisor
	header        int
	// sectors is how long it moves a message with so many sectors of data, by their number: nearly all have that.
	sectors [5]engine.SubCycle
}

func newLink(bytesPerCycle, header int) link {
	l := link{bytesPerCycle: newDivisor(bytesPerCycle), header: header}
	for n := range l.sectors {
		l.sectors[n] = l.rate(header + n*SectorBytes)
	}
	return l
}

// reserve takes the link for a message that is ready now or later, and returns when the message begins. The link moves others until then:
// the time is taken from what it has from now on.
func (l *link) reserve(now, ready, takes engine.SubCycle) engine.SubCycle {
	start := max(ready, l.free)
	l.free = max(now, l.free) + takes
	return start
}

// carries returns how long the link moves a message with so many sectors.
func (l *link) carries(sectors int) engine.SubCycle {
	if uint(sectors) < uint(len(l.sectors)) {
		return l.sectors[sectors]
	}
	return l.rate(l.header + sectors*SectorBytes)
}

// rate returns how long the link moves so many bytes.
func (l *link) rate(bytes int) engine.SubCycle {
	takes, _ := l.bytesPerCycle.divide(uint64(bytes)<<engine.SubCycleShift + l.bytesPerCycle.by - 1)
	return engine.SubCycle(takes)
}
