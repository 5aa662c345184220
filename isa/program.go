package isa

import (
	"errors"
	"fmt"
	"iter"
)

// Program is one or more linked PTX modules, decoded.
type Program struct {
	Target        string // the highest .target of the modules, as written: sm_35
	AddressBytes  int    // 4 or 8
	Functions     []*Function
	Symbols       []*Symbol
	Lines         []SourceLine // index 0 is the unknown line
	Files         []string     // names that SourceLine.File and SourceLine.PTXFile index
	Notes         []Note       // warnings from loading: newer target, ignored pragma …
	Emulated      []EmulatedUse
	Titles        map[string]string // names for people, with parameter types, by symbol; see Title
	Listing       string            // of machine code: the text whose lines SourceLine.PTXLine counts
	functionNames map[string]*Function
}

// Note is a warning about the program, with its line.
type Note struct {
	Line    LineIndex
	Message string
}

// EmulatedUse is an instruction form in the program that no Kepler has, executed with its documented meaning.
type EmulatedUse struct {
	Name  string
	Line  LineIndex
	Since string // where it was introduced, as in sm_70, PTX 6.0; "" if unknown
}

// SourceLine is where an instruction came from: always a PTX line, and a source line if a .loc gives it.
type SourceLine struct {
	PTXFile   int32 // index into Program.Files
	PTXLine   int32
	PTXColumn int32
	File      int32 // index into Program.Files; -1 when no .loc applies
	Line      int32
	Column    int32
	Function  string    // function_name of an inlined .loc
	InlinedAt LineIndex // the call site of an inlined line; 0 none
}

// Function is a kernel (.entry) or a device function (.func).
type Function struct {
	Name       string
	Kernel     bool
	Defined    bool // it has a body
	Weak       bool
	Visible    bool
	NoReturn   bool
	HasBarrier bool        // a device function that has a barrier of the block, or directly calls a function that has
	Parameters []Parameter // kernels: laid out in constant bank 0 from ParameterBase on
	Returns    []Parameter
	Registers  []VirtualRegister
	Variables  []Variable // the frame: local arrays, call parameters
	FrameBytes int        // local memory a thread for this frame
	// Shared memory of a kernel, with the symbols of the functions that it calls. SharedBytes is static. Dynamic shared memory begins at
	// DynamicShared: SharedBytes, rounded up to the alignment of the .extern symbols. Addresses of shared symbols are immediates in the
	// code.
	SharedBytes   int
	DynamicShared int
	// DynamicAlign is the largest alignment of the dynamic shared arrays that the kernel names, 0 if it names none.
	DynamicAlign int
	Blocks       []*Block // in PTX order; block 0 is the entry
	Limits       Limits
	Line         LineIndex
	// Machine is the machine program of a kernel that came as machine code, for Program.Target; it is not lowered.
	Machine *MachineProgram
	// Unresolved are the undefined names that the function, or one that it calls, needs. A function with any cannot run.
	Unresolved []Unresolved
}

// Unresolved is a name that is declared and that no module defines.
type Unresolved struct {
	Name     string
	Function bool      // of a function; else of a variable
	Line     LineIndex // the first place that needs it
	Err      error     // the message about that place
}

// Resolved returns nil for a function that can run. Otherwise its error lists the missing names and the lines that need them.
func (f *Function) Resolved() error {
	var list []error
	for i := range f.Unresolved {
		list = append(list, f.Unresolved[i].Err)
	}
	return errors.Join(list...)
}

// Limits are the performance directives of a kernel; 0 is "not given".
type Limits struct {
	MaxRegisters    int    // .maxnreg
	MaxThreads      [3]int // .maxntid
	RequiredThreads [3]int // .reqntid
	MinBlocksPerSMX int    // .minnctapersm
}

// MostThreads returns how many threads a block may have by .maxntid, 0 without it.
func (l *Limits) MostThreads() int {
	if l.MaxThreads == [3]int{} {
		return 0
	}
	return max(l.MaxThreads[0], 1) * max(l.MaxThreads[1], 1) * max(l.MaxThreads[2], 1)
}

// LaunchPrefix begins the name of a system call that launches a kernel; the kernel's name follows.
const LaunchPrefix = "launch of "

// Parameter is one kernel or function parameter.
type Parameter struct {
	Name    string
	Type    Type
	Count   int // elements; 1 for a scalar, bytes for a .b8 array
	Align   int // bytes
	Offset  int // bytes from the start of the parameter space
	Bytes   int
	Pointer bool  // .ptr, or a 64-bit integer parameter that is used as an address
	Pointee Type  // type of the elements that accesses through a pointer have, TypeNone if they do not show one
	Stored  bool  // a pointer: something stores (or performs atomics) through it
	Space   Space // .ptr .global and others
	InReg   bool  // a .reg parameter
	// Vector: each component of a .reg .v2 or .v4 parameter is a parameter, v.x first. Vector counts them down: the first of four has 4,
	// the last has 1. 0 is not a component.
	Vector   int
	Register Register
	// Members are the pieces of a struct parameter that the kernel reads at constant offsets, by offset.
	Members []Member
}

// Member is a piece of a struct that is passed by value.
type Member struct {
	Offset  int  // bytes from the struct's start
	Type    Type // as it is read
	Pointer bool // it is used as an address
	Pointee Type // as Parameter.Pointee
	Stored  bool // as Parameter.Stored
}

// VirtualRegister is one PTX register after scopes are resolved.
type VirtualRegister struct {
	Name string
	Type Type
}

// Variable is memory in a function's frame: .local variables and the .param variables of call sequences.
type Variable struct {
	Name   string
	Space  Space // SpaceLocal or SpaceParam
	Bytes  int
	Align  int
	Offset int // bytes from the frame's start
}

// Symbol is a module-scope (or function-scope static) variable with an address.
type Symbol struct {
	Name        string
	Space       Space
	Type        Type
	Bytes       int // 0 for an unsized extern
	Align       int
	Owner       int32 // index of the function that declares it, -1 at module scope
	Extern      bool
	Weak        bool
	Common      bool
	Visible     bool
	Dynamic     bool         // .extern .shared []: dynamic shared memory
	Initial     []byte       // the first bytes; the rest are zero
	Relocations []Relocation // addresses inside Initial
	// Address is the offset in shared or constant space, or the handle of a texture, sampler or surface. The loader fills it for global
	// space.
	Address uint64
	// Attributes are the initial attributes of a texture, sampler or surface, as written: filter_mode = linear.
	Attributes map[string]string
	Line       LineIndex
}

// Relocation places the address of a symbol or function in initialised data.
type Relocation struct {
	Offset   int // bytes into Initial
	Bytes    int // 1, 2, 4 or 8 written
	Symbol   int32
	Function int32 // -1 unless it is a function's address
	Addend   int64
	Generic  bool   // generic(x): the generic address
	Mask     uint64 // mask(…): which bits; 0 is all
	Shift    uint8
}

// Block is a basic block: straight-line instructions with a terminator last.
type Block struct {
	ID           BlockID
	Label        string // "" for a block that no label names
	NoUnroll     bool   // .pragma "nounroll" forbids unrolling the loop that begins here
	Instructions []*Instruction
	Successors   []BlockID // branch target first, fall-through last
	Predecessors []BlockID
	// Reconverge is the block where lanes that part here reconverge (see Function.findReconvergence); -1 if their paths meet only at exit.
	Reconverge BlockID
}

// Function finds a function by name, nil when there is none.
func (p *Program) Function(name string) *Function {
	if p.functionNames == nil {
		p.functionNames = make(map[string]*Function, len(p.Functions))
		for _, f := range p.Functions {
			p.functionNames[f.Name] = f
		}
	}
	return p.functionNames[name]
}

// Title returns a function's name for people: from the debug information, else demangled, else the symbol.
func (p *Program) Title(symbol string) string {
	if title := p.Titles[symbol]; title != "" {
		return title
	}
	return symbol
}

// Calls returns the lines of the inlined calls around a line, innermost first.
func (p *Program) Calls(line LineIndex) iter.Seq[LineIndex] {
	return func(yield func(LineIndex) bool) {
		for line > 0 && int(line) < len(p.Lines) {
			line = p.Lines[line].InlinedAt
			if line == 0 || !yield(line) {
				return
			}
		}
	}
}

// Owner returns the symbol of the function that a line belongs to: the inlined function, or holder, whose code contains the line.
func (p *Program) Owner(line LineIndex, holder string) string {
	if line > 0 && int(line) < len(p.Lines) {
		if row := &p.Lines[line]; row.InlinedAt != 0 && row.Function != "" {
			return row.Function
		}
	}
	return holder
}

// Place returns an instruction's origin: the source line if a .loc gives one, else the PTX line; "" and 0 for the unknown line.
func (p *Program) Place(line LineIndex) (file string, number int) {
	if line <= 0 || int(line) >= len(p.Lines) {
		return "", 0
	}
	row := &p.Lines[line]
	index, number := row.PTXFile, int(row.PTXLine)
	if row.File >= 0 && row.Line > 0 {
		index, number = row.File, int(row.Line)
	}
	if index < 0 || int(index) >= len(p.Files) {
		return "", 0
	}
	return p.Files[index], number
}

// Where returns a line for people: its PTX line and, if a .loc gives one, its source line: "k.ptx:7 (source k.cu:3)".
func (p *Program) Where(line LineIndex) string {
	if line < 0 || int(line) >= len(p.Lines) {
		return "an unknown line"
	}
	row := &p.Lines[line]
	text := fmt.Sprintf("%s:%d", p.fileName(row.PTXFile), row.PTXLine)
	if source := p.fileName(row.File); source != "" && row.Line > 0 {
		text += fmt.Sprintf(" (source %s:%d)", source, row.Line)
	}
	return text
}

func (p *Program) fileName(index int32) string {
	if index < 0 || int(index) >= len(p.Files) {
		return ""
	}
	return p.Files[index]
}

// Opaque reports a texture, sampler or surface: a variable that holds a handle.
func (s *Symbol) Opaque() bool { return s.Type.Kind() == KindOpaque || s.Space == SpaceTexture }

// Kernels lists the defined kernels in program order.
func (p *Program) Kernels() []*Function {
	var kernels []*Function
	for _, f := range p.Functions {
		if f.Kernel && f.Defined {
			kernels = append(kernels, f)
		}
	}
	return kernels
}

// ParameterBytes returns the size of the kernel's parameter space.
func (f *Function) ParameterBytes() int {
	end := 0
	for _, p := range f.Parameters {
		end = max(end, p.Offset+p.Bytes)
	}
	return end
}
