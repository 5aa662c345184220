package lower

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// Print writes the machine program as a table: index, dual-issue mark, operation with its registers, class, latency in
// core cycles, banks of the sources, the PTX line, and the source line with the calls that inlining replaced.
func Print(mp *isa.MachineProgram, latency func(isa.Class) int, to io.Writer) error {
	if latency == nil {
		latency = target.KeplerLatency
	}
	w := bufio.NewWriterSize(to, printedAtOnce) // tabwriter writes each cell and its blanks on their own
	fmt.Fprintf(w, "%s: %s, %s, %s, %d bytes shared, %d bytes local, %d bytes constant", functionName(mp.Program, mp.Kernel.Name),
		counted(len(mp.Ops), "operation"), counted(mp.Registers, "register"),
		counted(mp.Predicates, "predicate"), mp.SharedBytes, mp.LocalBytes, mp.ConstBytes+mp.LiteralBytes)
	if mp.SpillBytes > 0 {
		fmt.Fprintf(w, ", spills %d bytes in %d stores and %d loads", mp.SpillBytes, mp.SpillStores, mp.SpillLoads)
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OP\tPAIR\tOPERATION\tCLASS\tLATENCY\tBANKS\tPTX\tSOURCE")
	section := 0
	for n := range mp.Ops {
		op := &mp.Ops[n]
		if section+1 < len(mp.Stack) && n == int(mp.Stack[section+1].FirstOp) {
			section++
			fmt.Fprintf(table, "\t\t%s:\t\t\t\t\t\n", functionName(mp.Program, mp.Program.Functions[mp.Stack[section].Function].Name))
		}
		pair := ""
		switch {
		case op.PairWithNext:
			pair = "{"
		case n > 0 && mp.Ops[n-1].PairWithNext:
			pair = "}"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", n, pair, Text(op), op.Class, latency(op.Class), banks(op), ptxLine(mp, op),
			sourceLine(mp, op))
	}
	return errors.Join(table.Flush(), w.Flush())
}

// printedAtOnce is how many bytes of a table are written together.
const printedAtOnce = 1 << 16

// counted returns a number with the noun in its form.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Text is one operation as a disassembler would print it.
func Text(op *isa.MachineOp) string {
	var b strings.Builder
	if op.Guard.Present {
		b.WriteByte('@')
		if op.Guard.Negate {
			b.WriteByte('!')
		}
		fmt.Fprintf(&b, "P%d ", op.Guard.Register)
	}
	b.WriteString(op.Mnemonic)
	var operands []string
	for p := range 7 {
		if op.WritesPred>>p&1 != 0 {
			operands = append(operands, fmt.Sprintf("P%d", p))
		}
	}
	for _, r := range op.Writes {
		operands = append(operands, rangeText(r))
	}
	if op.WritesCarry {
		operands = append(operands, "CC")
	}
	if len(operands) > 0 {
		b.WriteString(" " + strings.Join(operands, ", "))
	}
	operands = operands[:0]
	for _, r := range op.Reads {
		operands = append(operands, rangeText(r))
	}
	guard := uint8(0)
	if op.Guard.Present {
		guard = 1 << op.Guard.Register
	}
	for p := range 7 {
		if (op.ReadsPred&^guard)>>p&1 != 0 {
			operands = append(operands, fmt.Sprintf("P%d", p))
		}
	}
	if op.ReadsConstant {
		operands = append(operands, fmt.Sprintf("c[0x%x][0x%x]", op.ConstantAddress>>16, op.ConstantAddress&0xffff))
	}
	if i := op.Effect; i != nil {
		for _, s := range i.Src {
			switch s.Kind {
			case isa.OperandImmediate:
				operands = append(operands, fmt.Sprintf("0x%x", s.Immediate))
			case isa.OperandSpecial:
				operands = append(operands, s.Special.String())
			}
		}
		if m := i.Memory; m != nil && m.Offset != 0 {
			operands = append(operands, fmt.Sprintf("+0x%x", m.Offset))
		}
	}
	if op.ReadsCarry {
		operands = append(operands, "CC")
	}
	if len(operands) > 0 {
		b.WriteString(" : " + strings.Join(operands, ", "))
	}
	if op.Control == isa.ControlBranch {
		fmt.Fprintf(&b, " -> %d", op.Target)
	}
	if op.Reconverge >= 0 {
		fmt.Fprintf(&b, " (meet %d)", op.Reconverge)
	}
	if op.Slow != nil {
		b.WriteString(" [slow]")
	}
	if op.Spill {
		b.WriteString(" [spill]")
	}
	return b.String()
}

func rangeText(r isa.RegisterRange) string {
	if r.Count > 1 {
		return fmt.Sprintf("R%d:%d", r.First, r.First+isa.Register(r.Count)-1)
	}
	return fmt.Sprintf("R%d", r.First)
}

// banks returns the banks of the registers read.
func banks(op *isa.MachineOp) string {
	var b strings.Builder
	for _, r := range op.Reads {
		for k := range isa.Register(r.Count) {
			fmt.Fprintf(&b, "%d", target.Bank(r.First+k))
		}
	}
	return b.String()
}

func ptxLine(mp *isa.MachineProgram, op *isa.MachineOp) string {
	if int(op.Line) >= len(mp.Program.Lines) || op.Line == 0 {
		return ""
	}
	return fmt.Sprint(mp.Program.Lines[op.Line].PTXLine)
}

// sourceLine returns the line that .loc gives, and where calls were inlined the function and its callers.
func sourceLine(mp *isa.MachineProgram, op *isa.MachineOp) string {
	if int(op.Line) >= len(mp.Program.Lines) || op.Line == 0 {
		return ""
	}
	p := mp.Program
	row := &p.Lines[op.Line]
	if row.InlinedAt == 0 && (row.File < 0 || row.Line == 0) {
		return "" // the PTX line says it
	}
	file, number := p.Place(op.Line)
	text := fmt.Sprintf("%s:%d", file, number)
	if row.InlinedAt != 0 {
		text += " " + p.Title(row.Function)
	}
	for call := range p.Calls(op.Line) {
		file, number = p.Place(call)
		text += fmt.Sprintf(", inlined at %s:%d", file, number)
	}
	return text
}

// functionName returns a function's name for people, and its symbol where that differs.
func functionName(p *isa.Program, symbol string) string {
	if title := p.Title(symbol); title != symbol {
		return fmt.Sprintf("%s (%s)", title, symbol)
	}
	return symbol
}
