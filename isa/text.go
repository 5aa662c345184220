package isa

import (
	"fmt"
	"strings"
)

// Text returns an operation as a disassembler would print it: its guard, mnemonic and registers.
func (m *MachineProgram) Text(index int32) string {
	if index < 0 || int(index) >= len(m.Ops) {
		return ""
	}
	op := &m.Ops[index]
	var b strings.Builder
	if g := op.Guard; g.Present {
		b.WriteString("@")
		if g.Negate {
			b.WriteString("!")
		}
		fmt.Fprintf(&b, "P%d ", g.Register)
	}
	b.WriteString(op.Mnemonic)
	list := func(ranges []RegisterRange, predicates uint8) (words []string) {
		for _, r := range ranges {
			word := fmt.Sprintf("R%d", r.First)
			if r.Count > 1 {
				word += fmt.Sprintf(":%d", int(r.First)+int(r.Count)-1)
			}
			words = append(words, word)
		}
		for p := range 7 {
			if predicates>>p&1 != 0 {
				words = append(words, fmt.Sprintf("P%d", p))
			}
		}
		return words
	}
	if written := list(op.Writes, op.WritesPred); len(written) > 0 {
		b.WriteString(" " + strings.Join(written, ", "))
	}
	if read := list(op.Reads, op.ReadsPred); len(read) > 0 {
		b.WriteString(" : " + strings.Join(read, ", "))
	}
	return b.String()
}
