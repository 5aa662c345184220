package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// NarrowAddresses computes values in 32 bits if only their low 32 bits are used: addresses in shared, local and constant memory, which PTX
// computes in 64.
func NarrowAddresses(f *Function) error {
	wide := f.highWordsRead()
	narrow := func(r isa.Register) bool {
		return int(virtual.Whole(r)) < len(wide) && !wide[virtual.Whole(r)] && f.Words(r) == 2
	}
	narrowed := map[isa.Register]bool{}
	for r := range wide {
		if narrow(isa.Register(r)) && f.Registers[r].Type.Kind() != isa.KindFloat {
			narrowed[isa.Register(r)] = true
		}
	}
	if len(narrowed) == 0 {
		return nil
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			f.narrowInstruction(i, narrowed)
		}
	}
	for r := range wide {
		if narrowed[isa.Register(r)] {
			f.Registers[r].Type = isa.U32
		}
	}
	return nil
}

// highWordsRead marks the 64-bit registers whose high word is read. An instruction that could compute in low words does not read high
// words, unless the high word of its result is read.
func (f *Function) highWordsRead() []bool {
	wide := make([]bool, len(f.Registers))
	writers := make([][]*isa.Instruction, len(f.Registers)) // by register: the writers that read high words only if its own is read
	var found []isa.Register
	mark := func(o *isa.Operand) {
		if o.Kind == isa.OperandRegister && f.Words(o.Register) == 2 && !wide[virtual.Whole(o.Register)] {
			wide[virtual.Whole(o.Register)] = true
			found = append(found, virtual.Whole(o.Register))
		}
	}
	read := func(i *isa.Instruction) {
		for n := range i.Src {
			mark(&i.Src[n])
		}
		if !lowWordWriter(i) {
			i.Destinations(mark)
		}
		if m := i.Memory; m != nil && (m.Texture != nil || !smallSpace(m.Space)) {
			i.Sources(mark)
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			switch {
			case !lowWordEnough(i):
				read(i)
			case i.Op != isa.OpCvt:
				writers[virtual.Whole(i.Dst[0].Register)] = append(writers[virtual.Whole(i.Dst[0].Register)], i)
			}
		}
	}
	for len(found) > 0 {
		r := found[len(found)-1]
		found = found[:len(found)-1]
		for _, i := range writers[r] {
			read(i)
		}
	}
	return wide
}

// smallSpace reports a space with addresses of at most 32 bits.
func smallSpace(s isa.Space) bool {
	return s == isa.SpaceShared || s == isa.SpaceLocal || s == isa.SpaceConst
}

// lowWordWriter reports an instruction that can compute in 32 bits if only the low word of its result is used.
func lowWordWriter(i *isa.Instruction) bool {
	if len(i.Dst) != 1 || i.Dst[0].Kind != isa.OperandRegister || i.Dst[0].Type.Bytes() != 8 || i.Type.Float() || i.Mod.CarryOut ||
		i.Mod.Saturate {
		return false
	}
	switch i.Op {
	case isa.OpAdd, isa.OpSub, isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpNeg, isa.OpSelp:
		return true
	case isa.OpMov:
		return len(i.Src) == 1 && (i.Src[0].Kind == isa.OperandRegister || i.Src[0].Kind == isa.OperandImmediate ||
			i.Src[0].Kind == isa.OperandConstant)
	case isa.OpMul, isa.OpMad:
		return i.Mod.Half == isa.Lo || i.Mod.Half == isa.Wide && i.Type.Bytes() == 4
	case isa.OpShl:
		return i.Src[1].Kind == isa.OperandImmediate
	case isa.OpCvt:
		return !i.From.Float() && i.From.Bytes() == 4 && i.Src[0].Kind == isa.OperandRegister
	}
	return false
}

// lowWordEnough reports an instruction that needs only low words if only the low word of its result is used.
func lowWordEnough(i *isa.Instruction) bool {
	if i.Op == isa.OpCvt {
		return !i.Type.Float() && !i.From.Float() && !i.Mod.Saturate && i.Type.Bytes() == 4 && i.From.Bytes() == 8 &&
			i.Dst[0].Kind == isa.OperandRegister && i.Dst[0].Type.Bytes() == 4 &&
			i.Src[0].Kind == isa.OperandRegister
	}
	return lowWordWriter(i)
}

// narrowInstruction rewrites an instruction that writes or reads narrowed registers.
func (f *Function) narrowInstruction(i *isa.Instruction, narrowed map[isa.Register]bool) {
	is := func(o *isa.Operand) bool { return o.Kind == isa.OperandRegister && narrowed[virtual.Whole(o.Register)] }
	if m := i.Memory; m != nil && is(&m.Base) {
		m.Base.Type = isa.U32
	}
	if i.Op == isa.OpCvt && len(i.Src) == 1 && is(&i.Src[0]) {
		i.Op, i.Type, i.From, i.Mod = isa.OpMov, isa.B32, isa.TypeNone, isa.Modifiers{}
		i.Src[0].Type = isa.U32
		return
	}
	if len(i.Dst) != 1 || !is(&i.Dst[0]) {
		return
	}
	i.Dst[0].Type = isa.U32
	if i.Op == isa.OpCvt {
		i.Op, i.Type, i.From, i.Mod = isa.OpMov, isa.B32, isa.TypeNone, isa.Modifiers{}
		return
	}
	if i.Mod.Half == isa.Wide {
		i.Mod.Half = isa.Lo
	}
	switch i.Type {
	case isa.S64:
		i.Type = isa.S32
	case isa.U64:
		i.Type = isa.U32
	case isa.B64:
		i.Type = isa.B32
	}
	for n := range i.Src {
		s := &i.Src[n]
		if s.Type.Bytes() != 8 {
			continue
		}
		switch {
		case is(s):
		case s.Kind == isa.OperandRegister:
			s.Register = virtual.Part(s.Register, 0)
		case s.Kind == isa.OperandImmediate:
			s.Immediate &= 0xffffffff
		}
		s.Type = isa.U32
	}
}
