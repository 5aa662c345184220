package memory

import "github.com/keplersim/keplersim/sim/engine"

// link is something that moves bytes at a fixed rate, reserved in the order of asking.
type link struct {
	free          engine.SubCycle
	bytesPerCycle divisor
}

func newLink(bytesPerCycle int) link { return link{bytesPerCycle: newDivisor(bytesPerCycle)} }

// reserve takes the link for so many bytes from now on, adds for how long, and returns when they begin to move.
func (l *link) reserve(now engine.SubCycle, bytes int, busy *engine.SubCycle) engine.SubCycle {
	start := max(now, l.free)
	takes := l.takes(bytes)
	l.free = start + takes
	*busy += takes
	return start
}

// takes returns how long the link moves so many bytes.
func (l *link) takes(bytes int) engine.SubCycle {
	takes, _ := l.bytesPerCycle.divide(uint64(bytes)<<engine.SubCycleShift + l.bytesPerCycle.by - 1)
	return engine.SubCycle(takes)
}
