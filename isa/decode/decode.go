package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/arch"
	_ "github.com/keplersim/keplersim/arch/all" // whose capabilities options name
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/isa/ptx"
)

// Options are the options of decoding.
type Options struct {
	// StrictTarget refuses instruction forms that no Kepler has; otherwise they are emulated.
	StrictTarget bool
	// ComputeCapability is the chip's. Forms of later chips are refused. 0 is the newest of the latest generation.
	ComputeCapability arch.Capability
	// NoContraction treats additions and multiplications without a rounding modifier as if they had .rn, like ptxas --fmad=false.
	NoContraction bool
	// NoInlining keeps calls, for debuggers.
	NoInlining bool
	// ConstantGaps leaves gaps between .const variables, as far as memory suffices, so that a read past one does not reach the next.
	ConstantGaps bool
}

// Program decodes and links modules. The error is a ptx.ErrorList.
func Program(files []*ptx.File, o Options) (*isa.Program, error) {
	l := &linker{options: o, program: &isa.Program{Lines: make([]isa.SourceLine, 1)}, templates: map[*ptx.Mnemonic]*template{},
		global: map[string]reference{}, fileNumbers: map[string]int32{}, emulated: map[string]bool{},
		pointsTo: map[int32][]isa.Unresolved{}}
	if o.ComputeCapability == 0 {
		l.options.ComputeCapability = arch.Latest().Newest()
	}
	for _, f := range files {
		l.modules = append(l.modules, newModule(l, f))
	}
	l.program.AddressBytes = l.addressBytes()
	for _, m := range l.modules {
		m.declare()
	}
	l.linkExterns()
	for _, m := range l.modules {
		m.initialise()
	}
	for _, m := range l.modules {
		m.decodeBodies()
	}
	if err := l.errors.Err(); err != nil {
		return nil, err
	}
	l.finish()
	if err := l.errors.Err(); err != nil {
		return nil, err
	}
	if o.NoContraction {
		preventContraction(l.program)
	}
	return l.program, nil
}

// preventContraction keeps multiplications from being fused into additions.
func preventContraction(p *isa.Program) {
	for _, f := range p.Functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instructions {
				i.Mod.Contract = false
			}
		}
	}
}

// linker is the state that the modules of one program share.
type linker struct {
	options     Options
	program     *isa.Program
	modules     []*module
	errors      ptx.ErrorList
	templates   map[*ptx.Mnemonic]*template
	global      map[string]reference // symbols and functions that are visible to other modules
	bodies      []*body              // by index into Program.Functions; nil without a body
	fileNumbers map[string]int32
	emulated    map[string]bool
	// pointsTo are, by variable, the undefined symbols whose addresses are in its initial value.
	pointsTo map[int32][]isa.Unresolved
}

// errorf records an error; after ptx.MaximumErrors it records no more.
func (m *module) errorf(pos ptx.Position, format string, arguments ...any) {
	if len(m.errors) < ptx.MaximumErrors {
		m.linker.errors = append(m.linker.errors, m.file.Diagnostic(pos, format, arguments...))
	}
}

// note records a warning.
func (m *module) note(pos ptx.Position, format string, arguments ...any) {
	m.program.Notes = append(m.program.Notes, isa.Note{Line: m.line(pos), Message: fmt.Sprintf(format, arguments...)})
}

// module is one file being decoded.
type module struct {
	*linker
	file     *ptx.File
	fileID   int32
	lines    *debuginfo.LineTable
	sites    map[*debuginfo.Place]isa.LineIndex
	names    *scope
	target   int  // architecture number; 0 without .target
	version  int  // 10*major + minor
	wide     int  // .address_size in bytes; 0 without it
	noUnroll bool // .pragma "nounroll" of the module
	pending  []pendingBody
	starts   []pendingSymbol
	// outside are registers and local variables that the module declares outside functions, as PTX before 3.0 allows. Each function has its
	// own copies.
	outside []*ptx.Variable
	mapF64  bool
	// independent: .target texmode_independent, which names textures and samplers separately.
	independent bool
}

func newModule(l *linker, f *ptx.File) *module {
	m := &module{linker: l, file: f, lines: debuginfo.Lines(f), sites: map[*debuginfo.Place]isa.LineIndex{}, names: newScope(nil)}
	m.fileID = l.fileNumber(f.Name)
	for _, s := range f.Statements {
		switch s := s.(type) {
		case *ptx.Version:
			m.version = 10*s.Major + s.Minor
		case *ptx.Target:
			m.readTarget(s)
		case *ptx.Pragma:
			m.noUnroll = m.noUnroll || slices.Contains(s.Strings, noUnrollPragma)
		case *ptx.AddressSize:
			m.wide = s.Bits / 8
		}
	}
	return m
}

// fileNumber returns the index of a file name in Program.Files.
func (l *linker) fileNumber(name string) int32 {
	if n, ok := l.fileNumbers[name]; ok {
		return n
	}
	n := int32(len(l.program.Files))
	l.program.Files = append(l.program.Files, name)
	l.fileNumbers[name] = n
	return n
}

// readTarget records the architecture, and warns once about one that is newer than any generation here.
func (m *module) readTarget(s *ptx.Target) {
	for _, option := range s.Options {
		m.mapF64 = m.mapF64 || option.Text == "map_f64_to_f32"
		m.independent = m.independent || option.Text == "texmode_independent"
		digits, ok := strings.CutPrefix(option.Text, "sm_")
		if !ok {
			if digits, ok = strings.CutPrefix(option.Text, "compute_"); !ok {
				continue
			}
		}
		number, err := strconv.Atoi(strings.TrimRight(digits, "abcdefghijklmnopqrstuvwxyz"))
		if err != nil {
			m.errorf(option.Pos, "`%s` is not an architecture; write for instance `.target sm_35`", option.Text)
			continue
		}
		if number > m.target {
			m.target = number
		}
		if number > targetNumber(m.program.Target) {
			m.program.Target = option.Text
		}
		if latest := arch.Latest(); number > int(latest.Newest()) && !m.warnedTarget() {
			m.note(option.Pos,
				"%s is newer than %s: instructions that need later hardware are refused, those that do not are emulated",
				option.Text, latest)
		}
	}
}

func (m *module) warnedTarget() bool {
	for _, n := range m.program.Notes {
		if strings.Contains(n.Message, "is newer than "+arch.Latest().Name) {
			return true
		}
	}
	return false
}

func targetNumber(name string) int {
	_, digits, _ := strings.Cut(name, "_")
	n, _ := strconv.Atoi(strings.TrimRight(digits, "abcdefghijklmnopqrstuvwxyz"))
	return n
}

// addressBytes returns the size of an address: from .address_size, else 8 if a kernel has a 64-bit integer parameter or a 64-bit address
// register, else 4.
func (l *linker) addressBytes() int {
	size, from := 0, (*module)(nil)
	for _, m := range l.modules {
		own := m.wide
		if own == 0 {
			own = inferAddressBytes(m.file)
		}
		if own == 0 {
			continue
		}
		if size != 0 && own != size && m.wide != 0 && from.wide != 0 {
			m.errorf(m.file.Statements[0].Start(),
				"this module has %d-bit addresses and %s has %d-bit ones: modules with different address "+
					"sizes cannot be linked", 8*own, from.file.Name, 8*size)
		}
		if size == 0 || m.wide != 0 {
			size, from = own, m
		}
	}
	if size == 0 {
		return 4
	}
	return size
}

// inferAddressBytes infers a module's address size from its declarations, 0 if it has no code.
func inferAddressBytes(f *ptx.File) int {
	size := 0
	for _, s := range f.Statements {
		fn, ok := s.(*ptx.Function)
		if !ok {
			continue
		}
		size = max(size, 4)
		for _, p := range fn.Parameters {
			if p.Type == "u64" {
				return 8
			}
		}
		if fn.Body != nil && wideAddresses(fn.Body, map[string]bool{}) {
			return 8
		}
	}
	return size
}

// wideAddresses reports a block that uses a 64-bit register as an address; wide has prefixes and names of such registers.
func wideAddresses(b *ptx.Block, wide map[string]bool) bool {
	for _, s := range b.Statements {
		switch s := s.(type) {
		case *ptx.Variable:
			if s.Space == ptx.SpaceRegister && strings.HasSuffix(s.Type, "64") && s.Type != "f64" {
				for _, d := range s.Declarators {
					wide[d.Name.Text] = true
				}
			}
		case *ptx.Block:
			if wideAddresses(s, wide) {
				return true
			}
		case *ptx.Instruction:
			for i := range s.Operands {
				if o := &s.Operands[i]; o.Kind == ptx.OperandAddress && o.Value != nil {
					name := baseName(o.Value)
					if wide[name] || name != "" && wide[strings.TrimRight(name, "0123456789")] {
						return true
					}
				}
			}
		}
	}
	return false
}

// baseName returns the leftmost name of an address expression.
func baseName(e *ptx.Expression) string {
	for e.Kind == ptx.ExpressionBinary {
		e = e.X
	}
	if e.Kind == ptx.ExpressionName {
		return e.Text
	}
	return ""
}

// line adds a row to the line table for a place in the module.
func (m *module) line(pos ptx.Position) isa.LineIndex {
	row := isa.SourceLine{PTXFile: m.fileID, PTXLine: pos.Line, PTXColumn: pos.Column, File: -1}
	if place := m.lines.At(pos.Offset); place != nil && place.Line > 0 {
		m.fill(&row, place)
	}
	m.program.Lines = append(m.program.Lines, row)
	return isa.LineIndex(len(m.program.Lines) - 1)
}

func (m *module) fill(row *isa.SourceLine, place *debuginfo.Place) {
	if place.Path != "" {
		row.File = m.fileNumber(place.Path)
	}
	row.Line, row.Column, row.Function = int32(place.Line), int32(place.Column), place.Function
	if place.InlinedAt != nil {
		row.InlinedAt = m.site(place.InlinedAt, row)
	}
}

// site returns the row for the call site of inlined code.
func (m *module) site(place *debuginfo.Place, at *isa.SourceLine) isa.LineIndex {
	if have, ok := m.sites[place]; ok {
		return have
	}
	row := isa.SourceLine{PTXFile: at.PTXFile, PTXLine: at.PTXLine, PTXColumn: at.PTXColumn, File: -1}
	m.fill(&row, place)
	m.program.Lines = append(m.program.Lines, row)
	index := isa.LineIndex(len(m.program.Lines) - 1)
	m.sites[place] = index
	return index
}
