package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower"
)

// machineJSON is a kernel's machine program as JSON.
type machineJSON struct {
	Name       string          `json:"name"`
	Symbol     string          `json:"symbol"`
	Registers  int             `json:"registers"`
	Predicates int             `json:"predicates"`
	Shared     int             `json:"shared_bytes"`
	Local      int             `json:"local_bytes"`
	Constant   int             `json:"constant_bytes"`
	SpillBytes int             `json:"spill_bytes"`
	SpillStore int             `json:"spill_stores"`
	SpillLoad  int             `json:"spill_loads"`
	Operations []operationJSON `json:"operations"`
}

// operationJSON is one machine operation. Registers are written as in the text; Banks are the banks of each register read.
type operationJSON struct {
	Index       int      `json:"index"`
	Text        string   `json:"text"`
	Mnemonic    string   `json:"mnemonic"`
	Class       string   `json:"class"`
	Function    string   `json:"function"`
	Latency     int      `json:"latency"`
	PairsWith   *int     `json:"pairs_with,omitempty"`
	Guard       string   `json:"guard,omitempty"`
	Reads       []string `json:"reads"`
	Writes      []string `json:"writes"`
	Banks       []int    `json:"banks"`
	Target      *int32   `json:"target,omitempty"`
	Targets     []int32  `json:"targets,omitempty"`
	Reconverge  *int32   `json:"reconverge,omitempty"`
	Slow        bool     `json:"slow,omitempty"`
	Spill       bool     `json:"spill,omitempty"`
	PTXLine     int      `json:"ptx_line,omitempty"`
	File        string   `json:"file,omitempty"`
	Line        int      `json:"line,omitempty"`
	InlinedInto []string `json:"inlined_at,omitempty"`
}

// writeMachines writes machine programs as JSON.
func writeMachines(w io.Writer, config string, machines []*isa.MachineProgram, latency func(isa.Class) int) error {
	result := struct {
		Config  string        `json:"config"`
		Kernels []machineJSON `json:"kernels"`
	}{config, []machineJSON{}}
	for _, m := range machines {
		k := machineJSON{
			Name: m.Program.Title(m.Kernel.Name), Symbol: m.Kernel.Name, Registers: m.Registers, Predicates: m.Predicates,
			Shared: m.SharedBytes, Local: m.LocalBytes, Constant: m.ConstBytes + m.LiteralBytes,
			SpillBytes: m.SpillBytes, SpillStore: m.SpillStores, SpillLoad: m.SpillLoads, Operations: []operationJSON{},
		}
		section := 0
		for n := range m.Ops {
			if section+1 < len(m.Stack) && n == int(m.Stack[section+1].FirstOp) {
				section++
			}
			op := machineOperation(m, n, latency)
			if section < len(m.Stack) {
				op.Function = m.Program.Functions[m.Stack[section].Function].Name
			}
			k.Operations = append(k.Operations, op)
		}
		result.Kernels = append(result.Kernels, k)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}

// machineOperation returns operation n of a machine program.
func machineOperation(m *isa.MachineProgram, n int, latency func(isa.Class) int) operationJSON {
	op := &m.Ops[n]
	out := operationJSON{Index: n, Text: lower.Text(op), Mnemonic: op.Mnemonic, Class: op.Class.String(), Latency: latency(op.Class),
		Reads: []string{}, Writes: []string{}, Banks: []int{}, Targets: op.Targets, Slow: op.Slow != nil, Spill: op.Spill}
	switch {
	case op.PairWithNext:
		next := n + 1
		out.PairsWith = &next
	case n > 0 && m.Ops[n-1].PairWithNext:
		before := n - 1
		out.PairsWith = &before
	}
	if g := op.Guard; g.Present {
		out.Guard = fmt.Sprintf("P%d", g.Register)
		if g.Negate {
			out.Guard = "!" + out.Guard
		}
	}
	for _, r := range op.Reads {
		for k := range isa.Register(r.Count) {
			out.Reads = append(out.Reads, fmt.Sprintf("R%d", r.First+k))
			out.Banks = append(out.Banks, isa.RegisterBank(r.First+k, m.RegisterBanks))
		}
	}
	for _, r := range op.Writes {
		for k := range isa.Register(r.Count) {
			out.Writes = append(out.Writes, fmt.Sprintf("R%d", r.First+k))
		}
	}
	for p := range 7 {
		if op.ReadsPred>>p&1 != 0 {
			out.Reads = append(out.Reads, fmt.Sprintf("P%d", p))
		}
		if op.WritesPred>>p&1 != 0 {
			out.Writes = append(out.Writes, fmt.Sprintf("P%d", p))
		}
	}
	if op.Control == isa.ControlBranch {
		out.Target = &op.Target
	}
	if op.Reconverge >= 0 {
		out.Reconverge = &op.Reconverge
	}
	p := m.Program
	if op.Line > 0 && int(op.Line) < len(p.Lines) {
		out.PTXLine = int(p.Lines[op.Line].PTXLine)
		out.File, out.Line = p.Place(op.Line)
		for call := range p.Calls(op.Line) {
			file, line := p.Place(call)
			out.InlinedInto = append(out.InlinedInto, fmt.Sprintf("%s:%d", file, line))
		}
	}
	return out
}
