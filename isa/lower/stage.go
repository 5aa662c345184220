package lower

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/isa"
)

// PrintAfter writes what a kernel is after a pass, block by block: PTX instructions, which are printed PTX-like, or from expand on Kepler's
// operations, each with what it computes. Registers have the names of PTX, with words as in r7.lo; those that passes add are called t and a
// number; from allocate on they stand beside their physical ones.
//
// Errors are those of Program, and one for a name that no pass has.
func PrintAfter(ctx context.Context, p *isa.Program, kernel *isa.Function, o Options, pass string, w io.Writer) error {
	if err := CheckPass(pass); err != nil {
		return err
	}
	last := slices.Index(PassNames(), pass)
	f, err := runUpTo(ctx, p, kernel, o.withDefaults(), last)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, f.listing())
	return err
}

// CheckPass returns an error for a name that no pass has.
func CheckPass(name string) error {
	names := PassNames()
	if slices.Contains(names, name) {
		return nil
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("no pass is called %q; %s is", name, near)
	}
	return fmt.Errorf("no pass is called %q; there are %s", name, strings.Join(names, ", "))
}

// PassNames returns the names of all passes in their order.
func PassNames() []string {
	var names []string
	for n := range Passes {
		names = append(names, Passes[n].Name)
	}
	return names
}

// runUpTo runs the passes up to one, in PTX order where Program would have to.
func runUpTo(ctx context.Context, p *isa.Program, kernel *isa.Function, o Options, last int) (*function, error) {
	run := func(o Options) (*function, error) {
		f := newFunction(ctx, p, kernel, 0, o)
		for n := range Passes[:last+1] {
			if err := f.runPass(&Passes[n]); err != nil {
				return nil, err
			}
		}
		return f, nil
	}
	f, err := run(o)
	if err == nil || o.NoSchedule || ctx.Err() != nil {
		return f, err
	}
	o.NoSchedule = true
	if f, again := run(o); again == nil {
		return f, nil
	}
	return nil, err
}

// listing is the function as it is now.
func (f *function) listing() string {
	var out strings.Builder
	names := f.names()
	for _, b := range f.blocks {
		fmt.Fprintf(&out, "B%d: -> %v", b.id, b.successors)
		if b.reconverge != noBlock {
			fmt.Fprintf(&out, " joins B%d", b.reconverge)
		}
		out.WriteByte('\n')
		for _, i := range b.instructions {
			fmt.Fprintf(&out, "    %s\n", names.instruction(i))
		}
		for _, op := range b.operations {
			fmt.Fprintf(&out, "    %s\n", names.operation(op))
		}
	}
	return out.String()
}

// stageNames names registers and their words.
type stageNames struct {
	f      *function
	shown  *isa.Function // whose registers have the names, those of words behind the others
	number map[isa.Register]isa.Register
}

func (f *function) names() *stageNames {
	n := &stageNames{f: f, shown: &isa.Function{Registers: slices.Clone(f.registers)}, number: map[isa.Register]isa.Register{}}
	for r := range n.shown.Registers {
		if r < len(f.colours) && f.colours[r] >= 0 {
			file := "R"
			if f.predicate(isa.Register(r)) {
				file = "P"
			}
			n.shown.Registers[r].Name += fmt.Sprintf("(%s%d)", file, f.colours[r])
		}
	}
	return n
}

// register is the number of a register, or of the word that a part names, in shown.
func (n *stageNames) register(r isa.Register) isa.Register {
	first, all := word(r)
	if all {
		return r
	}
	known, ok := n.number[r]
	if !ok {
		known = isa.Register(len(n.shown.Registers))
		suffix := fmt.Sprintf(".%d", first)
		if n.f.words(r) == 2 {
			suffix = [2]string{".lo", ".hi"}[first]
		}
		n.shown.Registers = append(n.shown.Registers, isa.VirtualRegister{Name: n.shown.Registers[whole(r)].Name + suffix})
		n.number[r] = known
	}
	return known
}

func (n *stageNames) instruction(i *isa.Instruction) string {
	c := cloneInstruction(i)
	renameInstruction(c, n.register)
	return c.Format(n.shown)
}

// operation is an operation with what it writes and reads, and what it computes.
func (n *stageNames) operation(op *operation) string {
	var out strings.Builder
	list := func(registers []isa.Register) string {
		var names []string
		for _, r := range registers {
			names = append(names, n.shown.Registers[n.register(r)].Name)
		}
		return strings.Join(names, ", ")
	}
	if op.Guard.Present {
		fmt.Fprintf(&out, "@%s%s ", map[bool]string{true: "!"}[op.Guard.Negate], list([]isa.Register{op.Guard.Register}))
	}
	out.WriteString(op.Mnemonic)
	if len(op.writes) > 0 {
		out.WriteString(" " + list(op.writes))
	}
	if op.WritesCarry {
		out.WriteString(" CC")
	}
	if len(op.reads) > 0 || op.ReadsCarry {
		out.WriteString(" : " + list(op.reads))
	}
	if op.ReadsCarry {
		out.WriteString(" CC")
	}
	for _, t := range op.targets {
		fmt.Fprintf(&out, " -> B%d", t)
	}
	if op.slow != nil {
		out.WriteString(" [slow]")
	}
	if op.Spill {
		out.WriteString(" [spill]")
	}
	if op.Effect != nil {
		fmt.Fprintf(&out, "    ; %s", n.instruction(op.Effect))
	}
	return out.String()
}
