package engine

import "math/bits"

// Cycle is a count of core (SM) clock cycles since the start of a run.
type Cycle int64

// Tick is a count of another domain's clock cycles, such as the memory's command clock.
type Tick int64

// Picosecond is a time span or a point in time since the start of a run.
type Picosecond int64

// Never is after every event.
const Never = Cycle(1<<63 - 1)

// Ratio converts counts of a clock A into counts of a clock B: b = a · Numerator / Denominator, exactly.
type Ratio struct {
	numerator, denominator uint64
	reciprocal             uint64 // 2^64 / denominator, rounded up
	exact                  uint64 // smaller counts are divided by the reciprocal; 0 if there is none
}

// NewRatio returns the conversion from a clock of fromHertz to one of toHertz (any common unit, both above zero).
func NewRatio(from, to uint64) Ratio {
	if from == 0 || to == 0 {
		panic("engine: a clock of frequency zero")
	}
	a, b := from, to
	for b != 0 {
		a, b = b, a%b
	}
	r := Ratio{numerator: to / a, denominator: from / a}
	if r.denominator > 1 && r.denominator < 1<<32 { // n · reciprocal / 2^64 is exact for n below 2^64 / denominator
		r.reciprocal = ^uint64(0)/r.denominator + 1
		r.exact = (^uint64(0)/r.denominator - r.denominator) / r.numerator
	}
	return r
}

// Floor converts a count of zero or more, rounding down to the last edge of the other clock that is not later.
func (r *Ratio) Floor(count int64) int64 {
	high, low := bits.Mul64(uint64(count), r.numerator)
	quotient, _ := bits.Div64(high, low, r.denominator)
	return int64(quotient)
}

// Ceil converts a count of zero or more, rounding up to the first edge of the other clock that is not earlier.
func (r *Ratio) Ceil(count int64) int64 {
	if uint64(count) < r.exact {
		quotient, _ := bits.Mul64(uint64(count)*r.numerator+r.denominator-1, r.reciprocal)
		return int64(quotient)
	}
	high, low := bits.Mul64(uint64(count), r.numerator)
	quotient, rest := bits.Div64(high, low, r.denominator)
	if rest != 0 {
		quotient++
	}
	return int64(quotient)
}

// Crossing converts counts of a clock A into counts of a clock B whose frequencies have changed. Its ratio holds from a count on.
type Crossing struct {
	ratio    Ratio
	from, to int64
}

// NewCrossing returns the conversion of clocks whose frequencies never change.
func NewCrossing(from, to uint64) Crossing { return Crossing{ratio: NewRatio(from, to)} }

// Then returns the conversion with other frequencies from a count of A on. Its results never go back.
func (c Crossing) Then(at int64, from, to uint64) Crossing {
	return Crossing{ratio: NewRatio(from, to), from: at, to: c.Ceil(at)}
}

// Ceil converts a count of zero or more, rounding up. A count from before the last change is converted as that of the change.
func (c *Crossing) Ceil(count int64) int64 { return c.to + c.ratio.Ceil(max(0, count-c.from)) }

// Back returns the reverse conversion, from B to A, from the last change on.
func (c Crossing) Back(from, to uint64) Crossing {
	return Crossing{ratio: NewRatio(from, to), from: c.to, to: c.from}
}

// Timeline is a clock whose frequency changes.
type Timeline struct{ pieces []piece }

// piece is a clock that holds from a cycle on; that cycle begins at a time.
type piece struct {
	from  Cycle
	at    Picosecond
	clock Clock
}

// NewTimeline returns a clock with one frequency until it changes.
func NewTimeline(clock Clock) *Timeline { return &Timeline{pieces: []piece{{clock: clock}}} }

// Clock returns the current frequency, after the last change.
func (t *Timeline) Clock() Clock { return t.pieces[len(t.pieces)-1].clock }

// Changed reports whether the frequency has ever changed.
func (t *Timeline) Changed() bool { return len(t.pieces) > 1 }

// Change sets the frequency from a cycle on, not before the last change.
func (t *Timeline) Change(at Cycle, clock Clock) {
	t.pieces = append(t.pieces, piece{at, t.Picoseconds(at), clock})
}

// Picoseconds returns when the given cycle begins, rounded down.
func (t *Timeline) Picoseconds(cycle Cycle) Picosecond {
	i := len(t.pieces) - 1
	for i > 0 && t.pieces[i].from > cycle {
		i--
	}
	p := &t.pieces[i]
	return p.at + p.clock.Picoseconds(cycle-p.from)
}

// Clock is a clock domain with its frequency.
type Clock struct {
	// Megahertz is the frequency.
	Megahertz uint64
}

// Picoseconds returns when the given cycle of the clock begins, rounded down.
func (c Clock) Picoseconds(cycle Cycle) Picosecond {
	r := Ratio{numerator: 1_000_000, denominator: c.Megahertz}
	return Picosecond(r.Floor(int64(cycle)))
}

// Cycles returns the number of whole cycles in a time span.
func (c Clock) Cycles(span Picosecond) Cycle {
	r := Ratio{numerator: c.Megahertz, denominator: 1_000_000}
	return Cycle(r.Floor(int64(span)))
}

// CyclesUp returns the number of cycles that cover a time span.
func (c Clock) CyclesUp(span Picosecond) Cycle {
	r := Ratio{numerator: c.Megahertz, denominator: 1_000_000}
	return Cycle(r.Ceil(int64(span)))
}
