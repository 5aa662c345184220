package decode

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// floatForms are the floating-point instructions.
var floatForms = []Form{
	{Opcode: isa.OpAdd, Modifiers: "rnd? ftz? sat?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpAdd, Modifiers: "rnd?", Types: "f64", Operands: "d a b"},
	{Opcode: isa.OpSub, Modifiers: "rnd? ftz? sat?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpSub, Modifiers: "rnd?", Types: "f64", Operands: "d a b"},
	{Opcode: isa.OpMul, Modifiers: "rnd? ftz? sat?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpMul, Modifiers: "rnd?", Types: "f64", Operands: "d a b"},
	{Opcode: isa.OpFma, Modifiers: "rnd ftz? sat?", Types: "f32", Operands: "d a b c"},
	{Opcode: isa.OpFma, Modifiers: "rnd", Types: "f64", Operands: "d a b c"},
	{Opcode: isa.OpMad, Modifiers: "rnd? ftz? sat?", Types: "f32", Operands: "d a b c"},
	{Opcode: isa.OpMad, Modifiers: "rnd?", Types: "f64", Operands: "d a b c"},
	{Opcode: isa.OpDiv, Modifiers: "rnd ftz?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpDiv, Modifiers: "approx ftz?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpDiv, Modifiers: "full ftz?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpDiv, Modifiers: "ftz?", Types: "f32", Operands: "d a b", Rule: legacyApproximate},
	{Opcode: isa.OpDiv, Modifiers: "rnd?", Types: "f64", Operands: "d a b", Rule: legacyNearest},
	{Opcode: isa.OpRcp, Modifiers: "rnd ftz?", Types: "f32", Operands: "d a"},
	{Opcode: isa.OpRcp, Modifiers: "approx? ftz?", Types: "f32", Operands: "d a", Rule: legacyApproximate},
	{Opcode: isa.OpRcp, Modifiers: "rnd?", Types: "f64", Operands: "d a", Rule: legacyNearest},
	{Opcode: isa.OpRcp, Modifiers: "approx ftz", Types: "f64", Operands: "d a"},
	{Opcode: isa.OpSqrt, Modifiers: "rnd ftz?", Types: "f32", Operands: "d a"},
	{Opcode: isa.OpSqrt, Modifiers: "approx? ftz?", Types: "f32", Operands: "d a", Rule: legacyApproximate},
	{Opcode: isa.OpSqrt, Modifiers: "rnd?", Types: "f64", Operands: "d a", Rule: legacyNearest},
	{Opcode: isa.OpRsqrt, Modifiers: "approx? ftz?", Types: "f32", Operands: "d a", Rule: legacyApproximate},
	{Opcode: isa.OpRsqrt, Modifiers: "approx? ftz?", Types: "f64", Operands: "d a", Rule: approximate},
	{Opcode: isa.OpSin, Modifiers: "approx? ftz?", Types: "f32", Operands: "d a", Rule: legacyApproximate},
	{Opcode: isa.OpCos, Modifiers: "approx? ftz?", Types: "f32", Operands: "d a", Rule: legacyApproximate},
	{Opcode: isa.OpLg2, Modifiers: "approx? ftz?", Types: "f32", Operands: "d a", Rule: legacyApproximate},
	{Opcode: isa.OpEx2, Modifiers: "approx? ftz?", Types: "f32", Operands: "d a", Rule: legacyApproximate},
	{Opcode: isa.OpAbs, Modifiers: "ftz?", Types: "f32", Operands: "d a"},
	{Opcode: isa.OpAbs, Types: "f64", Operands: "d a"},
	{Opcode: isa.OpNeg, Modifiers: "ftz?", Types: "f32", Operands: "d a"},
	{Opcode: isa.OpNeg, Types: "f64", Operands: "d a"},
	{Opcode: isa.OpMin, Modifiers: "ftz?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpMin, Types: "f64", Operands: "d a b"},
	{Opcode: isa.OpMax, Modifiers: "ftz?", Types: "f32", Operands: "d a b"},
	{Opcode: isa.OpMax, Types: "f64", Operands: "d a b"},
	{Opcode: isa.OpTestp, Modifiers: "testp", Types: "f32|f64", Operands: "p a"},
	{Opcode: isa.OpCopysign, Types: "f32|f64", Operands: "d a b"},
}

// approximate marks a form that is approximate whether or not it says so.
func approximate(t *template) string {
	t.ins.Mod.Approx = true
	return ""
}

// legacyApproximate applies the default of PTX before 1.4, which let these be written without .approx: they were approximate and
// flushed subnormals.
func legacyApproximate(t *template) string {
	if !t.ins.Mod.Approx {
		t.ins.Mod.Approx, t.ins.Mod.Flush, t.legacy = true, true, true
	}
	return ""
}

// legacyNearest applies the default of PTX before 1.4 for f64 forms without a rounding mode.
func legacyNearest(t *template) string {
	if t.ins.Mod.Rounding == isa.RoundNone {
		t.ins.Mod.Rounding, t.legacy = isa.RoundNearest, true
	}
	return ""
}

// compareForms are the comparisons and selections.
var compareForms = []Form{
	{Opcode: isa.OpSetp, Modifiers: "cmpb", Types: bits16, Operands: "p|q? a b"},
	{Opcode: isa.OpSetp, Modifiers: "cmpb bool", Types: bits16, Operands: "p|q? a b c:p"},
	{Opcode: isa.OpSetp, Modifiers: "cmpi", Types: "s16|s32|s64", Operands: "p|q? a b"},
	{Opcode: isa.OpSetp, Modifiers: "cmpi bool", Types: "s16|s32|s64", Operands: "p|q? a b c:p"},
	{Opcode: isa.OpSetp, Modifiers: "cmpu", Types: "u16|u32|u64", Operands: "p|q? a b"},
	{Opcode: isa.OpSetp, Modifiers: "cmpu bool", Types: "u16|u32|u64", Operands: "p|q? a b c:p"},
	{Opcode: isa.OpSetp, Modifiers: "cmpf ftz?", Types: "f32", Operands: "p|q? a b"},
	{Opcode: isa.OpSetp, Modifiers: "cmpf bool ftz?", Types: "f32", Operands: "p|q? a b c:p"},
	{Opcode: isa.OpSetp, Modifiers: "cmpf", Types: "f64", Operands: "p|q? a b"},
	{Opcode: isa.OpSetp, Modifiers: "cmpf bool", Types: "f64", Operands: "p|q? a b c:p"},
	{Opcode: isa.OpSet, Modifiers: "cmpb", Types: "u32|s32|f32 " + bits16, Operands: "d a:f b:f"},
	{Opcode: isa.OpSet, Modifiers: "cmpb bool", Types: "u32|s32|f32 " + bits16, Operands: "d a:f b:f c:p"},
	{Opcode: isa.OpSet, Modifiers: "cmpi", Types: "u32|s32|f32 s16|s32|s64", Operands: "d a:f b:f"},
	{Opcode: isa.OpSet, Modifiers: "cmpi bool", Types: "u32|s32|f32 s16|s32|s64", Operands: "d a:f b:f c:p"},
	{Opcode: isa.OpSet, Modifiers: "cmpu", Types: "u32|s32|f32 u16|u32|u64", Operands: "d a:f b:f"},
	{Opcode: isa.OpSet, Modifiers: "cmpu bool", Types: "u32|s32|f32 u16|u32|u64", Operands: "d a:f b:f c:p"},
	{Opcode: isa.OpSet, Modifiers: "cmpf ftz?", Types: "u32|s32|f32 f32", Operands: "d a:f b:f"},
	{Opcode: isa.OpSet, Modifiers: "cmpf bool ftz?", Types: "u32|s32|f32 f32", Operands: "d a:f b:f c:p"},
	{Opcode: isa.OpSet, Modifiers: "cmpf", Types: "u32|s32|f32 f64", Operands: "d a:f b:f"},
	{Opcode: isa.OpSet, Modifiers: "cmpf bool", Types: "u32|s32|f32 f64", Operands: "d a:f b:f c:p"},
	{Opcode: isa.OpSelp, Types: "b16|b32|b64|" + int16to64 + "|f32|f64", Operands: "d a b c:p"},
	{Opcode: isa.OpSlct, Types: "b16|b32|b64|" + int16to64 + "|f32|f64 s32", Operands: "d a b c:f"},
	{Opcode: isa.OpSlct, Modifiers: "ftz?", Types: "b16|b32|b64|" + int16to64 + "|f32|f64 f32", Operands: "d a b c:f"},
}

const (
	anyInteger = "u8|u16|u32|u64|s8|s16|s32|s64"
)

// convertForms are the conversions.
var convertForms = []Form{
	{Opcode: isa.OpCvt, Modifiers: "sat?", Types: anyInteger + " " + anyInteger, Operands: "d a:f", Rule: narrowing},
	{Opcode: isa.OpCvt, Modifiers: "rnd ftz? sat?", Types: "f32 " + anyInteger, Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rnd sat?", Types: "f16|f64 " + anyInteger, Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rndi ftz? sat?", Types: anyInteger + " f32", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rndi sat?", Types: anyInteger + " f16|f64", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rndi? ftz? sat?", Types: "f32 f32", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rndi? sat?", Types: "f16 f16", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rndi? sat?", Types: "f64 f64", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "ftz? sat?", Types: "f32 f16", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "ftz? sat?", Types: "f64 f32", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "sat?", Types: "f64 f16", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rnd ftz? sat?", Types: "f32 f64", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rnd ftz? sat?", Types: "f16 f32", Operands: "d a:f"},
	{Opcode: isa.OpCvt, Modifiers: "rnd sat?", Types: "f16 f64", Operands: "d a:f"},
	{Opcode: isa.OpCvta, Modifiers: "to? cvtaspace", Types: "u32|u64", Operands: "d a"},
	{Opcode: isa.OpIsspacep, Modifiers: "cvtaspace", Operands: "p a:addr"},
}

// narrowing refuses .sat between integers where no value of the source lies outside the destination's range, as the
// assembler does.
func narrowing(t *template) string {
	d, s := t.ins.Type, t.ins.From
	if !t.ins.Mod.Saturate {
		return ""
	}
	wider := d.Bytes() > s.Bytes()
	if d.Signed() == s.Signed() && d.Bytes() >= s.Bytes() || d.Signed() && !s.Signed() && wider {
		return fmt.Sprintf("`%s`: .sat is not allowed: every .%s is a .%s already; leave .sat out", t.text, s, d)
	}
	return ""
}
