package isa

import (
	"errors"
	"fmt"
	"iter"
)

// Program is one or more linked PTX modules, decoded.
type Program struct {
	Target        string // the highest .target met, as written: sm_35
	AddressBytes  int    // 4 or 8
	Functions     []*Function
	Symbols       []*Symbol
	Lines         []SourceLine // index 0 is the unknown line
	Files         []string     // names that SourceLine.File and SourceLine.PTXFile index
	Notes         []Note       // warnings of loading: newer target, ignored pragma …
	Emulated      []EmulatedUse
	Titles        map[string]string // names for people, with parameter types, by symbol; see Title
	Listing       string            // of machine code: the text whose lines SourceLine.PTXLine counts
	functionNames map[string]*Function
}

// Note is a warning about the program, with where it arose.
type Note struct {
	Line    LineIndex
	Message string
}

// EmulatedUse is an instruction form in the program that no Kepler has, executed with its documented meaning.
type EmulatedUse struct {
	Name  string
	Line  LineIndex
	Since string // what introduced it, as in sm_70, PTX 6.0; "" where nothing is known
}

// SourceLine is where an instruction came from: always the PTX line, and the source's when .loc said one.
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
	Defined    bool // a body was met
	Weak       bool
	Visible    bool
	NoReturn   bool
	HasBarrier bool        // a device function with a barrier of the block, or one that calls such a function by its name
	Parameters []Parameter // kernels: laid out in constant bank 0 from ParameterBase on
	Returns    []Parameter
	Registers  []VirtualRegister
	Variables  []Variable // local arrays, call parameters: the frame
	FrameBytes int        // local memory a thread for this frame
	// Shared memory of a kernel, symbols of the functions it calls included: SharedBytes is static, and dynamic shared
	// memory begins at DynamicShared (SharedBytes rounded up to what the .extern symbols ask). Addresses of shared symbols
	// are immediates in the code.
	SharedBytes   int
	DynamicShared int
	// DynamicAlign is the largest alignment of the dynamic shared arrays that it names, 0 where it names none.
	DynamicAlign int
	Blocks       []*Block // in PTX order; block 0 is the entry
	Limits       Limits
	Line         LineIndex
	// Machine is the kernel's machine program where it came as machine code, which is not lowered: for Program.Target.
	Machine *MachineProgram
	// Unresolved are the names that it or a function that it calls needs, and no module defines. What has some cannot run.
	Unresolved []Unresolved
}

// Unresolved is a name that is declared and that no module defines.
type Unresolved struct {
	Name     string
	Function bool      // of a function; else of a variable
	Line     LineIndex // the first place that needs it
	Err      error     // the message about that place
}

// Resolved returns nil for a function that can run, and else says which names are missing, and where they stand.
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

// MostThreads is how many threads a block may have by .maxntid, 0 where it says nothing.
func (l *Limits) MostThreads() int {
	if l.MaxThreads == [3]int{} {
		return 0
	}
	return max(l.MaxThreads[0], 1) * max(l.MaxThreads[1], 1) * max(l.MaxThreads[2], 1)
}

// LaunchPrefix begins the name of the system call that launches the kernel whose name follows.
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
	Pointee Type  // element type that a pointer's accesses have, TypeNone when they show none
	Stored  bool  // a pointer: something stores (or performs atomics) through it
	Space   Space // .ptr .global and others
	InReg   bool  // a .reg parameter
	// Vector: a component of a .reg .v2 or .v4 parameter, each of which is a parameter of its own, v.x first. It counts down: the first
	// of four has 4, the last has 1. 0 is a parameter that is no such component.
	Vector   int
	Register Register
	// Members are the pieces of a kernel's struct that it reads at offsets that are known, by offset.
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
	Initial     []byte       // the first bytes; those past it are zero
	Relocations []Relocation // addresses inside Initial
	// Address is the offset in shared or constant space; the loader fills it for global space. Of a texture, sampler or surface it is the
	// handle.
	Address uint64
	// Attributes are the initial ones of a texture, sampler or surface, as written: filter_mode = linear.
	Attributes map[string]string
	Line       LineIndex
}

// Relocation places the address of a symbol or function inside initialised data.
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

// Block is a basic block: straight-line instructions, a terminator last.
type Block struct {
	ID           BlockID
	Label        string // "" for a block that no label names
	Rolled       bool   // .pragma "nounroll" keeps a loop that begins here as it is
	Instructions []*Instruction
	Successors   []BlockID // branch target first, fall-through last
	Predecessors []BlockID
	// Reconverge is where lanes that part here go on together, as Function.meet says; -1 when paths meet only at exit.
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

// Title returns a function's name for people: as the debug information gives it, else demangled, else the symbol.
func (p *Program) Title(symbol string) string {
	if title := p.Titles[symbol]; title != "" {
		return title
	}
	return symbol
}

// Calls returns the lines of the calls that inlining replaced to bring a line where it stands, innermost first.
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

// Owner returns the symbol of the function that a line belongs to: the inlined one, or where none was inlined holder, in whose code it
// stands.
func (p *Program) Owner(line LineIndex, holder string) string {
	if line > 0 && int(line) < len(p.Lines) {
		if row := &p.Lines[line]; row.InlinedAt != 0 && row.Function != "" {
			return row.Function
		}
	}
	return holder
}

// Place returns where an instruction comes from: the source line where .loc says one, else the PTX line; "" and 0 for the unknown line.
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

// Where returns a line for people: its place in the PTX and, where .loc says one, in the source: "k.ptx:7 (source k.cu:3)".
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

// Opaque reports a texture, sampler or surface: a variable whose value is a handle.
func (s *Symbol) Opaque() bool { return s.Type.Kind() == KindOpaque || s.Space == SpaceTexture }

// Kernels lists the defined entries in program order.
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
