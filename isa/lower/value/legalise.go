package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// LegaliseOperands moves operands that Kepler's operations cannot hold into registers. It runs before RemoveCommon, so that all users of a
// constant share one register.
func LegaliseOperands(f *Function) error {
	var emitted []*isa.Instruction
	emit := func(i *isa.Instruction) { emitted = append(emitted, i) }
	for _, b := range f.Blocks {
		b.insert(func(i *isa.Instruction) []*isa.Instruction {
			emitted = emitted[:0]
			f.extendApart(i, emit)
			f.legalise(i, emit)
			f.legaliseAddress(i, emit)
			return emitted
		})
	}
	return nil
}

// extendApart splits a load into a wider register into a 32-bit load and an extension: a load writes as many registers as it reads words.
func (f *Function) extendApart(i *isa.Instruction, emit func(*isa.Instruction)) {
	if i.Op != isa.OpLd || i.Type.Bytes() > 4 || len(i.Dst) != 1 || i.Dst[0].Kind != isa.OperandRegister ||
		f.Words(i.Dst[0].Register) != 2 {
		return
	}
	from, to := isa.U32, isa.U64
	if i.Type.Signed() {
		from, to = isa.S32, isa.S64
	}
	load, loaded := *i, isa.Reg(f.Temporary(from), from)
	load.Dst = []isa.Operand{loaded}
	*i = isa.Instruction{Op: isa.OpCvt, Type: to, From: from, Guard: i.Guard, Dst: i.Dst, Src: []isa.Operand{loaded}, Line: i.Line,
		InlineRegion: i.InlineRegion}
	f.legaliseAddress(&load, emit)
	emit(&load)
}

// legalise emits a move for each operand that must be in a register.
func (f *Function) legalise(i *isa.Instruction, emit func(*isa.Instruction)) {
	rule := i.Op.Facts().Lowering.Inline
	if rule.Anything {
		return
	}
	if rule.Swap && len(i.Src) > 1 && inline(&i.Src[0]) && virtual.IsRegister(&i.Src[1]) {
		i.Src[0], i.Src[1] = i.Src[1], i.Src[0]
	}
	free := -1
	for _, place := range rule.Places {
		if place < len(i.Src) && inline(&i.Src[place]) && fits(i, place) && (free < 0 || moveCost(&i.Src[place]) > moveCost(&i.Src[free])) {
			free = place
		}
	}
	for n := range i.Src {
		switch o := &i.Src[n]; {
		case n == free && o.Kind == isa.OperandImmediate && !encodes(i, n, f.Options.Encodable):
			f.literals.place(o)
		case n != free && inline(o) && !zero(i, n) && !(n == 1 && ShiftedAdd(i) != ""):
			f.materialise(o, i.Line, emit)
		}
	}
}

// moveCost returns how many moves it costs to put an operand into a register.
func moveCost(o *isa.Operand) int {
	if o.Kind == isa.OperandConstant {
		return 2 * o.Type.Registers()
	}
	return 1
}

// legaliseAddress computes an address into a register if it is not in one, or if its offset is too large.
func (f *Function) legaliseAddress(i *isa.Instruction, emit func(*isa.Instruction)) {
	m := i.Memory
	if m == nil || m.Texture != nil {
		return
	}
	wide := isa.U64
	if f.Program.AddressBytes == 4 {
		wide = isa.U32
	}
	if m.Base.Kind == isa.OperandSymbol {
		m.Base.Type = wide
		f.materialise(&m.Base, i.Line, emit)
	}
	if m.Base.Kind == isa.OperandRegister && (m.Offset < minOffset || m.Offset > maxOffset) {
		t := f.Temporary(m.Base.Type)
		offset := isa.Imm(uint64(m.Offset), m.Base.Type)
		if m.Base.Type.Bytes() == 4 {
			offset.Immediate &= 0xffffffff
		}
		add := &isa.Instruction{Op: isa.OpAdd, Type: m.Base.Type, Dst: []isa.Operand{isa.Reg(t, m.Base.Type)},
			Src: []isa.Operand{m.Base, offset}, Line: i.Line}
		f.legalise(add, emit)
		emit(add)
		m.Base, m.Offset = isa.Reg(t, m.Base.Type), 0
	}
}

// inline reports an operand with a value that is not in a register.
func inline(o *isa.Operand) bool {
	switch o.Kind {
	case isa.OperandImmediate, isa.OperandConstant, isa.OperandSymbol, isa.OperandFunction, isa.OperandSpecial:
		return true
	}
	return false
}

// ShiftedAdd returns "shift" for a multiply-add by a power of two: Kepler does it by a shift and an addition, so the factor needs no place.
func ShiftedAdd(i *isa.Instruction) string {
	if i.Op == isa.OpMad && i.Mod.Half == isa.Lo && i.Type.Bytes() == 4 && !i.Mod.CarryOut && !i.Mod.Saturate && len(i.Src) == 3 {
		if _, ok := powerOfTwo(&i.Src[1]); ok {
			return "shift"
		}
	}
	return ""
}

// zero reports an immediate zero, which every operation can read as RZ.
func zero(i *isa.Instruction, n int) bool {
	return i.Src[n].Kind == isa.OperandImmediate && i.Src[n].Immediate == 0
}

// fits reports whether the operation can read the operand without a register. It can read constants, and immediates: those that it cannot
// hold are in a constant bank.
func fits(i *isa.Instruction, n int) bool {
	k := i.Src[n].Kind
	return k == isa.OperandConstant || k == isa.OperandSpecial || k == isa.OperandImmediate
}

// encodes reports whether the operation itself holds an immediate: of 20 bits (the upper ones for floats), or of 32 bits if the operation
// has such a form. If exact is set, machine code must be able to hold it. Otherwise some immediates count as held that real code reads from
// a constant bank.
func encodes(i *isa.Instruction, n int, exact bool) bool {
	o := &i.Src[n]
	if exact && n == 2 && (i.Op == isa.OpFma || i.Op == isa.OpMad || i.Op == isa.OpMadc || i.Op == isa.OpSad) && ShiftedAdd(i) == "" {
		return false // only the second source may be an immediate
	}
	switch i.Type {
	case isa.F32:
		sum := i.Op == isa.OpAdd || i.Op == isa.OpSub
		return o.Immediate&0xfff == 0 || sum && !exact || i.Op == isa.OpMul && !exact ||
			i.Mod.Rounding == isa.RoundNearest && (i.Op == isa.OpMul || sum && !i.Mod.Saturate)
	case isa.F64:
		return o.Immediate&(1<<44-1) == 0
	}
	switch i.Op {
	case isa.OpSub: // becomes the addition of the negative, which the smallest number does not have
		return !exact || !i.Mod.Saturate || uint32(o.Immediate) != 1<<31
	case isa.OpAdd, isa.OpMul, isa.OpAnd, isa.OpOr, isa.OpXor:
		return true
	}
	v := int64(o.Immediate)
	if o.Type.Bytes() == 4 {
		v = int64(int32(o.Immediate))
	}
	return v >= -1<<19 && v < 1<<19
}

// materialise replaces an operand by a register, filled by a move.
func (f *Function) materialise(o *isa.Operand, line isa.LineIndex, emit func(*isa.Instruction)) {
	t := o.Type
	if t.Registers() == 0 {
		t = isa.B32
	}
	r := f.Temporary(t)
	emit(&isa.Instruction{Op: isa.OpMov, Type: t, Dst: []isa.Operand{isa.Reg(r, t)}, Src: []isa.Operand{*o}, Line: line})
	if o.Kind == isa.OperandImmediate {
		if f.Numbers == nil {
			f.Numbers = map[isa.Register]uint64{}
		}
		f.Numbers[r] = o.Immediate
	}
	*o = isa.Reg(r, t)
}
