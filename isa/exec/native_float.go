package exec

import (
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

const (
	canonicalNaN = 0x7fffffff // of f32, as the GPU produces it
	unordered    = 3          // the predicate of VCMPPS that is true for NaN
)

var offsetResult = unsafe.Offsetof(state.result)

// floatPredicates are the quiet predicates of VCMPPS for PTX's comparisons.
var floatPredicates = map[isa.Compare]byte{
	isa.EQ: 0x00, isa.LT: 0x11, isa.LE: 0x12, isa.NE: 0x0c, isa.GE: 0x1d, isa.GT: 0x1e,
	isa.EQU: 0x08, isa.NEU: 0x04, isa.LTU: 0x19, isa.LEU: 0x1a, isa.GTU: 0x16, isa.GEU: 0x15, isa.NUM: 0x07, isa.NAN: 0x03,
}

// canonical replaces NaNs by the GPU's NaN; it clobbers spoilt.
func (t *translator) canonical(y, spoilt mc.Vector) {
	t.Compare32(spoilt, y, y, unordered)
	t.BlendMemory(y, y, t.Broadcast(canonicalNaN), spoilt)
}

// nearest reports a form that only rounds to nearest.
func nearest(i *isa.Instruction) bool {
	m := &i.Mod
	return (m.Rounding == isa.RoundNearest || m.Rounding == isa.RoundNone) && !m.Flush && !m.Saturate && !m.Approx && !m.Full
}

func floatBinary(t *translator, b *Bound, i *isa.Instruction, which mc.Instruction) bool {
	s, ok := t.reads(b, 0, 2)
	if !ok || !nearest(i) || i.Type != isa.F32 {
		return false
	}
	for c := range chunks {
		t.value(0, s[0], c)
		t.apply(which, 0, 0, s[1], c)
		t.canonical(0, 1)
		t.write(b.destination[0], c, 0)
	}
	return true
}

func divide(t *translator, b *Bound, i *isa.Instruction) bool {
	return i.Mod.Rounding == isa.RoundNearest && floatBinary(t, b, i, mc.DIVPS)
}

// reciprocal emits rcp.rn.f32.
func reciprocal(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || !nearest(i) || i.Mod.Rounding != isa.RoundNearest || i.Type != isa.F32 {
		return false
	}
	for c := range chunks {
		t.Get(0, t.Broadcast(0x3f800000))
		t.apply(mc.DIVPS, 0, 0, s, c)
		t.canonical(0, 1)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// floatExtreme emits min and max of f32 as integer operations, on bit patterns transformed to the order of their values, -0 below +0. A
// number wins against a NaN.
func floatExtreme(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, 0, 2)
	if !ok || i.Mod.Flush {
		return false
	}
	which := mc.PMINSD
	if i.Op == isa.OpMax {
		which = mc.PMAXSD
	}
	ordered := func(y mc.Vector) {
		t.SignWords(spare, y, 31)
		t.RightWords(spare, spare, 1)
		t.V(mc.PXOR, y, y, spare)
	}
	for c := range chunks {
		t.value(0, s[0], c)
		t.value(1, s[1], c)
		t.Compare32(2, 0, 0, unordered)
		t.Compare32(3, 1, 1, unordered)
		t.Copy(4, 0)
		t.Copy(5, 1)
		ordered(4)
		ordered(5)
		t.V(which, 4, 4, 5)
		ordered(4)
		t.Blend(4, 4, 1, 2)
		t.Blend(4, 4, 0, 3)
		t.canonical(4, 5)
		t.write(b.destination[0], c, 4)
	}
	return true
}

func root(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || !nearest(i) || i.Mod.Rounding != isa.RoundNearest || i.Type != isa.F32 {
		return false
	}
	for c := range chunks {
		t.value(0, s, c)
		t.U(mc.SQRTPS, 0, 0)
		t.canonical(0, 1)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// fused emits fma and mad of f32 and f64.
func fused(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.F64 {
		return doubleFused(t, b, i)
	}
	s, ok := t.reads(b, 0, 2, 4)
	if !ok || !nearest(i) || i.Type != isa.F32 {
		return false
	}
	for c := range chunks {
		t.value(0, s[0], c)
		t.value(1, s[1], c)
		t.apply(mc.FMADDPS, 0, 1, s[2], c)
		t.canonical(0, 1)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// joinDoubles combines low and high words into eight f64 values in two registers: lanes 0, 1, 4, 5 of the eight, and lanes 2, 3, 6, 7.
func (t *translator) joinDoubles(d, dHigh mc.Vector, low, high source, c int) {
	t.value(4, low, c)
	t.value(5, high, c)
	t.V(mc.PUNPCKLD, d, 4, 5)
	t.V(mc.PUNPCKHD, dHigh, 4, 5)
}

// splitDoubles splits results of joinDoubles and writes them. NaNs have been excluded before: their payloads are up to the caller.
func (t *translator) splitDoubles(b *Bound, results *[2 * chunks]mc.Memory) {
	for c := range chunks {
		t.Get(0, results[2*c])
		t.Get(1, results[2*c+1])
		t.Shuffle(2, 0, 1, 0x88)
		t.Shuffle(3, 0, 1, 0xdd)
		t.write(b.destination[0], c, 2)
		t.write(b.destination[1], c, 3)
	}
}

// double emits an f64 operation: compute leaves eight lanes in registers 0 and 1. If any result is NaN the whole operation is left to the
// caller, so nothing is written before all results are checked.
func (t *translator) double(b *Bound, compute func(c int)) {
	var results [2 * chunks]mc.Memory
	for n := range results {
		results[n] = stateAt(unsafe.Offsetof(state.wide) + uintptr(chunkBytes*n))
	}
	t.MoveImmediate(mc.DX, 0)
	for c := range chunks {
		compute(c)
		t.Compare64(2, 0, 0, unordered)
		t.Compare64(3, 1, 1, unordered)
		t.V(mc.POR, 2, 2, 3)
		t.MaskWide(mc.CX, 2)
		t.Or(mc.DX, mc.CX)
		t.Put(results[2*c], 0)
		t.Put(results[2*c+1], 1)
	}
	t.Test(mc.DX, mc.DX)
	t.JumpIf(mc.NotEqual, t.leaveLabel())
	t.splitDoubles(b, &results)
}

func doubleBinary(t *translator, b *Bound, i *isa.Instruction, which mc.Instruction) bool {
	s, ok := t.pairs(b, 2)
	if !ok || !nearest(i) {
		return false
	}
	t.double(b, func(c int) {
		t.joinDoubles(0, 1, s[0], s[1], c)
		t.joinDoubles(2, 3, s[2], s[3], c)
		t.V(which, 0, 0, 2)
		t.V(which, 1, 1, 3)
	})
	return true
}

func doubleFused(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.pairs(b, 3)
	if !ok || !nearest(i) {
		return false
	}
	t.double(b, func(c int) {
		t.joinDoubles(0, 1, s[0], s[1], c)
		t.joinDoubles(2, 3, s[2], s[3], c)
		t.value(4, s[4], c)
		t.value(5, s[5], c)
		t.V(mc.PUNPCKLD, spare, 4, 5)
		t.V(mc.PUNPCKHD, merged, 4, 5)
		t.V(mc.FMADDPD, 0, 2, spare)
		t.V(mc.FMADDPD, 1, 3, merged)
	})
	return true
}

// roundings are VROUNDPS's modes for rounding to an integral value, plus one.
var roundings = map[isa.Rounding]byte{isa.RoundNearestInt: 1, isa.RoundMinusInt: 2, isa.RoundPlusInt: 3, isa.RoundZeroInt: 4}

// conversion emits the most common conversions.
func conversion(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Mod.Saturate || i.Mod.Flush {
		return false
	}
	s, ok := t.reads(b, 0)
	if !ok {
		return false
	}
	to, from := plainBits(i.Type), plainBits(i.From)
	whole := func(x isa.Type) bool { return x == isa.U32 || x == isa.S32 || x == isa.U64 || x == isa.S64 }
	switch {
	case to == isa.F32 && from == isa.S32 && i.Mod.Rounding == isa.RoundNearest:
		for c := range chunks {
			t.value(0, s[0], c)
			t.U(mc.CVTDQ2PS, 0, 0)
			t.write(b.destination[0], c, 0)
		}
	case to == isa.F32 && from == isa.U32 && i.Mod.Rounding == isa.RoundNearest:
		fromUnsigned(t, b, s[0])
	case to == isa.S32 && from == isa.F32 && i.Mod.Rounding == isa.RoundZeroInt && b.destination[1] == slotSink:
		toSigned(t, b, s[0])
	case to == isa.F32 && from == isa.F32 && roundings[i.Mod.Rounding] != 0:
		for c := range chunks {
			t.value(0, s[0], c)
			t.RoundWords(0, 0, roundings[i.Mod.Rounding]-1)
			t.canonical(0, 1)
			t.write(b.destination[0], c, 0)
		}
	case whole(to) && whole(from) && to.Bytes() == 4:
		return b.destination[1] == slotSink && extended(t, b, s[0], 1, false)
	case whole(to) && from.Bytes() == 4 && whole(from):
		return extended(t, b, s[0], 2, from.Signed())
	default:
		return false
	}
	return true
}

// extended emits an integer conversion that copies the low word and fills the high word.
func extended(t *translator, b *Bound, s source, count int, signed bool) bool {
	t.V(mc.PXOR, 1, 1, 1)
	for c := range chunks {
		t.value(0, s, c)
		if count == 2 && signed {
			t.SignWords(1, 0, 31)
		}
		t.write(b.destination[0], c, 0)
		if count == 2 {
			t.write(b.destination[1], c, 1)
		}
	}
	return true
}

// fromUnsigned converts u32 to f32: f32 holds each 16-bit half exactly, so only their sum rounds.
func fromUnsigned(t *translator, b *Bound, s source) {
	for c := range chunks {
		t.value(0, s, c)
		t.RightWords(1, 0, 16)
		t.VM(mc.PAND, 0, 0, t.Broadcast(0xffff))
		t.U(mc.CVTDQ2PS, 0, 0)
		t.U(mc.CVTDQ2PS, 1, 1)
		t.VM(mc.MULPS, 1, 1, t.Broadcast(0x47800000)) // 65536
		t.V(mc.ADDPS, 0, 0, 1)
		t.write(b.destination[0], c, 0)
	}
}

// toSigned converts f32 to s32, rounding to zero; values out of range leave the operation to the caller.
func toSigned(t *translator, b *Bound, s source) {
	t.V(mc.PXOR, 4, 4, 4)
	for c := range chunks {
		y := mc.Vector(c)
		t.value(y, s, c)
		t.U(mc.CVTTPS, y, y)
		t.VM(mc.PCMPEQD, 5, y, t.Broadcast(1<<31))
		t.V(mc.POR, 4, 4, 5)
	}
	t.TestVector(4, 4)
	t.JumpIf(mc.NotEqual, t.leaveLabel())
	for c := range chunks {
		t.write(b.destination[0], c, mc.Vector(c))
	}
}
