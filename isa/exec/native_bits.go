package exec

import (
	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// logic emits and, or, xor of bits and predicates.
func logic(which mc.Instruction) func(t *translator, b *Bound, i *isa.Instruction) bool {
	return func(t *translator, b *Bound, i *isa.Instruction) bool {
		if i.Type == isa.Pred {
			return flagLogic(t, b)
		}
		if b.planar != nil {
			s, ok := t.pairs(b, 2)
			for c := 0; ok && c < chunks; c++ {
				t.value(0, s[0], c)
				t.value(1, s[1], c)
				t.apply(which, 0, 0, s[2], c)
				t.apply(which, 1, 1, s[3], c)
				t.write(b.destination[0], c, 0)
				t.write(b.destination[1], c, 1)
			}
			return ok
		}
		return t.wordBinary(b, i, which)
	}
}

// flagLogic emits logic and moves of predicates.
func flagLogic(t *translator, b *Bound) bool {
	p := &b.predicates
	t.readFlag(mc.AX, p.source[0])
	t.combine(p.combine, p.source[1])
	t.writeFlag(p.destination[0], mc.AX)
	return true
}

// combine combines AX with a predicate; it clobbers DX.
func (t *translator) combine(op isa.BoolOp, with predicateSource) {
	if op == isa.BoolNone {
		return
	}
	t.readFlag(mc.DX, with)
	switch op {
	case isa.BoolAnd:
		t.And(mc.AX, mc.DX)
	case isa.BoolOr:
		t.Or(mc.AX, mc.DX)
	case isa.BoolXor:
		t.Xor(mc.AX, mc.DX)
	}
}

func invert(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.Pred {
		return flagLogic(t, b)
	}
	count := 1
	if b.planar != nil {
		count = 2
	}
	s, ok := t.reads(b, 0, 1)
	if !ok || i.Type.Bytes() < 4 {
		return false
	}
	t.V(mc.PCMPEQD, 5, 5, 5)
	for c := range chunks {
		for n := range count {
			t.apply(mc.PXOR, 0, 5, s[n], c)
			t.write(b.destination[n], c, 0)
		}
	}
	return true
}

// shift emits shl and shr. For amounts beyond the width the host gives zero or the sign, like the GPU.
func shift(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type.Bytes() == 8 {
		return shift64(t, b, i)
	}
	which := mc.PSLLVD
	if i.Op == isa.OpShr {
		which = mc.PSRLVD
		if i.Type.Signed() {
			which = mc.PSRAVD
		}
	}
	return t.wordBinary(b, i, which)
}

// shift64 emits shl and shr of 64 bits. Bits that cross between words shift by 32 less the amount, or by the amount less 32: the negative
// one of these is a large unsigned amount, and gives zero.
func shift64(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, 0, 1, 2)
	if !ok || b.planar == nil {
		return false
	}
	const value, valueHigh, by, rest, result, resultHigh = 0, 1, 2, 3, 4, 5
	signed := i.Op == isa.OpShr && i.Type.Signed()
	for c := range chunks {
		t.value(value, s[0], c)
		t.value(valueHigh, s[1], c)
		t.value(by, s[2], c)
		t.Get(rest, t.Broadcast(32))
		t.V(mc.PSUBD, rest, rest, by)
		from, into, out, back := mc.Vector(value), mc.Vector(valueHigh), mc.PSLLVD, mc.PSRLVD
		if i.Op == isa.OpShr {
			from, into, out, back = into, from, back, out
		}
		t.V(out, resultHigh, into, by) // bits that stay in their word
		t.V(back, spare, from, rest)   // bits from the other word, for amounts below 32
		t.V(mc.POR, resultHigh, resultHigh, spare)
		t.VM(mc.PSUBD, rest, by, t.Broadcast(32))
		if signed {
			t.V(mc.PSRAVD, spare, from, rest)
			t.VM(mc.PMAXUD, rest, by, t.Broadcast(32))
			t.V(mc.PCMPEQD, rest, rest, by) // all ones: by 32 or more
			t.Blend(resultHigh, resultHigh, spare, rest)
			out = mc.PSRAVD
		} else {
			t.V(out, spare, from, rest)
			t.V(mc.POR, resultHigh, resultHigh, spare)
		}
		t.V(out, result, from, by)
		low, high := mc.Vector(result), mc.Vector(resultHigh)
		if i.Op == isa.OpShr {
			low, high = high, low
		}
		t.write(b.destination[0], c, low)
		t.write(b.destination[1], c, high)
	}
	return true
}

// funnelShift emits shf by a constant.
func funnelShift(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, 0, 2)
	if !ok || i.Src[2].Kind != isa.OperandImmediate || i.Type.Bytes() == 8 {
		return false
	}
	by := uint32(i.Src[2].Immediate)
	if i.Mod.ShiftMode == isa.Wrap {
		by &= 31
	}
	by = min(by, 32)
	left, right := byte(32-by), byte(by)
	if i.Mod.Select == isa.ShiftLeft {
		left, right = byte(by), byte(32-by)
	}
	for c := range chunks {
		t.value(0, s[0], c)
		t.value(1, s[1], c)
		t.RightWords(0, 0, right)
		t.LeftWords(1, 1, left)
		t.V(mc.POR, 0, 0, 1)
		t.write(b.destination[0], c, 0)
	}
	return true
}

// extract emits bfe.u32 with constant position and length.
func extract(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || i.Type != isa.U32 || i.Src[1].Kind != isa.OperandImmediate || i.Src[2].Kind != isa.OperandImmediate {
		return false
	}
	place, length := byte(i.Src[1].Immediate), byte(i.Src[2].Immediate)
	kept := uint32(uint64(1)<<length - 1)
	for c := range chunks {
		t.value(0, s, c)
		t.RightWords(0, 0, place)
		t.VM(mc.PAND, 0, 0, t.Broadcast(kept))
		t.write(b.destination[0], c, 0)
	}
	return true
}

// insertion emits bfi of 32 bits. Shifts by 32 and more give zero: a field that begins or ends beyond the word is cut.
func insertion(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, 0, 2, 4, 6)
	if !ok || i.Type.Bytes() != 4 {
		return false
	}
	byteOf := func(d mc.Vector, s source, c int) {
		t.value(d, s, c)
		t.VM(mc.PAND, d, d, t.Broadcast(0xff))
	}
	for c := range chunks {
		byteOf(0, s[2], c)
		byteOf(1, s[3], c)
		t.V(mc.PCMPEQD, 2, 2, 2)
		t.V(mc.PSLLVD, 1, 2, 1)
		t.V(mc.PXOR, 1, 1, 2) // ones of the field's length
		t.V(mc.PSLLVD, 1, 1, 0)
		t.value(3, s[0], c)
		t.V(mc.PSLLVD, 3, 3, 0)
		t.V(mc.PAND, 3, 3, 1)
		t.value(4, s[1], c)
		t.V(mc.PANDN, 1, 1, 4)
		t.V(mc.POR, 3, 3, 1)
		t.write(b.destination[0], c, 3)
	}
	return true
}
