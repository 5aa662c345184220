package debug

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/observe"
)

// A compiler mixes the operations of lines: address arithmetic of one line is among another's operations. So a line begins at an operation
// with a visible effect: the first access of memory, barrier or branch of several in a row, or the first operation if it has none.

// lineStarts tells for each operation of a program whether a line begins there.
type lineStarts []bool

// beginsLine tells whether a line begins at an operation.
func (s *Session) beginsLine(w *observe.Warp, op int32) bool {
	machine := w.Block.Grid.Machine
	b, ok := s.lines[machine]
	if !ok {
		b = findLineStarts(machine)
		s.lines[machine] = b
	}
	return b[op]
}

func findLineStarts(m *isa.MachineProgram) lineStarts {
	b := make(lineStarts, len(m.Ops))
	first, shows := map[sourceLine]int{}, map[sourceLine]bool{}
	var last sourceLine
	for i := range m.Ops {
		op := &m.Ops[i]
		var at sourceLine
		if at.file, at.line = m.Program.Place(op.Line); at.file == "" {
			continue
		}
		if _, ok := first[at]; !ok {
			first[at] = i
		}
		if op.Control != isa.ControlNone || op.Class.Memory() && op.Effect != nil {
			b[i], last = at != last, at
			shows[at] = true
		}
	}
	for at, i := range first {
		b[i] = b[i] || !shows[at]
	}
	return b
}
