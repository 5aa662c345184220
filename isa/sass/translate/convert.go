package translate

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass"
)

// types are those of conversions.
var types = map[string]isa.Type{".U8": isa.U8, ".S8": isa.S8, ".U16": isa.U16, ".S16": isa.S16, ".U32": isa.U32, ".S32": isa.S32,
	".U64": isa.U64,
	".S64": isa.S64, ".F16": isa.F16, ".F32": isa.F32, ".F64": isa.F64}

// registerType returns the type of a register that holds a value of type t.
func registerType(t isa.Type) isa.Type {
	switch {
	case t.Bytes() >= 4:
		return t
	case t.Signed():
		return isa.S32
	}
	return isa.U32
}

// conversion returns a cvt; a float source may have a sign.
func (b *builder) conversion(to, from string, mod isa.Modifiers) (*isa.Instruction, error) {
	i := &isa.Instruction{Op: isa.OpCvt, Type: types[b.Modifier(to)], From: types[b.Modifier(from)], Mod: mod}
	if i.Type == isa.TypeNone || i.From == isa.TypeNone {
		b.fail("it names no type")
		return nil, nil
	}
	i.Dst = []isa.Operand{b.operand(0, registerType(i.Type))}
	i.Src = []isa.Operand{b.part(b.operand(1, registerType(i.From)), i.From)}
	if i.Type.Bytes() == 8 || i.From.Bytes() == 8 {
		b.op.Class = isa.ClassConvert64
	} else if i.From.Bytes() < 4 && !i.Type.Float() {
		b.op.Class = isa.ClassConvertNarrow
	}
	return i, nil
}

// part returns the byte or half of a source that a conversion reads, moved to the low bits of the destination first.
func (b *builder) part(source isa.Operand, t isa.Type) isa.Operand {
	bits := uint64(0)
	if text := b.Modifier("byte") + b.Modifier("half"); text != "" {
		bits = uint64(text[2]-'0') * 8
		if text[1] == 'H' {
			bits *= 2
		}
	}
	if bits == 0 {
		return source
	}
	if t.Bytes() >= 4 || source.Kind != isa.OperandRegister || source.Negate || source.Absolute {
		b.fail("this part of its source is not simulated")
	}
	d := b.operand(0, isa.U32)
	b.first(b.make(isa.OpShr, isa.U32, isa.Modifiers{}, d, isa.Reg(source.Register, isa.U32), isa.Imm(bits, isa.U32)))
	source.Register = d.Register
	return source
}

// floatToFloat changes the width, rounds to an integral value, or applies a sign.
func floatToFloat(b *builder) (*isa.Instruction, error) {
	mod := isa.Modifiers{Flush: b.is("ftz", ".FTZ"), Saturate: b.is("sat", ".SAT")}
	to, from := types[b.Modifier("fd")], types[b.Modifier("fs")]
	text := b.Modifier("integral")
	if to == from && text == "" && to != isa.F16 {
		return b.sameFloat(to, mod)
	}
	if whole, ok := integral[text]; ok && text != "" {
		mod.Rounding = whole
	} else if to.Bytes() < from.Bytes() {
		mod.Rounding = roundings[text]
	} else if text != "" {
		b.fail("%s is not simulated here", text)
	}
	i, err := b.conversion("fd", "fs", mod)
	if i != nil && from == isa.F32 && to == isa.F64 {
		b.signed(&i.Src[0])
	}
	return i, err
}

// signed applies the sign or magnitude of an f32 source by an instruction before the conversion. That instruction makes NaNs canonical, but
// a conversion keeps them. The result goes to the low word of the destination.
func (b *builder) signed(x *isa.Operand) {
	absolute, negative := x.Absolute, x.Negate
	x.Absolute, x.Negate = false, false
	d := isa.Reg(b.operand(0, isa.F64).Register, isa.F32)
	if absolute {
		b.first(b.make(isa.OpAbs, isa.F32, isa.Modifiers{}, d, *x))
		*x = d
	}
	if negative {
		b.first(b.make(isa.OpNeg, isa.F32, isa.Modifiers{}, d, *x))
		*x = d
	}
}

// sameFloat applies a sign or magnitude, and flushes or saturates: as a sum with -0, or as one instruction.
func (b *builder) sameFloat(t isa.Type, mod isa.Modifiers) (*isa.Instruction, error) {
	b.only("half")
	d, x := b.operand(0, t), b.operand(1, t)
	if mod == (isa.Modifiers{}) && x.Negate != x.Absolute {
		op := isa.OpNeg
		if x.Absolute {
			op = isa.OpAbs
		}
		x.Negate, x.Absolute = false, false
		return b.make(op, t, mod, d, x), nil
	}
	mod.Rounding = isa.RoundNearest
	return b.make(isa.OpAdd, t, mod, d, x, isa.Imm(1<<(8*t.Bytes()-1), t)), nil
}

func floatToInteger(b *builder) (*isa.Instruction, error) {
	return b.conversion("id", "fs", isa.Modifiers{Flush: b.is("ftz", ".FTZ"), Rounding: integral[b.Modifier("trunc")]})
}

func integerToFloat(b *builder) (*isa.Instruction, error) {
	b.plain(1)
	return b.conversion("fs", "is", isa.Modifiers{Rounding: roundings[b.Modifier("rnd")]})
}

// integerToInteger changes the width, or computes the absolute value or the negative of a 32-bit number.
func integerToInteger(b *builder) (*isa.Instruction, error) {
	absolute, negative := b.has(1, sass.Absolute), b.has(1, sass.Negated)
	if !absolute && !negative {
		return b.conversion("id", "is", isa.Modifiers{Saturate: b.is("sat", ".SAT")})
	}
	if !b.is("id", ".S32") || !b.is("is", ".S32") || absolute && negative || b.is("sat", ".SAT") {
		b.fail("its signs are not simulated here")
	}
	op := isa.OpNeg
	if absolute {
		op = isa.OpAbs
	}
	return b.make(op, isa.S32, isa.Modifiers{}, b.operand(0, isa.S32), b.operand(1, isa.S32)), nil
}

// functions are the f32 functions of MUFU, which flushes subnormals.
var functions = map[string]isa.Opcode{".COS": isa.OpCos, ".SIN": isa.OpSin, ".EX2": isa.OpEx2, ".LG2": isa.OpLg2, ".RCP": isa.OpRcp,
	".RSQ": isa.OpRsqrt}

// estimates are the functions of MUFU on the high word of a double.
var estimates = map[string]isa.Opcode{".RCP64H": isa.OpRcp64h, ".RSQ64H": isa.OpRsqrt64h}

func function(b *builder) (*isa.Instruction, error) {
	if op, ok := estimates[b.Modifier("mufu")]; ok {
		b.plain(1)
		b.only("sat")
		return b.make(op, isa.U32, isa.Modifiers{}, b.operand(0, isa.U32), b.operand(1, isa.U32)), nil
	}
	op, ok := functions[b.Modifier("mufu")]
	if !ok {
		b.fail("%s is not simulated", b.Modifier("mufu"))
	}
	return b.make(op, isa.F32, isa.Modifiers{Approx: true, Flush: true, Saturate: b.is("sat", ".SAT")}, b.operand(0, isa.F32), b.operand(1,
		isa.F32)), nil
}

// prepare is the range reduction before a function. Here functions take any argument, so it moves its source.
func prepare(b *builder) (*isa.Instruction, error) {
	b.plain(1)
	return b.make(isa.OpMov, isa.B32, isa.Modifiers{}, b.operand(0, isa.B32), b.operand(1, isa.B32)), nil
}
