package machine

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Listing returns the function as text, block by block.
func (f *Function) Listing() string { return f.list(nil) }

// Listing returns the function as text, block by block, with physical registers after virtual ones.
func (f *Allocated) Listing() string { return f.list(f.Colours) }

func (f *Function) list(colours []isa.Register) string {
	var out strings.Builder
	names := f.Names(colours)
	for _, b := range f.Blocks {
		out.WriteString(b.Heading())
		for _, op := range b.Operations {
			fmt.Fprintf(&out, "    %s\n", operationText(names, op))
		}
	}
	return out.String()
}

// operationText returns an operation with its registers and its effect.
func operationText(n *virtual.Names, op *Operation) string {
	var out strings.Builder
	list := func(registers []isa.Register) string {
		var names []string
		for _, r := range registers {
			names = append(names, n.Name(r))
		}
		return strings.Join(names, ", ")
	}
	if op.Guard.Present {
		fmt.Fprintf(&out, "@%s%s ", map[bool]string{true: "!"}[op.Guard.Negate], list([]isa.Register{op.Guard.Register}))
	}
	out.WriteString(op.Mnemonic)
	if len(op.Defines) > 0 {
		out.WriteString(" " + list(op.Defines))
	}
	if op.WritesCarry {
		out.WriteString(" CC")
	}
	if len(op.Uses) > 0 || op.ReadsCarry {
		out.WriteString(" : " + list(op.Uses))
	}
	if op.ReadsCarry {
		out.WriteString(" CC")
	}
	for _, t := range op.Ways {
		fmt.Fprintf(&out, " -> B%d", t)
	}
	if op.Path != nil {
		out.WriteString(" [slow]")
	}
	if op.Spill {
		out.WriteString(" [spill]")
	}
	if op.Effect != nil {
		fmt.Fprintf(&out, "    ; %s", n.Instruction(op.Effect))
	}
	return out.String()
}
