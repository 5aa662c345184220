package smx

import (
	"math"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/memory"
)

// Shape is how accesses to device memory lie: the lines, and the sectors of 32 bytes, that requests of warps touch.
type Shape struct{ Requests, Lines, Sectors uint64 }

// Add adds another's accesses.
func (s *Shape) Add(other Shape) {
	s.Requests += other.Requests
	s.Lines += other.Lines
	s.Sectors += other.Sectors
}

// shaped tells blocks whose accesses are looked at.
type shaped struct {
	oneOf uint64 // 0 for none
	first uint64 // one of them
}

// has reports that a block is one of them: which ones has nothing to do with how they lie in the grid.
func (s *shaped) has(number uint64) bool {
	return s.oneOf > 0 && (number == s.first || number*scatter>>32%s.oneOf == 0)
}

// scatter is 2^64 divided by the golden ratio, an odd number: the upper halves of its multiples lie as evenly as may be.
const scatter uint64 = 0x9e3779b97f4a7c15

// Shape has blocks that run without timing count the shape of their accesses: about one of so many, and one in any case; 0 for none.
func (s *SMX) Shape(oneOf, first uint64) { s.residency.shape = shaped{oneOf, first} }

// Lengths are how many warp instructions blocks have executed.
type Lengths struct{ Count, Sum, Squares float64 }

func (l *Lengths) add(work uint64) {
	l.Count++
	l.Sum += float64(work)
	l.Squares += float64(work) * float64(work)
}

// Add adds those of other blocks.
func (l *Lengths) Add(other Lengths) {
	l.Count += other.Count
	l.Sum += other.Sum
	l.Squares += other.Squares
}

// Stray is how far blocks stray from each other, as a share of their mean.
func (l *Lengths) Stray() float64 {
	if l.Sum == 0 {
		return 0
	}
	mean := l.Sum / l.Count
	return math.Sqrt(max(0, l.Squares/l.Count-mean*mean)) / mean
}

// Lengths are those of the grid's blocks that have run to their ends on the SMX, all with timing or all without.
func (h *Share) Lengths() Lengths { return h.lengths }

// countShape counts an access of a block that runs without timing.
func (s *functional) countShape(h *Share, a *access) {
	if a.Space != isa.SpaceGlobal {
		return
	}
	l := &s.lsu.loadStore
	l.transactions = memory.Coalesce(&a.Access, shapeLine, &l.parts, l.transactions[:0])
	h.shape.Requests++
	h.shape.Lines += uint64(len(l.transactions))
	for i := range l.transactions {
		h.shape.Sectors += uint64(bits.OnesCount8(l.transactions[i].Sectors))
	}
}

// shapeLine is the size of a line in bytes.
const shapeLine = 128

// Shape is that of the accesses that were counted: all in a timed run, of some blocks in one without timing.
func (h *Share) Shape() Shape {
	if h.shape.Requests > 0 {
		return h.shape
	}
	sum := Shape{}
	for i := range h.Operations {
		switch h.Grid.Program.operations[i].class {
		case isa.ClassGlobal, isa.ClassAtomic, isa.ClassReadOnly:
			m := &h.Operations[i].Memory
			sum.Add(Shape{m.Requests, m.Transactions, m.Sectors})
		}
	}
	return sum
}

// TakesBack reports that a run of the program without timing can be taken back, if device memory is: it has no system calls and writes to
// no surface.
func (p *Program) TakesBack() bool {
	for i := range p.operations {
		if p.operations[i].control == isa.ControlSystem || p.operations[i].class == isa.ClassSurface {
			return false
		}
	}
	return true
}
