package debug

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/sim"
)

// symbols are the variables of a program's source. Texts are read when a variable is asked for first.
type symbols struct {
	texts map[string]*module
	sites map[*isa.MachineProgram][]*site // by operation
	// holdings are where registers have the values of variables.
	holdings map[holdingKey]*holding
}

// module is one PTX text of a program.
type module struct {
	source    []byte
	lines     []int32 // where each line begins
	functions []functionText
	stores    []frameStore
	scopes    *debuginfo.Scopes // nil without debug information
	read      bool
}

// functionText is where a function stands in the text.
type functionText struct {
	name       string
	begin, end int32
}

// frameStore is an instruction that stores to a known place of the frame.
type frameStore struct {
	offset, line int32 // in the text, and of the source
	frame        int64 // bytes from the beginning of the variable that the compiler puts all others in
}

// frameRegisters point to that variable in clang's PTX.
var frameRegisters = []string{"%SP", "%SPL"}

// collect notes the stores of a list of statements.
func (m *module) collect(list []ptx.Statement, lines *debuginfo.LineTable) {
	for _, s := range list {
		switch s := s.(type) {
		case *ptx.Block:
			m.collect(s.Statements, lines)
		case *ptx.Instruction:
			if !strings.HasPrefix(s.Mnemonic.Text, "st.") || len(s.Operands) == 0 || s.Operands[0].Kind != ptx.OperandAddress {
				continue
			}
			at, err := s.Operands[0].Value.Address()
			place := lines.Of(s)
			if err == nil && place != nil && slices.Contains(frameRegisters, at.Symbol) {
				m.stores = append(m.stores, frameStore{s.Pos.Offset, int32(place.Line), int64(at.Addend.Bits)})
			}
		}
	}
}

// setBehind is the offset in the text behind which a variable of the frame has a value in its scope: that of the store by which its
// declaration sets it, or where the function's own statements begin for a parameter; 0 where no such store is known.
func (m *module) setBehind(v *debuginfo.Local, within *debuginfo.Scope, frame int64) int32 {
	if v.Parameter && !within.Inlined {
		return within.Body - 1
	}
	last := int32(0)
	for _, st := range m.stores {
		if int(st.line) == v.Line && st.frame >= frame && st.frame < frame+v.Type.Bytes && within.Contains(st.offset) {
			last = max(last, st.offset)
			if v.Type.Scalar() {
				break
			}
		}
	}
	return last
}

// site is an operation's place in the text.
type site struct {
	module   *module
	offset   int32
	function string             // whose text it is
	chain    []*debuginfo.Scope // the innermost first
}

// loaded notes the texts of a program. Those that were read before for another run are not read again.
func (s *Session) loaded(program *isa.Program, sources []sim.Source) {
	all := &symbols{texts: map[string]*module{}, sites: map[*isa.MachineProgram][]*site{},
		holdings: map[holdingKey]*holding{}}
	for _, source := range sources {
		var m *module
		for _, known := range s.modules {
			if bytes.Equal(known.source, source.Text) {
				m = known
			}
		}
		if m == nil {
			m = &module{source: source.Text}
			s.modules = append(s.modules, m)
		}
		if all.texts[source.Name] != nil {
			m = nil // two of one name: which one a line is of is not known
		}
		all.texts[source.Name] = m
	}
	s.programs[program] = all
}

// open reads the text.
func (m *module) open() {
	if m.read {
		return
	}
	m.read = true
	file, err := ptx.Parse("", string(m.source))
	if err != nil {
		return
	}
	m.lines = []int32{0}
	for i, c := range m.source {
		if c == '\n' {
			m.lines = append(m.lines, int32(i+1))
		}
	}
	lines := debuginfo.Lines(file)
	for _, s := range file.Statements {
		if f, ok := s.(*ptx.Function); ok && f.Body != nil {
			m.functions = append(m.functions, functionText{f.Name.Text, f.Body.Pos.Offset, f.Body.End.Offset})
			m.collect(f.Body.Statements, lines)
		}
	}
	m.scopes, _ = debuginfo.ReadScopes(file) // without it there are no variables, and that is all
}

// siteOf is an operation's place, nil where it is not known.
func (s *Session) siteOf(machine *isa.MachineProgram, op int32) *site {
	all := s.programs[machine.Program]
	if all == nil || op < 0 || int(op) >= len(machine.Ops) {
		return nil
	}
	list := all.sites[machine]
	if list == nil {
		list = make([]*site, len(machine.Ops))
		all.sites[machine] = list
	}
	if list[op] == nil {
		list[op] = all.find(machine.Program, machine.Ops[op].Line)
	}
	return list[op]
}

// find is the place of a line of the program's table. One without a module is of no known text.
func (a *symbols) find(p *isa.Program, line isa.LineIndex) *site {
	at := &site{}
	if line <= 0 || int(line) >= len(p.Lines) {
		return at
	}
	row := &p.Lines[line]
	if row.PTXFile < 0 || int(row.PTXFile) >= len(p.Files) {
		return at
	}
	m := a.texts[p.Files[row.PTXFile]]
	if m == nil {
		return at
	}
	if m.open(); row.PTXLine < 1 || int(row.PTXLine) > len(m.lines) {
		return at
	}
	at.module, at.offset = m, m.lines[row.PTXLine-1]+max(row.PTXColumn-1, 0)
	n := sort.Search(len(m.functions), func(n int) bool { return m.functions[n].end > at.offset })
	if n < len(m.functions) && m.functions[n].begin <= at.offset {
		at.function = m.functions[n].name
	}
	if m.scopes != nil {
		at.chain = m.scopes.At(at.offset)
	}
	return at
}
