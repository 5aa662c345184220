// Package assemble makes machine code from machine programs: the words, with control words, of one of sass's encodings. Each operation from
// isa/lower must do its own work (Options.Encodable). It is the reverse of isa/sass/translate; what it cannot encode fails with an error
// that names it.
package assemble

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass"
)

// item is one operation of the code under construction.
type item struct {
	op     *isa.MachineOp
	text   string
	target int32 // item that it jumps to, -1 for none
	next   []int32
	wait   int   // cycles until the next one, 0 for a pair
	at     int32 // index in the machine program, -1 for none: only neighbours there may pair
	place  *address
}

// kernel is a kernel whose code is under construction.
type kernel struct {
	encoding *sass.Encoding
	program  *isa.Program
	mp       *isa.MachineProgram
	items    []item
	literals []byte
	barriers int
}

// Program returns a cubin with a program's kernels for a target, each given by its machine program.
func Program(p *isa.Program, kernels []*isa.MachineProgram, target int, latency func(isa.Class) int) (*cubin.Module, error) {
	m := &cubin.Module{Architecture: target}
	if err := variables(m, p); err != nil {
		return nil, err
	}
	for _, mp := range kernels {
		k := &kernel{encoding: sass.Of(target), program: p, mp: mp}
		f, err := k.function(latency)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", p.Title(mp.Kernel.Name), err)
		}
		m.Functions = append(m.Functions, f)
	}
	return m, nil
}

// variables adds the variables in global and constant memory.
func variables(m *cubin.Module, p *isa.Program) error {
	end := uint64(0)
	for _, s := range p.Symbols {
		if s.Space != isa.SpaceGlobal && s.Space != isa.SpaceConst || s.Type.Kind() == isa.KindOpaque {
			continue
		}
		if len(s.Relocations) > 0 {
			return fmt.Errorf("variable %s begins with an address, which is not written here", s.Name)
		}
		v := &cubin.Variable{Name: s.Name, Bytes: s.Bytes, Initial: s.Initial, Offset: s.Address, Space: cubin.Constant}
		if s.Space == isa.SpaceGlobal {
			align := uint64(max(s.Align, 1))
			v.Space, v.Offset = cubin.Global, (end+align-1)/align*align
			end = v.Offset + uint64(s.Bytes)
		}
		m.Variables = append(m.Variables, v)
	}
	return nil
}

// function generates the code of a kernel.
func (k *kernel) function(latency func(isa.Class) int) (*cubin.Function, error) {
	mp := k.mp
	k.literals = make([]byte, mp.LiteralBytes)
	if len(mp.Stack) > 1 {
		return nil, fmt.Errorf("it calls %s: calls have no machine code here yet; __forceinline__ puts the function in its place",
			k.program.Title(k.program.Functions[mp.Stack[1].Function].Name))
	}
	if err := k.layout(); err != nil {
		return nil, err
	}
	k.awaitTextures()
	k.waits(latency)
	f := &cubin.Function{Name: mp.Kernel.Name, Kernel: true, Registers: mp.Registers, Shared: mp.SharedBytes, Stack: mp.LocalBytes,
		Base: isa.ParameterBase, Literals: k.literals, MaxThreads: mp.Kernel.Limits.MaxThreads,
		ReqThreads: mp.Kernel.Limits.RequiredThreads, Barriers: k.barriers}
	for _, p := range mp.Kernel.Parameters {
		f.Parameters = append(f.Parameters, cubin.Parameter{Offset: p.Offset, Bytes: p.Bytes})
		f.Bytes = max(f.Bytes, p.Offset+p.Bytes)
	}
	if len(f.Literals) == 0 {
		f.Literals = nil
	}
	var err error
	f.Code, f.Relocated, err = k.words()
	f.Lines = k.lines()
	return f, err
}

// lines returns the source lines of the code, from the PTX's .loc.
func (k *kernel) lines() (list []cubin.Line) {
	for n := range k.items {
		if k.items[n].op == nil {
			continue
		}
		row := &k.program.Lines[k.items[n].op.Line]
		if row.File < 0 || row.Line == 0 {
			continue
		}
		l := cubin.Line{Offset: sass.Address(n), File: k.program.Files[row.File], Line: int(row.Line)}
		if last := len(list) - 1; last < 0 || list[last].File != l.File || list[last].Line != l.Line {
			list = append(list, l)
		}
	}
	return list
}

// words encodes the items.
func (k *kernel) words() (code []byte, places []cubin.Relocation, err error) {
	end := len(k.items)
	for n := 0; n < end || n%sass.GroupOperations != 0; n++ {
		if n%sass.GroupOperations == 0 {
			var controls [sass.GroupOperations]sass.Control
			for c := range controls {
				if controls[c] = sass.Wait(1); n+c < end {
					controls[c] = k.items[n+c].control()
				}
			}
			code = binary.LittleEndian.AppendUint64(code, k.encoding.ControlWord(controls))
		}
		at := uint64(sass.Address(n))
		text := "NOP"
		if n == end {
			text = fmt.Sprintf("BRA 0x%x", at) // nvcc's functions end so too
		}
		if n < end {
			it := &k.items[n]
			if text = it.text; it.target >= 0 {
				text += fmt.Sprintf(" 0x%x", sass.Address(int(it.target)))
			}
			if a := it.place; a != nil {
				places = append(places, cubin.Relocation{Offset: int(at), Type: a.kind, Symbol: a.symbol, Addend: a.addend})
			}
		}
		word, err := k.encoding.Encode(text, at)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", k.where(n), err)
		}
		code = binary.LittleEndian.AppendUint64(code, word)
	}
	return code, places, nil
}

// control returns the control byte of an item.
func (it *item) control() sass.Control {
	switch {
	case strings.HasPrefix(it.text, "TEXDEPBAR"):
		return sass.TextureBarrier
	case it.wait == 0:
		return sass.Dual
	}
	return sass.Wait(it.wait)
}

// where returns the PTX line of an item, for messages.
func (k *kernel) where(n int) string {
	if n < len(k.items) {
		if op := k.items[n].op; op.Line > 0 && int(op.Line) < len(k.program.Lines) {
			return fmt.Sprintf("PTX line %d", k.program.Lines[op.Line].PTXLine)
		}
	}
	return "its frame"
}

// text returns the text of an operation other than a branch.
func (k *kernel) text(op *isa.MachineOp) (text string, place *address, err error) {
	guard := ""
	if g := op.Guard; g.Present && g.Register != isa.PT {
		guard = fmt.Sprintf("@%sP%d ", map[bool]string{true: "!"}[g.Negate], g.Register)
	}
	i := op.Effect
	if i == nil {
		switch {
		case op.Mnemonic == "MOV" && op.ConstantAddress == stackConstant:
			return "MOV R1, c[0x0][0x44]", nil, nil
		case op.Class == isa.ClassFence:
			return guard + "MEMBAR.GL", nil, nil
		case op.Class == isa.ClassNop:
			return guard + "NOP", nil, nil
		}
		return "", nil, fmt.Errorf("%s computes nothing of its own", op.Mnemonic)
	}
	if i.Op == isa.OpBar && len(i.Src) > 0 && i.Src[0].Kind == isa.OperandImmediate {
		k.barriers = max(k.barriers, int(i.Src[0].Immediate)+1)
	} else if i.Op == isa.OpBar {
		k.barriers = mostBarriers
	}
	make, known := texts[i.Op]
	if !known {
		return "", nil, fmt.Errorf("%s has no machine code here", i.Op)
	}
	copied := *i
	copied.Src = append([]isa.Operand(nil), i.Src...)
	w := &writer{Instruction: &copied, kernel: k}
	text = make(w)
	if strings.HasPrefix(op.Mnemonic, "RRO") {
		text = op.Mnemonic + " " + w.d() + ", " + w.r(0)
	}
	if w.err != nil {
		return "", nil, fmt.Errorf("%s.%s: %w", i.Op, i.Type, w.err)
	}
	return guard + text, w.address, nil
}

const (
	stackConstant = 0x44 // in constant bank 0: the stack's end
	mostBarriers  = 16
)

// literal writes a number into the bank of literals.
func (k *kernel) literal(o *isa.Operand) {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], o.Immediate)
	if at := int(o.Offset); at < len(k.literals) {
		copy(k.literals[at:], bytes[:max(o.Type.Bytes(), 4)])
	}
}
