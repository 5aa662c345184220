package virtual

import (
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Names gives registers and their words names for listings.
type Names struct {
	f      *Function
	shown  *isa.Function // has the names of all registers; words follow the whole registers
	number map[isa.Register]isa.Register
}

// Names returns the names of the registers in a listing. colours are their physical numbers, -1 for none.
func (f *Function) Names(colours []isa.Register) *Names {
	n := &Names{f: f, shown: &isa.Function{Registers: slices.Clone(f.Registers)}, number: map[isa.Register]isa.Register{}}
	for r := range n.shown.Registers {
		if r < len(colours) && colours[r] >= 0 {
			file := "R"
			if f.IsPredicate(isa.Register(r)) {
				file = "P"
			}
			n.shown.Registers[r].Name += fmt.Sprintf("(%s%d)", file, colours[r])
		}
	}
	return n
}

// register returns the number in shown of a register or of a part's word.
func (n *Names) register(r isa.Register) isa.Register {
	first, all := Word(r)
	if all {
		return r
	}
	known, ok := n.number[r]
	if !ok {
		known = isa.Register(len(n.shown.Registers))
		suffix := fmt.Sprintf(".%d", first)
		if n.f.Words(r) == 2 {
			suffix = [2]string{".lo", ".hi"}[first]
		}
		n.shown.Registers = append(n.shown.Registers, isa.VirtualRegister{Name: n.shown.Registers[Whole(r)].Name + suffix})
		n.number[r] = known
	}
	return known
}

// Name returns the name of a register or of one of its words.
func (n *Names) Name(r isa.Register) string { return n.shown.Registers[n.register(r)].Name }

// Instruction returns an instruction as text.
func (n *Names) Instruction(i *isa.Instruction) string {
	c := Clone(i)
	Rename(c, n.register)
	return c.Format(n.shown)
}
