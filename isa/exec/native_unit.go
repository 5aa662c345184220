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

// interpolate computes eight results of the unit in register 7. The arguments are in register 0: a segment's number, then the low bits. It
// clobbers AX and all other vector registers.
func (t *translator) interpolate(u fp.Unit) {
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
	t.Left64(5, 5, 32)
	t.BlendWords(7, 7, 5, 0xaa)
}

// sum computes every other result of interpolate from x, C1, x², C2 and C0 in registers 0, 2, 3, 4 and 6. It clobbers register 1.
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
	t.Right64(d, d, 17)
}

// reciprocalRoot emits rsqrt.approx.f32. The argument is the fraction, below the lowest bit of the exponent.
func reciprocalRoot(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || i.Type != isa.F32 || !i.Mod.Approx {
		return false
	}
	t.onlyIf(s, func(y mc.Vector) { // positive and normal
		t.VM(mc.PSUBD, y, y, t.Broadcast(leastNormal))
		t.VM(mc.PMAXUD, 1, y, t.Broadcast(canonicalNaN-fractionBits-leastNormal-1))
		t.VM(mc.PXOR, y, 1, t.Broadcast(canonicalNaN-fractionBits-leastNormal-1))
	})
	u := fp.RsqrtUnit()
	for c := range chunks {
		t.value(0, s, c)
		t.VM(mc.PAND, 0, 0, t.Broadcast(2*leastNormal-1))
		t.VM(mc.PXOR, 0, 0, t.Broadcast(leastNormal))
		t.interpolate(u)
		t.VM(mc.PAND, 7, 7, t.Broadcast(fractionBits))
		t.value(0, s, c)
		t.VM(mc.PAND, 1, 0, t.Broadcast(2*leastNormal-1))
		t.VM(mc.PCMPEQD, 1, 1, t.Broadcast(leastNormal)) // an even power of two, as is the result
		t.Get(2, t.Broadcast(leastNormal))
		t.Blend(7, 7, 2, 1)
		t.RightWords(0, 0, 23)
		t.VM(mc.PSUBD, 0, 0, t.Broadcast(127))
		t.SignWords(0, 0, 1)
		t.Get(2, t.Broadcast(126))
		t.V(mc.PSUBD, 0, 2, 0)
		t.LeftWords(0, 0, 23)
		t.V(mc.PADDD, 0, 0, 7)
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
	u := fp.Ex2Unit()
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
