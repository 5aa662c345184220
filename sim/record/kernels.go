package record

import (
	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// kernels collects the programs of a recording.
type kernels struct {
	config *configs.Config
	header *recording.Header
	known  map[*isa.MachineProgram]int
}

// index returns the index of a program in the header, and adds a new program.
func (k *kernels) index(m *isa.MachineProgram) int {
	if i, ok := k.known[m]; ok {
		return i
	}
	if k.known == nil {
		k.known = map[*isa.MachineProgram]int{}
	}
	i := len(k.header.Kernels)
	k.known[m] = i
	kernel := recording.Kernel{Symbol: m.Kernel.Name, Name: m.Program.Title(m.Kernel.Name), Registers: m.Registers,
		Shared: m.SharedBytes}
	section := 0
	for n := range m.Ops {
		if section+1 < len(m.Stack) && int32(n) >= m.Stack[section+1].FirstOp {
			section++
		}
		holder := m.Kernel.Name
		if section < len(m.Stack) {
			holder = m.Program.Functions[m.Stack[section].Function].Name
		}
		kernel.Ops = append(kernel.Ops, k.operation(m, n, holder))
	}
	k.header.Kernels = append(k.header.Kernels, kernel)
	return i
}

// operation describes an operation of a program in the code of function holder.
func (k *kernels) operation(m *isa.MachineProgram, n int, holder string) recording.Operation {
	op := &m.Ops[n]
	class := &k.config.Pipelines.Operations[op.Class]
	o := recording.Operation{
		Function: m.Program.Title(holder),
		Text:     lower.Text(op), Mnemonic: op.Mnemonic, Class: op.Class.String(), Unit: class.Unit.String(),
		Latency: class.Latency, Pair: op.PairWithNext,
		Conflict: smx.BankConflict(op, k.config), Reads: registers(op.Reads), Writes: registers(op.Writes),
		Predicates: op.WritesPred != 0 || op.WritesCarry,
	}
	banks := code.Options(k.config, 0)
	for _, r := range o.Reads {
		o.Banks = append(o.Banks, banks.Bank(isa.Register(r)))
	}
	p := m.Program
	if int(op.Line) >= len(p.Lines) || op.Line == 0 {
		return o
	}
	row := &p.Lines[op.Line]
	if row.PTXFile >= 0 && int(row.PTXFile) < len(p.Files) {
		o.PTXFile, o.PTXLine = p.Files[row.PTXFile], int(row.PTXLine)
	}
	o.File, o.Line = p.Place(op.Line)
	o.Function = p.Title(p.Owner(op.Line, holder))
	for call := range p.Calls(op.Line) {
		file, line := p.Place(call)
		o.Calls = append(o.Calls, stats.Place{File: file, Line: line})
	}
	return o
}

func registers(ranges []isa.RegisterRange) (list []int) {
	for _, r := range ranges {
		for n := range isa.Register(r.Count) {
			list = append(list, int(r.First+n))
		}
	}
	return list
}
