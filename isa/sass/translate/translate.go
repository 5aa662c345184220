// Package translate makes machine programs from machine code. Operations that isa/sass decodes become operations as isa/lower makes them,
// with the same effects and with the control words of the file.
//
// Kepler's operations have more modifiers than PTX. Those without an effect here fail with an error that shows the operation and its bits.
// So do calls through registers, and code in which lanes meet at different places on different paths.
package translate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass"
)

// Program makes a program from modules: cubins of one encoding that sass knows. name is the file's name in messages. A kernel with an
// unsupported operation is unresolved; the others can run.
func Program(name string, modules []*cubin.Module) (*isa.Program, error) {
	p := &isa.Program{AddressBytes: 8, Files: []string{name}, Lines: make([]isa.SourceLine, 1)}
	listing, files, code := &strings.Builder{}, map[string]int32{}, map[string][]byte{}
	line := int32(0)
	for _, m := range modules {
		if sass.Of(m.Architecture) == nil {
			return nil, fmt.Errorf("%s: machine code for sm_%d is not known", name, m.Architecture)
		}
		p.Target = fmt.Sprintf("sm_%d", m.Architecture)
		variables(p, m)
	}
	for _, m := range modules {
		for _, f := range m.Functions {
			if !f.Kernel {
				continue
			}
			if other, twice := code[f.Name]; twice && bytes.Equal(other, f.Code) {
				continue // the same kernel in two files
			} else if twice {
				return nil, fmt.Errorf("%s: two kernels %s", name, f.Name)
			}
			code[f.Name] = f.Code
			t := &translator{encoding: sass.Of(m.Architecture), program: p, module: m, function: f, listing: listing, line: line,
				files: files}
			if err := t.kernel(); err != nil {
				t.kernelOf.Unresolved = []isa.Unresolved{{Name: "machine code of " + f.Name, Function: true,
					Err: fmt.Errorf("%s: kernel %s: %w", name, p.Title(f.Name), err)}}
			}
			line = t.line
		}
	}
	p.Listing = listing.String()
	return p, nil
}

// variables adds a module's variables to a program.
func variables(p *isa.Program, m *cubin.Module) {
	for _, v := range m.Variables {
		s := &isa.Symbol{Name: v.Name, Space: isa.SpaceGlobal, Type: isa.B8, Bytes: v.Bytes, Align: 256, Owner: -1, Visible: true,
			Initial: v.Initial}
		if v.Space == cubin.Constant {
			s.Space, s.Address = isa.SpaceConst, v.Offset
		}
		p.Symbols = append(p.Symbols, s)
	}
	for _, f := range m.Functions {
		for _, at := range slices.Sorted(maps.Keys(f.Textures)) {
			name := f.Textures[at]
			if !slices.ContainsFunc(p.Symbols, func(s *isa.Symbol) bool { return s.Name == name }) {
				p.Symbols = append(p.Symbols, &isa.Symbol{Name: name, Space: isa.SpaceGlobal, Type: isa.TexRef, Bytes: 8, Align: 8,
					Owner: -1, Visible: true})
			}
		}
	}
}

// translator translates one kernel into its machine program.
type translator struct {
	encoding      *sass.Encoding
	program       *isa.Program
	module        *cubin.Module
	function      *cubin.Function
	kernelOf      *isa.Function
	code          []word         // by position, without control words: the kernel's operations, then those of functions that it may call
	where         map[uint64]int // position by base plus address
	bases         map[string]uint64
	listing       *strings.Builder
	line          int32            // of the listing
	files         map[string]int32 // index of source files in Program.Files
	ops           []isa.MachineOp
	maxRegisters  int                // the most registers of the reachable functions
	stack         int                // the most bytes of local memory that their frames take
	effectsBefore []*isa.Instruction // instructions that must come before the current operation's own effect
}

// word is one operation of the code.
type word struct {
	sass.Instruction
	function   *cubin.Function
	index      int    // in translator.code
	base, at   uint64 // base of its function within the kernel's code, and its address in the function, in bytes
	control    sass.Control
	line       isa.LineIndex
	err        error             // it cannot be decoded
	relocation *cubin.Relocation // the relocation that applies to it
	// flag is the predicate that replaces the condition code, noFlag for none; both is the predicate that combines it with a branch's
	// guard. order is the test of a branch after a difference.
	flag, guardAndFlag isa.Register
	order              isa.Compare
}

func (t *translator) kernel() error {
	f := t.function
	k := &isa.Function{
		Name: f.Name, Kernel: true, Defined: true, Visible: true, SharedBytes: f.Shared, DynamicShared: (f.Shared + 15) &^ 15,
		Limits: isa.Limits{MaxThreads: f.MaxThreads, RequiredThreads: f.ReqThreads},
	}
	for n, parameter := range f.Parameters {
		k.Parameters = append(k.Parameters, kernelParameter(n, parameter))
	}
	t.kernelOf = k
	index := int32(len(t.program.Functions))
	t.program.Functions = append(t.program.Functions, k)
	if err := t.decode(); err != nil {
		return err
	}
	t.flags()
	if err := t.flow(); err != nil {
		return err
	}
	mp := &isa.MachineProgram{
		Kernel: k, Program: t.program, Ops: t.ops, Registers: t.maxRegisters, Predicates: 7, SharedBytes: f.Shared, LocalBytes: t.stack,
		RegisterBanks: 4, Entries: map[int32]int32{}, Stack: []isa.FrameInfo{{Function: index, Registers: t.maxRegisters,
			FrameBytes: t.stack}},
	}
	k.FrameBytes = t.stack
	for _, s := range t.program.Symbols {
		if s.Space == isa.SpaceConst {
			mp.ConstBytes = max(mp.ConstBytes, int(s.Address)+s.Bytes)
		}
	}
	t.pointers()
	if err := t.registers(mp); err != nil {
		return err
	}
	k.Machine = mp
	return nil
}

// kernelParameter returns a parameter with nothing but a size: a file of machine code says no more.
func kernelParameter(n int, p cubin.Parameter) isa.Parameter {
	out := isa.Parameter{Name: fmt.Sprintf("param_%d", n), Count: 1, Align: 4, Offset: p.Offset, Bytes: p.Bytes}
	switch p.Bytes {
	case 1:
		out.Type = isa.U8
	case 2:
		out.Type = isa.U16
	case 4:
		out.Type = isa.U32
	case 8:
		out.Type, out.Align = isa.U64, 8
	default:
		out.Type, out.Count = isa.B8, p.Bytes
	}
	return out
}

// decode decodes the kernel, and the functions that relocations in them name.
func (t *translator) decode() error {
	t.where, t.bases = map[uint64]int{}, map[string]uint64{t.function.Name: 0}
	base := uint64(0)
	for queue := []*cubin.Function{t.function}; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		t.bases[f.Name] = base
		t.words(f, base)
		for n := range f.Relocated {
			r := &f.Relocated[n]
			i, ok := t.where[base+uint64(r.Offset)]
			if !ok {
				return fmt.Errorf("a relocation at 0x%x, where no operation is", r.Offset)
			}
			t.code[i].relocation = r
			callee := t.module.Function(r.Symbol)
			if _, known := t.bases[r.Symbol]; callee == nil || known {
				continue
			}
			t.bases[r.Symbol] = 0 // until its turn
			queue = append(queue, callee)
		}
		base += uint64(len(f.Code)) + sass.WordBytes // a gap between functions
	}
	return nil
}

// words decodes a function.
func (t *translator) words(f *cubin.Function, base uint64) {
	lines := f.Lines
	fmt.Fprintf(t.listing, "\t\tFunction : %s\n", f.Name)
	t.line++
	t.encoding.Walk(f.Code, func(at int, _ uint64) {
		t.where[base+uint64(at)] = len(t.code) // a control word stands for the operation after it
	}, func(at int, bits uint64, c sass.Control) {
		i, err := t.encoding.Decode(bits)
		w := word{Instruction: i, function: f, index: len(t.code), base: base, at: uint64(at), control: c, err: err, flag: noFlag}
		text := fmt.Sprintf("UNKNOWN 0x%016x", bits)
		if err == nil {
			text = i.Text(w.at)
		}
		t.line++
		fmt.Fprintf(t.listing, "/*%04x*/ %s;\n", at, text)
		w.line = isa.LineIndex(len(t.program.Lines))
		row := isa.SourceLine{PTXLine: t.line, File: -1}
		lines = t.source(at, lines, &row)
		t.program.Lines = append(t.program.Lines, row)
		t.where[base+w.at] = w.index
		t.code = append(t.code, w)
	})
	t.code = append(t.code, word{function: f, index: len(t.code), base: base, at: uint64(len(f.Code)), flag: noFlag, err: errEnd})
}

var errEnd = errors.New("the code's end is reached")

// source sets the source line of code at an address, if the file has line tables. It returns the rest of the lines, from that one on.
func (t *translator) source(at int, lines []cubin.Line, row *isa.SourceLine) []cubin.Line {
	for len(lines) > 1 && lines[1].Offset <= at {
		lines = lines[1:]
	}
	if len(lines) == 0 || lines[0].Offset > at {
		return lines
	}
	file, known := t.files[lines[0].File]
	if !known {
		file = int32(len(t.program.Files))
		t.files[lines[0].File] = file
		t.program.Files = append(t.program.Files, lines[0].File)
	}
	row.File, row.Line = file, int32(lines[0].Line)
	return lines
}

// position returns the operation at an address in a word's function; a control word's address means the operation after it.
func (t *translator) position(w *word, at uint64) (int, bool) {
	i, ok := t.where[w.base+at]
	return i, ok && at < uint64(len(w.function.Code))
}

// refuse returns an error about a known operation that is not supported here.
func (w *word) refuse(format string, arguments ...any) error {
	return fmt.Errorf("/*%04x*/ %s (0x%016x): %s", w.at, w.Text(w.at), w.Word, fmt.Sprintf(format, arguments...))
}

// operation translates a word into a machine operation, without its control flow.
func (t *translator) operation(w *word) (isa.MachineOp, error) {
	if w.err != nil {
		return isa.MachineOp{}, fmt.Errorf("/*%04x*/ %w", w.at, w.err)
	}
	if rest := w.UnshownBits() &^ w.Spare(); rest != 0 {
		return isa.MachineOp{}, w.refuse("bits 0x%x mean something that is not known", rest)
	}
	mnemonic, _, _ := strings.Cut(w.Text(w.at), ";")
	if strings.HasPrefix(mnemonic, "@") {
		_, mnemonic, _ = strings.Cut(mnemonic, " ")
	}
	mnemonic, _, _ = strings.Cut(mnemonic, " ")
	op := isa.MachineOp{
		Mnemonic: mnemonic, Class: w.Class, Target: -1, Reconverge: -1, Line: w.line, PTXCount: 1,
		Wait: uint8(max(1, w.control.Cycles())), PairWithNext: w.control.Pairs(),
	}
	if p, complement := w.Guard(); p != 7 || complement {
		op.Guard = isa.Guard{Present: true, Register: isa.Register(p), Negate: complement}
		op.ReadsPred |= 1 << p & 0x7f
	}
	name, _, _ := strings.Cut(w.Name, ".")
	if strings.Contains(w.Format, ".PO ") || strings.Contains(w.Format, ".PO{") {
		return op, w.refuse("a sum plus one is not simulated")
	}
	make, known := meanings[name]
	if !known {
		return op, w.refuse("the operation is not simulated")
	}
	b := &builder{translator: t, word: w, op: &op}
	effect, err := make(b)
	if err == nil {
		err = b.err
	}
	if err != nil {
		return op, err
	}
	if op.Effect = effect; effect != nil {
		effect.Line, effect.Guard = w.line, op.Guard
		touched(&op)
	}
	return op, nil
}

// touched sets the registers and predicates that an operation's effect reads and writes.
func touched(op *isa.MachineOp) {
	add := func(list *[]isa.RegisterRange, predicates *uint8) func(*isa.Operand) {
		return func(o *isa.Operand) {
			switch {
			case o.Kind == isa.OperandPredicate && o.Register < isa.PT:
				*predicates |= 1 << o.Register
			case o.Kind == isa.OperandRegister && o.Register != isa.RZ:
				*list = append(*list, isa.RegisterRange{First: o.Register, Count: uint8(max(1, o.Type.Registers()))})
			}
		}
	}
	op.Effect.Sources(add(&op.Reads, &op.ReadsPred))
	op.Effect.Destinations(add(&op.Writes, &op.WritesPred))
}

// registers checks that the code uses no more registers than it declares: exec has no others.
func (t *translator) registers(mp *isa.MachineProgram) error {
	for n := range mp.Ops {
		op := &mp.Ops[n]
		for _, list := range [2][]isa.RegisterRange{op.Reads, op.Writes} {
			for _, r := range list {
				if last := int(r.First) + int(r.Count) - 1; last >= mp.Registers {
					return fmt.Errorf("%s uses R%d of %d registers", op.Mnemonic, last, mp.Registers)
				}
			}
		}
	}
	return nil
}
