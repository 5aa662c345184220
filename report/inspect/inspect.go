package inspect

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// Program describes a file.
type Program struct {
	Target      string     `json:"target"`
	AddressBits int        `json:"address_bits"`
	Variables   []Variable `json:"variables"`
	Functions   []Function `json:"functions"`
	Emulated    []Emulated `json:"emulated"`
	Unresolved  []Missing  `json:"unresolved"`
	Notes       []string   `json:"notes"`
}

// Function is a kernel or a device function. Memory is in bytes: shared memory per block, local memory per thread.
type Function struct {
	Name         string         `json:"name"`
	Demangled    string         `json:"demangled"`
	Kernel       bool           `json:"kernel"`
	Parameters   []Parameter    `json:"parameters"`
	Registers    map[string]int `json:"registers"` // by type, both declared and made by decoding
	SharedBytes  int            `json:"shared_bytes"`
	LocalBytes   int            `json:"local_bytes"`
	Instructions []Count        `json:"instructions"` // by form as written, the most frequent first
	Calls        []string       `json:"calls"`
	Callees      []Callee       `json:"callees"`
	Blocks       []Block        `json:"blocks"` // after inlining
	SourceMap    []Mapped       `json:"source_map"`
}

// Parameter is a parameter with its place in the parameter space, in bytes.
type Parameter struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Bytes  int    `json:"bytes"`
	Align  int    `json:"align"`
}

// Count is how often a form occurs in the text.
type Count struct {
	Form  string `json:"form"`
	Count int    `json:"count"`
}

// Block is a basic block.
type Block struct {
	ID           int      `json:"id"`
	Label        string   `json:"label,omitempty"`
	Instructions int      `json:"instructions"`
	Successors   []int    `json:"successors"`
	Reconverge   int      `json:"reconverge"` // the block of reconvergence, -1 if lanes meet only at exit
	Source       []Source `json:"source"`
	Executed     *uint64  `json:"executed_by_warps,omitempty"` // in the run that Count was given
	code         []string // the PTX lines with their numbers
}

// Source is a source line that instructions come from; without .loc it is the PTX line.
type Source struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Emulated is a form that no Kepler has, with its first PTX line and the version that introduced it.
type Emulated struct {
	Form  string `json:"form"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Since string `json:"since"`
}

// Missing is a name that is declared and used but defined in no module, with the first place that uses it.
type Missing struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"` // function or variable
	File     string   `json:"file"`
	Line     int      `json:"line"`
	NeededBy []string `json:"needed_by"` // the symbols of the functions that cannot run without it
}

// missing lists the names that the functions of a program lack.
func missing(p *isa.Program) []Missing {
	list := []Missing{}
	for _, f := range p.Functions {
		for _, u := range f.Unresolved {
			n := slices.IndexFunc(list, func(m Missing) bool { return m.Name == u.Name })
			if n < 0 {
				n = len(list)
				row := &p.Lines[u.Line]
				m := Missing{Name: u.Name, Kind: "variable", File: p.Files[row.PTXFile], Line: int(row.PTXLine)}
				if u.Function {
					m.Kind = "function"
				}
				list = append(list, m)
			}
			list[n].NeededBy = append(list[n].NeededBy, f.Name)
		}
	}
	return list
}

// New describes a decoded program, given the syntax trees that it came from.
func New(p *isa.Program, files []*ptx.File) *Program {
	out := &Program{Target: p.Target, AddressBits: 8 * p.AddressBytes, Variables: variables(p), Functions: []Function{},
		Emulated: []Emulated{}, Unresolved: missing(p), Notes: []string{}}
	for _, e := range p.Emulated {
		out.Emulated = append(out.Emulated, Emulated{e.Name, p.Files[p.Lines[e.Line].PTXFile], int(p.Lines[e.Line].PTXLine), e.Since})
	}
	for _, n := range p.Notes {
		out.Notes = append(out.Notes, n.Message)
	}
	written := map[string]*ptx.Function{}
	for _, file := range files {
		for _, s := range file.Statements {
			if f, ok := s.(*ptx.Function); ok && f.Body != nil {
				written[f.Name.Text] = f
			}
		}
	}
	texts := textsOf(files)
	for _, f := range p.Functions {
		if f.Defined {
			out.Functions = append(out.Functions, describe(p, f, written[f.Name], texts))
		}
	}
	return out
}

func describe(p *isa.Program, f *isa.Function, text *ptx.Function, texts map[string][]string) Function {
	d := Function{Name: f.Name, Demangled: p.Title(f.Name), Kernel: f.Kernel, SharedBytes: f.SharedBytes, LocalBytes: f.FrameBytes,
		Registers:  map[string]int{},
		Parameters: []Parameter{}, Instructions: []Count{}, Calls: []string{}, Callees: []Callee{}, Blocks: []Block{},
		SourceMap: []Mapped{}}
	for _, q := range f.Parameters {
		d.Parameters = append(d.Parameters, Parameter{q.Name, q.Type.String(), q.Offset, q.Bytes, q.Align})
	}
	for _, r := range f.Registers {
		d.Registers[r.Type.String()]++
	}
	if text != nil {
		d.Instructions, d.Calls = contents(text.Body)
		d.Callees = append(d.Callees, callees(p, f, d.Calls)...)
	}
	d.SourceMap = append(d.SourceMap, sourceMap(p, f)...)
	for _, b := range f.Blocks {
		block := Block{ID: int(b.ID), Label: b.Label, Instructions: len(b.Instructions), Reconverge: int(b.Reconverge), Successors: []int{},
			Source: []Source{}, code: code(p, b, texts)}
		for _, s := range b.Successors {
			block.Successors = append(block.Successors, int(s))
		}
		for _, i := range b.Instructions {
			if s, ok := source(p, i.Line); ok && !slices.Contains(block.Source, s) {
				block.Source = append(block.Source, s)
			}
		}
		d.Blocks = append(d.Blocks, block)
	}
	return d
}

// contents counts a body's instructions by form, and lists the names that it calls.
func contents(body *ptx.Block) (mix []Count, calls []string) {
	mix, calls = []Count{}, []string{}
	counts := map[string]int{}
	for s := range body.Instructions() {
		counts[s.Mnemonic.Text]++
		if s.Mnemonic.Opcode != "call" {
			continue
		}
		if n := slices.IndexFunc(s.Operands, func(o ptx.Operand) bool { return o.Kind == ptx.OperandName }); n >= 0 {
			if name := s.Operands[n].FullName(); !slices.Contains(calls, name) {
				calls = append(calls, name)
			}
		}
	}
	for form, n := range counts {
		mix = append(mix, Count{form, n})
	}
	slices.SortFunc(mix, func(a, b Count) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if a.Form < b.Form {
			return -1
		}
		return 1
	})
	return mix, calls
}
