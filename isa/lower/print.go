package lower

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// Print writes the machine program as a table. Its columns: index, dual-issue mark, operation with its registers, class, latency in core
// cycles, banks of the sources, PTX line, and source line with the inlined calls around it.
func Print(mp *isa.MachineProgram, latency func(isa.Class) int, to io.Writer) error {
	if latency == nil {
		latency = target.Options{}.WithDefaults().Latency
	}
	w := bufio.NewWriterSize(to, printedAtOnce) // tabwriter writes each cell and its padding separately
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
	var row []byte
	for n := range mp.Ops {
		op := &mp.Ops[n]
		if section+1 < len(mp.Stack) && n == int(mp.Stack[section+1].FirstOp) {
			section++
			fmt.Fprintf(table, "\t\t%s:\t\t\t\t\t\n", functionName(mp.Program, mp.Program.Functions[mp.Stack[section].Function].Name))
		}
		row = append(strconv.AppendInt(row[:0], int64(n), 10), '\t')
		switch {
		case op.PairWithNext:
			row = append(row, '{')
		case n > 0 && mp.Ops[n-1].PairWithNext:
			row = append(row, '}')
		}
		row = append(appendText(append(row, '\t'), op), '\t')
		row = append(append(row, op.Class.String()...), '\t')
		row = append(strconv.AppendInt(row, int64(latency(op.Class)), 10), '\t')
		row = append(appendBanks(row, op, mp.RegisterBanks), '\t')
		if op.Line > 0 && int(op.Line) < len(mp.Program.Lines) {
			row = strconv.AppendInt(row, int64(mp.Program.Lines[op.Line].PTXLine), 10)
		}
		row = append(append(append(row, '\t'), sourceLine(mp, op)...), '\n')
		if _, err := table.Write(row); err != nil {
			return err
		}
	}
	return errors.Join(table.Flush(), w.Flush())
}

// printedAtOnce is the size of the write buffer in bytes.
const printedAtOnce = 1 << 16

// counted returns a number with its noun, singular or plural.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Text is one operation as a disassembler would print it.
func Text(op *isa.MachineOp) string { return string(appendText(nil, op)) }

// appendText appends an operation as a disassembler would print it.
func appendText(to []byte, op *isa.MachineOp) []byte {
	if op.Guard.Present {
		to = append(to, '@')
		if op.Guard.Negate {
			to = append(to, '!')
		}
		to = append(appendNumbered(to, 'P', int(op.Guard.Register)), ' ')
	}
	to = append(to, op.Mnemonic...)
	to = appendWritten(to, op)
	to = appendRead(to, op)
	if op.Control == isa.ControlBranch {
		to = strconv.AppendInt(append(to, " -> "...), int64(op.Target), 10)
	}
	if op.Reconverge >= 0 {
		to = append(strconv.AppendInt(append(to, " (meet "...), int64(op.Reconverge), 10), ')')
	}
	if op.Slow != nil {
		to = append(to, " [slow]"...)
	}
	if op.Spill {
		to = append(to, " [spill]"...)
	}
	return to
}

// operands appends a list of operands, with separators.
type operands struct {
	to     []byte
	before string
}

// next appends the separator before the next operand.
func (o *operands) next() {
	o.to = append(o.to, o.before...)
	o.before = ", "
}

// predicates appends the predicates in a mask.
func (o *operands) predicates(mask uint8) {
	for p := range 7 {
		if mask>>p&1 != 0 {
			o.next()
			o.to = appendNumbered(o.to, 'P', p)
		}
	}
}

// registers appends ranges of registers.
func (o *operands) registers(ranges []isa.RegisterRange) {
	for _, r := range ranges {
		o.next()
		o.to = appendNumbered(o.to, 'R', int(r.First))
		if r.Count > 1 {
			o.to = strconv.AppendInt(append(o.to, ':'), int64(r.First)+int64(r.Count)-1, 10)
		}
	}
}

// text appends an operand as it is.
func (o *operands) text(s string) {
	o.next()
	o.to = append(o.to, s...)
}

// hexadecimal appends a text and a number in hexadecimal.
func (o *operands) hexadecimal(before string, n uint64) {
	o.text(before)
	o.to = strconv.AppendUint(o.to, n, 16)
}

// appendWritten appends what an operation writes.
func appendWritten(to []byte, op *isa.MachineOp) []byte {
	o := operands{to, " "}
	o.predicates(op.WritesPred)
	o.registers(op.Writes)
	if op.WritesCarry {
		o.text("CC")
	}
	return o.to
}

// appendRead appends what an operation reads, without its guard.
func appendRead(to []byte, op *isa.MachineOp) []byte {
	o := operands{to, " : "}
	o.registers(op.Reads)
	guard := uint8(0)
	if op.Guard.Present {
		guard = 1 << op.Guard.Register
	}
	o.predicates(op.ReadsPred &^ guard)
	if op.ReadsConstant {
		o.hexadecimal("c[0x", uint64(op.ConstantAddress>>16))
		o.to = append(strconv.AppendUint(append(o.to, "][0x"...), uint64(op.ConstantAddress&0xffff), 16), ']')
	}
	if i := op.Effect; i != nil {
		for n := range i.Src {
			switch s := &i.Src[n]; s.Kind {
			case isa.OperandImmediate:
				o.hexadecimal("0x", s.Immediate)
			case isa.OperandSpecial:
				o.text(s.Special.String())
			}
		}
		if m := i.Memory; m != nil && m.Offset != 0 {
			o.text("+0x")
			o.to = strconv.AppendInt(o.to, m.Offset, 16)
		}
	}
	if op.ReadsCarry {
		o.text("CC")
	}
	return o.to
}

// appendNumbered appends a register's name: the letter of its file and its number.
func appendNumbered(to []byte, file byte, n int) []byte {
	return strconv.AppendInt(append(to, file), int64(n), 10)
}

// appendBanks appends the banks of the registers read.
func appendBanks(to []byte, op *isa.MachineOp, banks int) []byte {
	for _, r := range op.Reads {
		for k := range isa.Register(r.Count) {
			to = strconv.AppendInt(to, int64(isa.RegisterBank(r.First+k, banks)), 10)
		}
	}
	return to
}

// sourceLine returns the source line from .loc and, for inlined code, the function and its callers.
func sourceLine(mp *isa.MachineProgram, op *isa.MachineOp) string {
	if int(op.Line) >= len(mp.Program.Lines) || op.Line == 0 {
		return ""
	}
	p := mp.Program
	row := &p.Lines[op.Line]
	if row.InlinedAt == 0 && (row.File < 0 || row.Line == 0) {
		return "" // the PTX line is all there is
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
