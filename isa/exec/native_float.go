package exec

import (
	"math"
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
func nearest(i *isa.Instruction) bool { return nearestOrFlushed(i) && !i.Mod.Flush }

// nearestOrFlushed reports a form that only rounds to nearest, and may flush subnormal numbers.
func nearestOrFlushed(i *isa.Instruction) bool {
	m := &i.Mod
	return (m.Rounding == isa.RoundNearest || m.Rounding == isa.RoundNone) && !m.Saturate && !m.Approx && !m.Full
}

func floatBinary(t *translator, b *Bound, i *isa.Instruction, which mc.Instruction) bool {
	s, ok := t.reads(b, 0, 2)
	if !ok || !nearestOrFlushed(i) || i.Type != isa.F32 {
		return false
	}
	t.rounded(b, i, func(c int) {
		t.operand(0, s[0], c, i.Mod.Flush)
		if !i.Mod.Flush {
			t.apply(which, 0, 0, s[1], c)
			return
		}
		t.operand(1, s[1], c, true)
		t.V(which, 0, 0, 1)
	})
	return true
}

// operand reads eight lanes of an f32 source. Of subnormal numbers flush makes zeros. It clobbers register 3.
func (t *translator) operand(d mc.Vector, s source, c int, flush bool) {
	t.value(d, s, c)
	if flush {
		t.flush(d, 3)
	}
}

// flush makes zeros of the same sign of subnormal numbers.
func (t *translator) flush(y, spoilt mc.Vector) {
	t.VM(mc.PAND, spoilt, y, t.Broadcast(infinity))
	t.VM(mc.PCMPEQD, spoilt, spoilt, t.Broadcast(0))
	t.RightWords(spoilt, spoilt, 1)
	t.V(mc.PANDN, y, spoilt, y)
}

// rounded emits an operation on f32 that rounds to nearest: compute leaves eight results in register 0, and may clobber registers 1 to 7.
// With .ftz subnormal results become zeros. The caller executes the whole operation if a result is the smallest normal number: it may have
// been rounded up to that.
func (t *translator) rounded(b *Bound, i *isa.Instruction, compute func(c int)) {
	if !i.Mod.Flush {
		for c := range chunks {
			compute(c)
			t.canonical(0, 1)
			t.write(b.destination[0], c, 0)
		}
		return
	}
	result := func(c int) mc.Memory { return stateAt(unsafe.Offsetof(state.wide) + uintptr(chunkBytes*c)) }
	t.unlessOutside(func(c int) {
		compute(c)
		t.canonical(0, 1)
		t.VM(mc.PAND, 1, 0, t.Broadcast(signBit-1))
		t.VM(mc.PCMPEQD, 1, 1, t.Broadcast(leastNormal))
		t.noteOutside(1, t.Mask)
		t.flush(0, 1)
		t.Put(result(c), 0)
	})
	for c := range chunks {
		t.Get(0, result(c))
		t.write(b.destination[0], c, 0)
	}
}

func divide(t *translator, b *Bound, i *isa.Instruction) bool {
	switch {
	case i.Type == isa.F64:
		return i.Mod.Rounding == isa.RoundNearest && doubleBinary(t, b, i, mc.DIVPD)
	case !i.Type.Float():
		return quotient(t, b, i)
	case i.Mod.Approx || i.Mod.Full:
		return i.Type == isa.F32 && approximateQuotient(t, b, i)
	}
	return i.Mod.Rounding == isa.RoundNearest && floatBinary(t, b, i, mc.DIVPS)
}

// reciprocal emits rcp.
func reciprocal(t *translator, b *Bound, i *isa.Instruction) bool {
	switch {
	case i.Mod.Approx:
		return i.Type == isa.F32 && approximateReciprocal(t, b)
	case i.Type == isa.F64:
		return doubleUnary(t, b, i, func(y mc.Vector) {
			t.Get(2, t.double64(1))
			t.V(mc.DIVPD, y, 2, y)
		})
	}
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
	switch {
	case i.Mod.Approx:
		return i.Type == isa.F32 && approximateRoot(t, b)
	case i.Type == isa.F64:
		return doubleUnary(t, b, i, func(y mc.Vector) { t.U(mc.SQRTPD, y, y) })
	}
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
	if !ok || !nearestOrFlushed(i) || i.Type != isa.F32 {
		return false
	}
	t.rounded(b, i, func(c int) {
		t.operand(0, s[0], c, i.Mod.Flush)
		t.operand(1, s[1], c, i.Mod.Flush)
		if !i.Mod.Flush {
			t.apply(mc.FMADDPS, 0, 1, s[2], c)
			return
		}
		t.operand(2, s[2], c, true)
		t.V(mc.FMADDPS, 0, 1, 2)
	})
	return true
}

// joinDoubles combines low and high words into eight f64 values in two registers: lanes 0, 1, 4, 5 of the eight, and lanes 2, 3, 6, 7.
func (t *translator) joinDoubles(d, dHigh mc.Vector, low, high source, c int) {
	t.value(4, low, c)
	t.value(5, high, c)
	t.V(mc.PUNPCKLD, d, 4, 5)
	t.V(mc.PUNPCKHD, dHigh, 4, 5)
}

// writeDoubles writes eight f64 values from registers 0 and 1, in the lanes of joinDoubles.
func (t *translator) writeDoubles(b *Bound, c int) {
	t.Shuffle(2, 0, 1, 0x88)
	t.Shuffle(3, 0, 1, 0xdd)
	t.write(b.destination[0], c, 2)
	t.write(b.destination[1], c, 3)
}

// double emits an operation on f64: compute leaves eight results in registers 0 and 1, in the lanes of joinDoubles. The caller executes the
// whole operation if a result is NaN, because of NaN's payload.
func (t *translator) double(b *Bound, compute func(c int)) {
	var results [2 * chunks]mc.Memory
	for n := range results {
		results[n] = stateAt(unsafe.Offsetof(state.wide) + uintptr(chunkBytes*n))
	}
	t.unlessOutside(func(c int) {
		compute(c)
		t.Compare64(2, 0, 0, unordered)
		t.Compare64(3, 1, 1, unordered)
		t.V(mc.POR, 2, 2, 3)
		t.noteOutside(2, t.MaskWide)
		t.Put(results[2*c], 0)
		t.Put(results[2*c+1], 1)
	})
	for c := range chunks {
		t.Get(0, results[2*c])
		t.Get(1, results[2*c+1])
		t.writeDoubles(b, c)
	}
}

// unlessOutside emits a computation for all chunks of lanes, and leaves the operation to the caller if it has noted lanes with noteOutside.
// So results must not be written before.
func (t *translator) unlessOutside(compute func(c int)) {
	t.MoveImmediate(mc.DX, 0)
	for c := range chunks {
		compute(c)
	}
	t.Test(mc.DX, mc.DX)
	t.JumpIf(mc.NotEqual, t.leaveLabel())
}

// noteOutside notes in DX the lanes of a mask: the machine code cannot compute their results.
func (t *translator) noteOutside(lanes mc.Vector, mask func(d mc.General, s mc.Vector)) {
	mask(mc.CX, lanes)
	t.Or(mc.DX, mc.CX)
}

// noteOverflow notes the lanes of a signed conversion whose numbers are out of range: the host makes 1<<31 of them.
func (t *translator) noteOverflow(words mc.Vector) {
	t.VM(mc.PCMPEQD, 5, words, t.Broadcast(1<<31))
	t.noteOutside(5, t.Mask)
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

// doubleUnary emits an operation on f64 that rounds to nearest; compute changes a register of four values, and may spoil register 2.
func doubleUnary(t *translator, b *Bound, i *isa.Instruction, compute func(y mc.Vector)) bool {
	s, ok := t.pairs(b, 1)
	if !ok || !nearest(i) || i.Mod.Rounding != isa.RoundNearest {
		return false
	}
	t.double(b, func(c int) {
		t.joinDoubles(0, 1, s[0], s[1], c)
		compute(0)
		compute(1)
	})
	return true
}

// doubleSign emits neg and abs of f64.
func doubleSign(t *translator, b *Bound, which mc.Instruction, with float64) bool {
	s, ok := t.pairs(b, 1)
	if !ok {
		return false
	}
	t.double(b, func(c int) {
		t.joinDoubles(0, 1, s[0], s[1], c)
		t.VM(which, 0, 0, t.double64(with))
		t.VM(which, 1, 1, t.double64(with))
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
	to, from := plainBits(i.Type), plainBits(i.From)
	s, ok := t.reads(b, []int{0, 1}[:max(1, from.Bytes()/4)]...)
	if !ok {
		return false
	}
	if from.Bytes() < 4 && !from.Float() {
		s[0].extend = from
	}
	rounding := roundings[i.Mod.Rounding]
	words := from.Bytes() <= 4 && !from.Float() // integers that a word holds
	switch {
	case words && to.Float() && i.Mod.Rounding == isa.RoundNearest:
		return fromIntegers(t, b, s[0], to, from == isa.U32)
	case !to.Float() && to.Bytes() <= 4 && rounding != 0 && b.destination[1] == slotSink && (from == isa.F32 || from == isa.F64):
		toIntegers(t, b, s, to, from, rounding-1)
	case to == from && rounding != 0 && (to == isa.F32 || to == isa.F64):
		roundToIntegral(t, b, s, to, rounding-1)
	case to == isa.F64 && from == isa.F32:
		t.convertToDoubles(b, s[0], mc.CVTPS2PD, false)
	case to == isa.F32 && from == isa.F64 && i.Mod.Rounding == isa.RoundNearest:
		for c := range chunks {
			t.joinDoubles(0, 1, s[0], s[1], c)
			t.narrowDoubles(0, 0, 1, mc.CVTPD2PS)
			t.write(b.destination[0], c, 0)
		}
	case !to.Float() && !from.Float() && to.Bytes() <= 4:
		return b.destination[1] == slotSink && extended(t, b, s[0], to, 1, false)
	case !to.Float() && words:
		return extended(t, b, s[0], to, 2, from.Signed())
	default:
		return false
	}
	return true
}

// convertToDoubles converts words to f64 and writes them.
func (t *translator) convertToDoubles(b *Bound, s source, which mc.Instruction, unsigned bool) {
	for c := range chunks {
		t.value(0, s, c)
		if which == mc.CVTDQ2PD {
			t.integersToDoubles(0, 1, 0, unsigned)
		} else {
			t.convertHalves(0, 1, 0, which)
		}
		t.writeDoubles(b, c)
	}
}

// convertHalves converts eight words to f64, in the lanes of joinDoubles.
func (t *translator) convertHalves(low, high, s mc.Vector, which mc.Instruction) {
	t.PermuteWide(low, s, 0xd8)
	t.Halves(high, low, low, 0x11)
	t.U(which, low, low)
	t.U(which, high, high)
}

// integersToDoubles converts eight integers to f64. It moves unsigned ones into the signed range before, and back after.
func (t *translator) integersToDoubles(low, high, s mc.Vector, unsigned bool) {
	if !unsigned {
		t.convertHalves(low, high, s, mc.CVTDQ2PD)
		return
	}
	t.VM(mc.PXOR, s, s, t.Broadcast(1<<31))
	t.convertHalves(low, high, s, mc.CVTDQ2PD)
	t.VM(mc.ADDPD, low, low, t.double64(1<<31))
	t.VM(mc.ADDPD, high, high, t.double64(1<<31))
}

// double64 returns a constant of four equal f64 values.
func (t *translator) double64(v float64) mc.Memory {
	low, high := uint32(math.Float64bits(v)), uint32(math.Float64bits(v)>>32)
	return t.Constant([8]uint32{low, high, low, high, low, high, low, high})
}

// narrowDoubles converts eight f64 values, in the lanes of joinDoubles, to words.
func (t *translator) narrowDoubles(d, low, high mc.Vector, which mc.Instruction) {
	t.U(which, low, low)
	t.U(which, high, high)
	t.Halves(d, low, high, 0x20)
	t.PermuteWide(d, d, 0xd8)
}

// roundToIntegral rounds to an integral value. For NaNs of f64 the host gives what the GPU gives.
func roundToIntegral(t *translator, b *Bound, s [6]source, of isa.Type, how byte) {
	for c := range chunks {
		if of == isa.F64 {
			t.joinDoubles(0, 1, s[0], s[1], c)
			t.RoundWide(0, 0, how)
			t.RoundWide(1, 1, how)
			t.writeDoubles(b, c)
			continue
		}
		t.value(0, s[0], c)
		t.RoundWords(0, 0, how)
		t.canonical(0, 1)
		t.write(b.destination[0], c, 0)
	}
}

// extended emits a conversion of integers that copies the low word, and fills the upper one.
func extended(t *translator, b *Bound, s source, to isa.Type, count int, signed bool) bool {
	t.V(mc.PXOR, 1, 1, 1)
	for c := range chunks {
		t.value(0, s, c)
		t.extend(0, to)
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

// fromIntegers makes floats of 32-bit integers.
func fromIntegers(t *translator, b *Bound, s source, to isa.Type, unsigned bool) bool {
	switch {
	case to == isa.F64:
		t.convertToDoubles(b, s, mc.CVTDQ2PD, unsigned)
	case to != isa.F32:
		return false
	case unsigned:
		fromUnsigned(t, b, s)
	default:
		for c := range chunks {
			t.value(0, s, c)
			t.U(mc.CVTDQ2PS, 0, 0)
			t.write(b.destination[0], c, 0)
		}
	}
	return true
}

// fromUnsigned makes f32 of u32: of the two halves, which f32 holds exactly, so that their sum is all that rounds.
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

const (
	lessOrNaN    = 0x19 // predicates of VCMPPS and VCMPPD
	notLessOrNaN = 0x15
	notLess      = 0x1d
)

// toIntegers converts floats to integers of at most 32 bits. The caller executes the whole operation if a lane is out of range.
func toIntegers(t *translator, b *Bound, s [6]source, to, from isa.Type, how byte) {
	t.unlessOutside(func(c int) {
		y := mc.Vector(c)
		if from == isa.F64 {
			t.joinDoubles(spare, merged, s[0], s[1], c)
			t.doublesToIntegers(y, to, how)
		} else {
			t.singlesToIntegers(y, s[0], c, to, how)
		}
		if to != isa.U32 {
			t.noteOverflow(y)
		}
		if to.Bytes() < 4 {
			least, most := int32(0), int32(1)<<(8*to.Bytes())-1
			if to.Signed() {
				least, most = -1-most/2, most/2
			}
			t.VM(mc.PMAXSD, y, y, t.Broadcast(uint32(least)))
			t.VM(mc.PMINSD, y, y, t.Broadcast(uint32(most)))
		}
	})
	for c := range chunks {
		t.write(b.destination[0], c, mc.Vector(c))
	}
}

// doublesToIntegers converts the f64 values in spare and merged to eight words, unsigned ones by way of the signed range. It clobbers
// registers 4 and 5.
func (t *translator) doublesToIntegers(d mc.Vector, to isa.Type, how byte) {
	for _, y := range []mc.Vector{spare, merged} {
		t.RoundWide(y, y, how)
		if to == isa.U32 {
			t.V(mc.PXOR, 4, 4, 4)
			t.Compare64(4, y, 4, lessOrNaN)
			t.Get(5, t.double64(1<<32))
			t.Compare64(5, y, 5, notLessOrNaN)
			t.V(mc.POR, 4, 4, 5)
			t.noteOutside(4, t.MaskWide)
			t.VM(mc.SUBPD, y, y, t.double64(1<<31))
		}
	}
	t.narrowDoubles(d, spare, merged, mc.CVTTPD)
	if to == isa.U32 {
		t.VM(mc.PXOR, d, d, t.Broadcast(1<<31))
	}
}

// singlesToIntegers converts eight f32 values to words. It subtracts 2^31 from large unsigned ones before, and adds it after.
func (t *translator) singlesToIntegers(d mc.Vector, s source, c int, to isa.Type, how byte) {
	t.value(d, s, c)
	t.RoundWords(d, d, how)
	if to != isa.U32 {
		t.U(mc.CVTTPS, d, d)
		return
	}
	t.V(mc.PXOR, 4, 4, 4)
	t.Compare32(4, d, 4, lessOrNaN)
	t.Get(5, t.Broadcast(math.Float32bits(1<<32)))
	t.Compare32(5, d, 5, notLessOrNaN)
	t.V(mc.POR, 4, 4, 5)
	t.noteOutside(4, t.Mask)
	t.Get(5, t.Broadcast(math.Float32bits(1<<31)))
	t.Compare32(4, d, 5, notLess)
	t.V(mc.PAND, 5, 5, 4)
	t.V(mc.SUBPS, d, d, 5)
	t.U(mc.CVTTPS, d, d)
	t.LeftWords(4, 4, 31)
	t.V(mc.PXOR, d, d, 4)
}
