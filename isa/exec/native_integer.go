package exec

import (
	"math"
	"math/bits"
	"sync"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// translations emit an operation's code, by the opcode of its effect. They return false for a form that they do not support; the caller
// then drops what they have emitted. The table is made on first use: hosts that cannot run such code never need it.
var translations struct {
	sync.Once
	emit map[isa.Opcode]func(t *translator, b *Bound, i *isa.Instruction) bool
}

// translationOf returns the function that emits an opcode's code, nil for none.
func translationOf(op isa.Opcode) func(t *translator, b *Bound, i *isa.Instruction) bool {
	translations.Do(makeTranslations)
	return translations.emit[op]
}

func makeTranslations() {
	translations.emit = map[isa.Opcode]func(t *translator, b *Bound, i *isa.Instruction) bool{
		isa.OpAdd: additive(mc.PADDD, mc.ADDPS, mc.ADDPD), isa.OpSub: additive(mc.PSUBD, mc.SUBPS, mc.SUBPD), isa.OpMul: multiply,
		isa.OpMad: multiplyAdd, isa.OpFma: fused, isa.OpDiv: divide, isa.OpSqrt: root, isa.OpRcp: reciprocal, isa.OpMin: extreme,
		isa.OpMax: extreme,
		isa.OpAnd: logic(mc.PAND), isa.OpOr: logic(mc.POR), isa.OpXor: logic(mc.PXOR), isa.OpNot: invert,
		isa.OpShl: shift, isa.OpShr: shift, isa.OpShf: funnelShift, isa.OpBfe: extract, isa.OpNeg: negate, isa.OpAbs: absolute,
		isa.OpMov: moves, isa.OpSelp: choice, isa.OpSetp: comparison, isa.OpCvt: conversion, isa.OpShfl: exchange, isa.OpVote: ballot,
		isa.OpRem: quotient, isa.OpPopc: population, isa.OpRsqrt: reciprocalRoot,
		isa.OpEx2: power, isa.OpLg2: logarithm, isa.OpSin: sinusoid, isa.OpCos: sinusoid, isa.OpBfi: insertion,
		isa.OpLd: loads, isa.OpSt: stores, isa.OpRed: adds, isa.OpAtom: adds,
	}
}

// words returns the sources of an operation on 32 bits, or on 8 or 16 bits with extension.
func (t *translator) words(b *Bound, i *isa.Instruction, count int) (list [6]source, ok bool) {
	if i.Mod.Saturate || i.Mod.CarryOut || b.planar != nil {
		return list, false
	}
	if list, ok = t.reads(b, []int{0, 2, 4}[:count]...); !ok {
		return list, false
	}
	if b.detail != nil {
		for n := range count {
			list[n].extend = plain(b.detail.extend[n])
		}
	}
	return list, true
}

// finishWord extends an 8- or 16-bit result and writes it.
func (t *translator) finishWord(b *Bound, c int, y mc.Vector) {
	if b.detail != nil {
		t.extend(y, plain(b.detail.result))
	}
	t.write(b.destination[0], c, y)
}

// extend extends values of 8 or 16 bits; others stay.
func (t *translator) extend(d mc.Vector, of isa.Type) {
	switch of {
	case isa.U8:
		t.VM(mc.PAND, d, d, t.Broadcast(0xff))
	case isa.U16:
		t.VM(mc.PAND, d, d, t.Broadcast(0xffff))
	case isa.S8:
		t.LeftWords(d, d, 24)
		t.SignWords(d, d, 24)
	case isa.S16:
		t.LeftWords(d, d, 16)
		t.SignWords(d, d, 16)
	}
}

// wordBinary emits a two-source operation that is one host instruction.
func (t *translator) wordBinary(b *Bound, i *isa.Instruction, which mc.Instruction) bool {
	s, ok := t.words(b, i, 2)
	for c := 0; ok && c < chunks; c++ {
		t.value(0, s[0], c)
		t.apply(which, 0, 0, s[1], c)
		t.finishWord(b, c, 0)
	}
	return ok
}

// pairs returns the low and high words of the sources of a 64-bit operation.
func (t *translator) pairs(b *Bound, count int) (list [6]source, ok bool) {
	return t.reads(b, []int{0, 1, 2, 3, 4, 5}[:2*count]...)
}

// additive emits an addition or subtraction.
func additive(whole, float, double mc.Instruction) func(t *translator, b *Bound, i *isa.Instruction) bool {
	return func(t *translator, b *Bound, i *isa.Instruction) bool {
		switch {
		case i.Type == isa.F32:
			return floatBinary(t, b, i, float)
		case i.Type == isa.F64:
			return doubleBinary(t, b, i, double)
		case i.Type.Bytes() == 8:
			return sum64(t, b, i)
		case i.Type.Float():
			return false
		}
		return t.wordBinary(b, i, whole)
	}
}

// sum64 emits 64-bit add and sub.
func sum64(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.pairs(b, 2)
	if !ok || b.planar == nil || i.Mod.Saturate || i.Mod.CarryOut {
		return false
	}
	t.V(mc.PCMPEQD, 5, 5, 5)
	for c := range chunks {
		t.value(0, s[0], c)
		t.value(1, s[1], c)
		if i.Op == isa.OpAdd {
			t.addPair(0, 1, s[2], s[3], c)
		} else { // borrow where a < b: where max(a, b) is not a
			t.apply(mc.PMAXUD, 4, 0, s[2], c)
			t.V(mc.PCMPEQD, 4, 4, 0) // all ones: no borrow
			t.apply(mc.PSUBD, 0, 0, s[2], c)
			t.apply(mc.PSUBD, 1, 1, s[3], c)
			t.V(mc.PADDD, 1, 1, 5)
			t.V(mc.PSUBD, 1, 1, 4)
		}
		t.write(b.destination[0], c, 0)
		t.write(b.destination[1], c, 1)
	}
	return true
}

// addPair adds a 64-bit source to d:dHigh. Register 5 must be all ones; it clobbers register 4. A low sum that is less than an addend has
// carried.
func (t *translator) addPair(d, dHigh mc.Vector, low, high source, c int) {
	t.apply(mc.PADDD, d, d, low, c)
	t.apply(mc.PADDD, dHigh, dHigh, high, c)
	t.apply(mc.PMINUD, 4, d, low, c)
	t.apply(mc.PCMPEQD, 4, 4, low, c) // all ones: no carry
	t.V(mc.PSUBD, dHigh, dHigh, 5)
	t.V(mc.PADDD, dHigh, dHigh, 4)
}

// product32 computes the 64-bit products of registers 0 and 1 in d:dHigh; it clobbers registers 0 to 3.
func (t *translator) product32(d, dHigh mc.Vector, signed bool) {
	product := mc.PMULUDQ
	if signed {
		product = mc.PMULDQ
	}
	t.V(product, 2, 0, 1) // even lanes
	t.Right64(0, 0, 32)
	t.Right64(1, 1, 32)
	t.V(product, 3, 0, 1) // odd lanes
	t.Left64(0, 3, 32)
	t.Right64(1, 2, 32)
	t.BlendWords(d, 2, 0, 0xaa)
	t.BlendWords(dHigh, 1, 3, 0xaa)
}

func multiply(t *translator, b *Bound, i *isa.Instruction) bool {
	switch i.Type {
	case isa.F32:
		return floatBinary(t, b, i, mc.MULPS)
	case isa.F64:
		return doubleBinary(t, b, i, mc.MULPD)
	}
	return !i.Type.Float() && wholeProduct(t, b, i, 2)
}

func multiplyAdd(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type.Float() {
		return fused(t, b, i)
	}
	return wholeProduct(t, b, i, 3)
}

// wholeProduct emits integer mul or, with three sources, mad.
func wholeProduct(t *translator, b *Bound, i *isa.Instruction, count int) bool {
	if i.Type.Bytes() == 8 {
		return i.Mod.Half == isa.Lo && product64(t, b, i, count)
	}
	if b.planar != nil {
		return wide(t, b, i, count)
	}
	s, ok := t.words(b, i, count)
	high := i.Mod.Half == isa.Hi
	if !ok || high && i.Type.Bytes() < 2 {
		return false
	}
	for c := range chunks {
		t.value(0, s[0], c)
		if high && i.Type.Bytes() == 2 { // extended, so that a word holds the product
			t.apply(mc.PMULLD, 0, 0, s[1], c)
			t.RightWords(0, 0, 16)
		} else if high {
			t.value(1, s[1], c)
			t.product32(0, 0, i.Type.Signed())
		} else {
			t.apply(mc.PMULLD, 0, 0, s[1], c)
		}
		if count == 3 {
			t.apply(mc.PADDD, 0, 0, s[2], c)
		}
		t.finishWord(b, c, 0)
	}
	return true
}

// product64 emits mul.lo and mad.lo of 64 bits: the product of the low words, and in the upper word those of a low and a high one.
func product64(t *translator, b *Bound, i *isa.Instruction, count int) bool {
	s, ok := t.pairs(b, count)
	if !ok || i.Mod.Saturate || i.Mod.CarryOut {
		return false
	}
	for c := range chunks {
		t.value(4, s[1], c)
		t.apply(mc.PMULLD, 4, 4, s[2], c)
		t.value(5, s[3], c)
		t.apply(mc.PMULLD, 5, 5, s[0], c)
		t.V(mc.PADDD, merged, 4, 5)
		t.value(0, s[0], c)
		t.value(1, s[2], c)
		t.product32(0, 1, false)
		t.V(mc.PADDD, 1, 1, merged)
		if count == 3 {
			t.V(mc.PCMPEQD, 5, 5, 5)
			t.addPair(0, 1, s[4], s[5], c)
		}
		t.write(b.destination[0], c, 0)
		t.write(b.destination[1], c, 1)
	}
	return true
}

// quotient emits div and rem of 32 bits. It divides in f64, whose quotient truncates to the exact integer. The caller executes the whole
// operation if a lane's quotient is out of range, as for a divisor of zero.
func quotient(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.words(b, i, 2)
	if !ok || i.Type != isa.S32 && i.Type != isa.U32 {
		return false
	}
	unsigned := i.Type == isa.U32
	t.unlessOutside(func(c int) {
		y := mc.Vector(c)
		t.value(4, s[0], c)
		t.value(5, s[1], c)
		t.integersToDoubles(spare, merged, 4, unsigned)
		t.integersToDoubles(4, 5, 5, unsigned)
		t.V(mc.DIVPD, spare, spare, 4)
		t.V(mc.DIVPD, merged, merged, 5)
		t.doublesToIntegers(y, i.Type, 3)
		if !unsigned {
			t.noteOverflow(y)
		}
	})
	for c := range chunks {
		y := mc.Vector(c)
		if i.Op == isa.OpRem {
			t.value(4, s[0], c)
			t.apply(mc.PMULLD, y, y, s[1], c)
			t.V(mc.PSUBD, y, 4, y)
		}
		t.write(b.destination[0], c, y)
	}
	return true
}

// population emits popc: the bits of nibbles from a table, summed over bytes and words.
func population(t *translator, b *Bound, i *isa.Instruction) bool {
	count := i.Type.Bytes() / 4
	s, ok := t.reads(b, []int{0, 1}[:count]...)
	if !ok || b.destination[1] != slotSink {
		return false
	}
	bytes := t.Constant([8]uint32{0x02010100, 0x03020201, 0x03020201, 0x04030302, 0x02010100, 0x03020201, 0x03020201, 0x04030302})
	for c := range chunks {
		for n := range count {
			t.value(0, s[n], c)
			t.RightWords(1, 0, 4)
			t.VM(mc.PAND, 0, 0, t.Broadcast(0x0f0f0f0f))
			t.VM(mc.PAND, 1, 1, t.Broadcast(0x0f0f0f0f))
			t.Get(2, bytes)
			t.V(mc.PSHUFB, 0, 2, 0)
			t.V(mc.PSHUFB, 1, 2, 1)
			t.V(mc.PADDD, mc.Vector(3+n), 0, 1) // no byte carries
		}
		if count == 2 {
			t.V(mc.PADDD, 3, 3, 4)
		}
		t.VM(mc.PMADDBW, 3, 3, t.Broadcast(0x01010101))
		t.VM(mc.PMADDWD, 3, 3, t.Broadcast(0x00010001))
		t.write(b.destination[0], c, 3)
	}
	return true
}

// wide emits mul.wide and mad.wide of 32 bits.
func wide(t *translator, b *Bound, i *isa.Instruction, count int) bool {
	s, ok := t.pairs(b, count)
	if !ok || i.Mod.Half != isa.Wide || i.Type.Bytes() != 4 {
		return false
	}
	if _, power := t.powerOfTwo(s[0]); power {
		s[0], s[1], s[2], s[3] = s[2], s[3], s[0], s[1]
	}
	by, power := t.powerOfTwo(s[2])
	t.V(mc.PCMPEQD, 5, 5, 5)
	for c := range chunks {
		t.value(0, s[0], c)
		switch {
		case power && i.Type.Signed():
			t.SignWords(1, 0, min(32-by, 31))
			t.LeftWords(0, 0, by)
		case power:
			t.RightWords(1, 0, 32-by)
			t.LeftWords(0, 0, by)
		default:
			t.value(1, s[2], c)
			t.product32(0, 1, i.Type.Signed())
		}
		if count == 3 {
			t.addPair(0, 1, s[4], s[5], c)
		}
		t.write(b.destination[0], c, 0)
		t.write(b.destination[1], c, 1)
	}
	return true
}

// powerOfTwo reports a source that is the same known power of two in all lanes, and its exponent. 2^30 is the limit: in signed products
// 2^31 is negative.
func (t *translator) powerOfTwo(s source) (by byte, ok bool) {
	value, ok := t.known[s.slot]
	if !ok || s.special != isa.SpecialNone || s.negate || s.extend != isa.TypeNone || value == 0 || value&(value-1) != 0 || value > 1<<30 {
		return 0, false
	}
	return byte(bits.TrailingZeros32(value)), true
}

// extreme emits min and max of integers.
func extreme(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.F32 {
		return floatExtreme(t, b, i)
	}
	if i.Type.Float() || i.Type.Bytes() == 8 {
		return false
	}
	which := mc.PMINUD
	switch least := i.Op == isa.OpMin; {
	case least && i.Type.Signed():
		which = mc.PMINSD
	case !least && i.Type.Signed():
		which = mc.PMAXSD
	case !least:
		which = mc.PMAXUD
	}
	return t.wordBinary(b, i, which)
}

// negate emits neg of 32 bits, and of f64.
func negate(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.F64 {
		return doubleSign(t, b, mc.PXOR, math.Copysign(0, -1))
	}
	s, ok := t.read(b, 0)
	if !ok || i.Type != isa.S32 && i.Type != isa.F32 || i.Mod.Flush {
		return false
	}
	t.V(mc.PXOR, 5, 5, 5)
	for c := range chunks {
		t.value(0, s, c)
		if i.Type == isa.F32 {
			t.Compare32(1, 0, 0, unordered)
			t.VM(mc.PXOR, 0, 0, t.Broadcast(1<<31))
			t.BlendMemory(0, 0, t.Broadcast(canonicalNaN), 1)
		} else {
			t.V(mc.PSUBD, 0, 5, 0)
		}
		t.write(b.destination[0], c, 0)
	}
	return true
}

// absolute emits abs of 32 bits, and of f64.
func absolute(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.F64 {
		return doubleSign(t, b, mc.PAND, math.Float64frombits(1<<63-1))
	}
	s, ok := t.read(b, 0)
	if !ok || i.Type != isa.S32 && i.Type != isa.F32 || i.Mod.Flush {
		return false
	}
	for c := range chunks {
		t.value(0, s, c)
		if i.Type == isa.F32 {
			t.canonical(0, 1)
			t.VM(mc.PAND, 0, 0, t.Broadcast(1<<31-1))
		} else {
			t.U(mc.PABSD, 0, 0)
		}
		t.write(b.destination[0], c, 0)
	}
	return true
}
