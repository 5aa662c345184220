package exec

import (
	"math"
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// The multifunction unit's functions, for normal arguments and results. The caller computes the others.

const (
	fractionBits = 1<<23 - 1
	leastNormal  = 1 << 23
	signBit      = 1 << 31
	infinity     = 0xff << 23
)

// onlyIf leaves the operation to the caller if the machine code cannot compute a lane. differs makes nonzero words for such lanes of a
// source.
func (t *translator) onlyIf(s source, differs func(y mc.Vector)) {
	for c := range chunks {
		t.value(0, s, c)
		differs(0)
		t.collect(4, 0, c)
	}
	t.TestVector(4, 4)
	t.JumpIf(mc.NotEqual, t.leaveLabel())
}

// within makes zeros of words from least to most, and others of the rest. It clobbers register 1.
func (t *translator) within(y mc.Vector, least, most uint32) {
	t.VM(mc.PSUBD, y, y, t.Broadcast(least))
	t.VM(mc.PMAXUD, 1, y, t.Broadcast(most-least))
	t.VM(mc.PXOR, y, 1, t.Broadcast(most-least))
}

// interpolate computes eight results of the unit in register 7, in units of their last place. The arguments are in register 0. It clobbers
// AX and all other vector registers.
func (t *translator) interpolate(u fp.Unit) {
	t.sums(u)
	t.Right64(7, 7, 17)
	t.Right64(5, 5, 17)
	t.Left64(5, 5, 32)
	t.BlendWords(7, 7, 5, 0xaa)
}

// sums computes eight sums of the unit, of 64 bits: of even lanes in register 7, of odd lanes in register 5. The arguments are in register
// 0: a segment's number, then the low bits. It clobbers AX and all other vector registers.
func (t *translator) sums(u fp.Unit) {
	low := uint32(1)<<u.Low - 1
	gather := func(d mc.Vector, from unsafe.Pointer, index mc.Vector, offset int) {
		t.MoveImmediate64(mc.AX, uint64(uintptr(from)))
		t.V(mc.PCMPEQD, 5, 5, 5)
		t.Gather(d, mc.AX, index, offset, 5)
	}
	t.RightWords(1, 0, byte(u.Low))
	t.LeftWords(2, 1, 3)
	t.LeftWords(1, 1, 2)
	t.V(mc.PADDD, 1, 1, 2) // a segment has 12 bytes
	t.VM(mc.PAND, 0, 0, t.Broadcast(low))
	t.RightWords(2, 0, 1)
	t.LeftWords(2, 2, 2)
	gather(3, unsafe.Pointer(u.Squares), 2, 0) // a word of two squares
	t.VM(mc.PAND, 4, 0, t.Broadcast(1))
	t.LeftWords(4, 4, 4)
	t.V(mc.PSRLVD, 3, 3, 4)
	t.VM(mc.PAND, 3, 3, t.Broadcast(1<<16-1))
	gather(4, unsafe.Pointer(u.Table), 1, 8)
	gather(2, unsafe.Pointer(u.Table), 1, 4)
	gather(6, unsafe.Pointer(u.Table), 1, 0)
	t.sum(7, u)
	for _, y := range []mc.Vector{0, 2, 3, 4, 6} {
		t.Right64(y, y, 32)
	}
	t.sum(5, u)
}

// sum computes every other one of the sums from x, C1, x², C2 and C0 in registers 0, 2, 3, 4 and 6. It clobbers register 1.
func (t *translator) sum(d mc.Vector, u fp.Unit) {
	wide := func(v int64) mc.Memory { return t.double64(math.Float64frombits(uint64(v))) }
	t.V(mc.PMULDQ, d, 2, 0)
	t.Left64(d, d, byte(u.Shift1))
	t.V(mc.PMULDQ, 1, 4, 3)
	t.Left64(1, 1, byte(u.Shift2))
	t.V(mc.PADDQ, d, d, 1)
	t.VM(mc.PMULDQ, 1, 6, wide(1<<15))
	t.V(mc.PADDQ, d, d, 1)
	t.VM(mc.PADDQ, d, d, wide(u.Bias))
}

// cutOff makes f32 values, rounded towards zero, of the sums in registers 7 and 5 times a power of two, in register 0. It clobbers register
// 1.
func (t *translator) cutOff(scale float64) {
	for _, y := range []mc.Vector{7, 5} { // by the bits of 2^52, f64 holds the integers
		t.VM(mc.POR, y, y, t.double64(1<<52))
		t.VM(mc.SUBPD, y, y, t.double64(1<<52))
		t.cutDoubles(y)
		t.VM(mc.MULPD, y, y, t.double64(scale))
		t.U(mc.CVTPD2PS, y, y)
	}
	t.V(mc.PUNPCKLD, 0, 7, 5)
	t.V(mc.PUNPCKHD, 1, 7, 5)
	t.Halves(0, 0, 1, 0x20)
}

// cutDoubles cuts off the bits of f64 values that f32 has no place for.
func (t *translator) cutDoubles(y mc.Vector) {
	t.VM(mc.PAND, y, y, t.double64(math.Float64frombits(^uint64(1<<29-1))))
}

// reciprocalRoot emits rsqrt.approx.f32.
func reciprocalRoot(t *translator, b *Bound, i *isa.Instruction) bool {
	return i.Type == isa.F32 && i.Mod.Approx && t.roots(b, "rsqrt", func() {
		t.VM(mc.PAND, 1, 0, t.Broadcast(2*leastNormal-1))
		t.VM(mc.PCMPEQD, 1, 1, t.Broadcast(leastNormal)) // an even power of two, as is the result
		t.Get(2, t.Broadcast(leastNormal))
		t.Blend(7, 7, 2, 1)
		t.RightWords(0, 0, 23)
		t.VM(mc.PSUBD, 0, 0, t.Broadcast(127))
		t.SignWords(0, 0, 1)
		t.Get(2, t.Broadcast(126))
		t.V(mc.PSUBD, 0, 2, 0)
	})
}

// approximateRoot emits sqrt.approx.f32.
func approximateRoot(t *translator, b *Bound) bool {
	return t.roots(b, "sqrt", func() {
		t.RightWords(0, 0, 23)
		t.VM(mc.PADDD, 0, 0, t.Broadcast(127)) // half of the exponent, and its bias
		t.RightWords(0, 0, 1)
	})
}

// roots emits a root of the unit. Its argument is the fraction, below the lowest bit of the exponent. The function exponent makes the
// result's biased exponent of the number in register 0. It may change the fraction, in register 7, and clobbers registers 1 and 2.
func (t *translator) roots(b *Bound, function string, exponent func()) bool {
	s, ok := t.read(b, 0)
	if !ok {
		return false
	}
	t.onlyIf(s, func(y mc.Vector) { t.within(y, leastNormal, infinity-1) }) // positive and normal
	u := fp.UnitOf(function)
	for c := range chunks {
		t.value(0, s, c)
		t.VM(mc.PAND, 0, 0, t.Broadcast(2*leastNormal-1))
		t.VM(mc.PXOR, 0, 0, t.Broadcast(leastNormal))
		t.interpolate(u)
		t.VM(mc.PAND, 7, 7, t.Broadcast(fractionBits))
		t.value(0, s, c)
		exponent()
		t.LeftWords(0, 0, 23)
		t.V(mc.PADDD, 0, 0, 7)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// approximateReciprocal emits rcp.approx.f32.
func approximateReciprocal(t *translator, b *Bound) bool {
	s, ok := t.read(b, 0)
	if !ok {
		return false
	}
	t.onlyIf(s, t.noReciprocal)
	for c := range chunks {
		t.reciprocals(s, c)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// approximateQuotient emits div.approx.f32 and div.full.f32: a product with the divisor's reciprocal.
func approximateQuotient(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, 0, 2)
	if !ok {
		return false
	}
	t.onlyIf(s[1], t.noReciprocal)
	t.rounded(b, i, func(c int) {
		t.reciprocals(s[1], c)
		t.operand(1, s[0], c, i.Mod.Flush)
		t.V(mc.MULPS, 0, 0, 1)
	})
	return true
}

// noReciprocal makes nonzero words of numbers whose reciprocals the unit does not have, or flushes.
func (t *translator) noReciprocal(y mc.Vector) {
	t.VM(mc.PAND, y, y, t.Broadcast(signBit-1))
	t.within(y, leastNormal, 253*leastNormal-1)
}

// reciprocals computes eight of the unit's reciprocals in register 0.
func (t *translator) reciprocals(s source, c int) {
	t.value(0, s, c)
	t.VM(mc.PAND, 0, 0, t.Broadcast(fractionBits))
	t.interpolate(fp.UnitOf("rcp"))
	t.VM(mc.PMAXUD, 7, 7, t.Broadcast(leastNormal))
	t.VM(mc.PMINUD, 7, 7, t.Broadcast(2*leastNormal))
	t.value(0, s, c)
	t.VM(mc.PAND, 1, 0, t.Broadcast(infinity))
	t.VM(mc.PAND, 0, 0, t.Broadcast(signBit))
	t.V(mc.PSUBD, 7, 7, 1)
	t.VM(mc.PADDD, 7, 7, t.Broadcast(252*leastNormal))
	t.V(mc.POR, 0, 0, 7)
}

// logarithm emits lg2.approx.f32: of the exponent and the fraction's logarithm, with 36 bits behind the point.
func logarithm(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || i.Type != isa.F32 {
		return false
	}
	t.onlyIf(s, func(y mc.Vector) { t.within(y, leastNormal, infinity-1) })
	u := fp.UnitOf("lg2")
	for c := range chunks {
		t.value(0, s, c)
		t.VM(mc.PAND, 0, 0, t.Broadcast(fractionBits))
		t.sums(u)
		t.value(0, s, c)
		t.RightWords(0, 0, 23)
		t.VM(mc.PSUBD, 0, 0, t.Broadcast(127))
		t.SignWords(4, 0, 31)
		for _, y := range []mc.Vector{7, 5} {
			t.VM(mc.PMULDQ, 1, 0, t.double64(math.Float64frombits(1<<30)))
			t.Left64(1, 1, 6)
			t.Right64(y, y, 5)
			t.V(mc.PADDQ, y, y, 1)
			t.V(mc.PXOR, 2, 2, 2)
			t.V(mc.PCMPGTQ, 2, 2, y)
			t.V(mc.PXOR, y, y, 2)
			t.Right64(0, 0, 32) // the odd lanes' exponents
		}
		t.cutOff(1.0 / (1 << 36))
		t.LeftWords(4, 4, 31)
		t.V(mc.POR, 0, 0, 4)
		t.value(1, s, c)
		t.VM(mc.PCMPEQD, 1, 1, t.Broadcast(math.Float32bits(1)))
		t.V(mc.PANDN, 0, 1, 0)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// sinusoid emits sin.approx.f32 and cos.approx.f32. The argument in turns has 25 bits behind the point: the quadrant, then the argument of
// the unit's sine.
func sinusoid(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || i.Type != isa.F32 {
		return false
	}
	t.onlyIf(s, func(y mc.Vector) { // 0, and of usual size
		t.VM(mc.PAND, y, y, t.Broadcast(signBit-1))
		t.V(mc.PXOR, 2, 2, 2)
		t.V(mc.PCMPEQD, 2, 2, y)
		t.within(y, math.Float32bits(0x1p-100), math.Float32bits(256)-1)
		t.V(mc.PANDN, y, 2, y)
	})
	u := fp.UnitOf("sin")
	for c := range chunks {
		t.value(0, s, c)
		t.convertHalves(0, 1, 0, mc.CVTPS2PD)
		for _, y := range []mc.Vector{0, 1} {
			t.VM(mc.MULPD, y, y, t.double64(fp.Turn))
			t.cutDoubles(y)
		}
		t.narrowDoubles(0, 0, 1, mc.CVTPD2PS)
		t.VM(mc.PAND, 0, 0, t.Broadcast(signBit-1))
		t.VM(mc.MULPS, 0, 0, t.Broadcast(math.Float32bits(1<<25)))
		t.U(mc.CVTTPS, 0, 0)
		if i.Op == isa.OpCos {
			t.VM(mc.PADDD, 0, 0, t.Broadcast(1<<23))
		}
		t.Put(stateAt(offsetResult), 0)
		t.LeftWords(1, 0, 8)
		t.SignWords(1, 1, 31) // in the second and the fourth quadrant the sine runs backwards
		t.V(mc.PXOR, 0, 0, 1)
		t.VM(mc.PAND, 0, 0, t.Broadcast(fractionBits))
		t.sums(u)
		t.cutOff(1.0 / (1 << 41))
		t.Get(1, stateAt(offsetResult))
		t.LeftWords(1, 1, 7)
		if i.Op == isa.OpSin {
			t.value(2, s, c)
			t.V(mc.PXOR, 1, 1, 2)
		}
		t.VM(mc.PAND, 1, 1, t.Broadcast(signBit))
		t.V(mc.POR, 0, 0, 1)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// power emits ex2.approx.f32. The number in fixed point has the unit's argument as fraction, and the result's exponent as integer part.
func power(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || i.Type != isa.F32 {
		return false
	}
	t.onlyIf(s, func(y mc.Vector) { // from -126 to below 128
		t.Get(1, t.Broadcast(math.Float32bits(-126)))
		t.Get(2, t.Broadcast(math.Float32bits(128)))
		t.Compare32(1, y, 1, lessOrNaN)
		t.Compare32(2, y, 2, notLessOrNaN)
		t.V(mc.POR, y, 1, 2)
	})
	u := fp.UnitOf("ex2")
	for c := range chunks {
		t.fixed(s, c)
		t.Put(stateAt(offsetResult), 0)
		t.VM(mc.PAND, 0, 0, t.Broadcast(fractionBits))
		t.interpolate(u)
		t.Get(0, stateAt(offsetResult))
		t.SignWords(0, 0, 23)
		t.VM(mc.PADDD, 0, 0, t.Broadcast(127))
		t.LeftWords(0, 0, 23)
		t.VM(mc.PAND, 7, 7, t.Broadcast(fractionBits))
		t.V(mc.POR, 0, 0, 7)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// fixed converts eight numbers of magnitude below 128 to fixed point with 23 bits of fraction, in register 0. It rounds towards minus
// infinity.
func (t *translator) fixed(s source, c int) {
	t.value(0, s, c)
	t.VM(mc.PAND, 1, 0, t.Broadcast(fractionBits))
	t.VM(mc.POR, 1, 1, t.Broadcast(leastNormal))
	t.LeftWords(2, 0, 1)
	t.RightWords(2, 2, 24)
	t.VM(mc.PSUBD, 2, 2, t.Broadcast(127)) // the exponent: one of the two shifts gives zero, or both give the same
	t.V(mc.PXOR, 4, 4, 4)
	t.V(mc.PSUBD, 3, 4, 2)
	t.V(mc.PSLLVD, 2, 1, 2)
	t.V(mc.PSRLVD, 3, 1, 3)
	t.V(mc.POR, 2, 2, 3)
	t.SignWords(0, 0, 31)
	t.VM(mc.PAND, 3, 2, t.Broadcast(fractionBits))
	t.V(mc.PCMPEQD, 3, 3, 4)
	t.V(mc.PAND, 3, 3, 0) // negative and whole
	t.V(mc.PXOR, 0, 0, 2)
	t.V(mc.PSUBD, 0, 0, 3)
}
