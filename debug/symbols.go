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

// symbols are the variables of a program's source. Texts are read when a variable is first requested.
type symbols struct {
	texts map[string]*module
	sites map[*isa.MachineProgram][]*site // by operation
	// holdings tell where registers have the values of variables.
	holdings map[holdingKey]*holding
}

// module is a PTX text of a program.
type module struct {
	source    []byte
	lines     []int32 // where each line begins
	functions []functionText
	stores    []frameStore
	scopes    *debuginfo.Scopes // nil without debug information
	read      bool
}

// functionText is a function's range in the text.
type functionText struct {
	name       string
	begin, end int32
}

// frameStore is an instruction that stores to a known place in the stack frame.
type frameStore struct {
	offset, line int32 // offset in the text, and line of the source
	frame        int64 // bytes from the start of the variable that holds the whole frame
}

// frameRegisters point to that variable in clang's PTX.
var frameRegisters = []string{"%SP", "%SPL"}

// collect records the stores in a list of statements.
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

// setBehind is the offset in the text after which a frame variable has a value in its scope. This is the store in the variable's
// declaration, or for a parameter the beginning of the function's statements; 0 if no such store is known.
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
	function string             // the function whose text it is
	chain    []*debuginfo.Scope // the innermost first
}

// loaded records the texts of a program. Texts read for an earlier run are not read again.
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
			m = nil // two texts have one name: a line's text is ambiguous
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
	m.scopes, _ = debuginfo.ReadScopes(file) // without it there are no variables
}

// siteOf is an operation's place in the text, nil if unknown.
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

// find is the place of a line in the program's table. A site without a module has no known text.
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
