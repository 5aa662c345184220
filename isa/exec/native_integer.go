package exec

import (
	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// translations emit an operation's code, by the opcode of its effect. They return false, and what they have emitted is dropped,
// for a form that they do not have.
var translations map[isa.Opcode]func(t *translator, b *Bound, i *isa.Instruction) bool

func init() {
	translations = map[isa.Opcode]func(t *translator, b *Bound, i *isa.Instruction) bool{
		isa.OpAdd: additive(mc.PADDD, mc.ADDPS, mc.ADDPD), isa.OpSub: additive(mc.PSUBD, mc.SUBPS, mc.SUBPD), isa.OpMul: multiply,
		isa.OpMad: multiplyAdd, isa.OpFma: fused, isa.OpDiv: divide, isa.OpSqrt: root, isa.OpRcp: reciprocal, isa.OpMin: extreme,
		isa.OpMax: extreme,
		isa.OpAnd: logic(mc.PAND), isa.OpOr: logic(mc.POR), isa.OpXor: logic(mc.PXOR), isa.OpNot: invert,
		isa.OpShl: shift, isa.OpShr: shift, isa.OpShf: funnelShift, isa.OpBfe: extract, isa.OpNeg: negate, isa.OpAbs: absolute,
		isa.OpMov: moves, isa.OpSelp: choice, isa.OpSetp: comparison, isa.OpCvt: conversion, isa.OpShfl: exchange, isa.OpVote: ballot,
		isa.OpLd: loads, isa.OpSt: stores, isa.OpRed: adds, isa.OpAtom: adds,
	}
}

// words describes the sources of an operation on 32 bits, or on 8 or 16 that stand extended.
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

// finishWord extends a result of 8 or 16 bits and writes it.
func (t *translator) finishWord(b *Bound, c int, y mc.Vector) {
	if b.detail != nil {
		switch plain(b.detail.result) {
		case isa.U8:
			t.VM(mc.PAND, y, y, t.Broadcast(0xff))
		case isa.U16:
			t.VM(mc.PAND, y, y, t.Broadcast(0xffff))
		case isa.S8:
			t.LeftWords(y, y, 24)
			t.SignWords(y, y, 24)
		case isa.S16:
			t.LeftWords(y, y, 16)
			t.SignWords(y, y, 16)
		}
	}
	t.write(b.destination[0], c, y)
}

// pairs describes the low and high words of the sources of an operation on 64 bits.
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
		s, ok := t.words(b, i, 2)
		if !ok {
			return false
		}
		for c := range chunks {
			t.value(0, s[0], c)
			t.apply(whole, 0, 0, s[1], c)
			t.finishWord(b, c, 0)
		}
		return true
	}
}

// sum64 emits add and sub of 64 bits.
func sum64(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.pairs(b, 2)
	if !ok || b.planar == nil || i.Mod.Saturate || i.Mod.CarryOut {
		return false
	}
	for c := range chunks {
		t.value(0, s[0], c)
		t.value(1, s[1], c)
		t.value(2, s[2], c)
		t.value(3, s[3], c)
		if i.Op == isa.OpAdd {
			t.addPair(0, 1, 2, 3)
		} else { // a borrow where a < b: the larger of the two is not a
			t.V(mc.PMAXUD, 4, 0, 2)
			t.V(mc.PCMPEQD, 4, 4, 0) // all ones: no borrow
			t.V(mc.PSUBD, 0, 0, 2)
			t.V(mc.PSUBD, 1, 1, 3)
			t.V(mc.PCMPEQD, 5, 5, 5)
			t.V(mc.PADDD, 1, 1, 5)
			t.V(mc.PSUBD, 1, 1, 4)
		}
		t.write(b.destination[0], c, 0)
		t.write(b.destination[1], c, 1)
	}
	return true
}

// addPair adds y:yHigh to d:dHigh; registers 4 and 5 are spoilt. A low sum below an addend has carried.
func (t *translator) addPair(d, dHigh, y, yHigh mc.Vector) {
	t.V(mc.PADDD, d, d, y)
	t.V(mc.PADDD, dHigh, dHigh, yHigh)
	t.V(mc.PMAXUD, 4, d, y)
	t.V(mc.PCMPEQD, 4, 4, d) // all ones: no carry
	t.V(mc.PCMPEQD, 5, 5, 5)
	t.V(mc.PSUBD, dHigh, dHigh, 5)
	t.V(mc.PADDD, dHigh, dHigh, 4)
}

// product32 makes the products of registers 0 and 1, 64 bits each, in d:dHigh, and spoils registers 0 to 3.
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
	switch {
	case i.Type == isa.F32:
		return floatBinary(t, b, i, mc.MULPS)
	case i.Type == isa.F64:
		return doubleBinary(t, b, i, mc.MULPD)
	case i.Type.Float() || i.Type.Bytes() == 8:
		return false
	case b.planar != nil:
		return wide(t, b, i, 2)
	}
	s, ok := t.words(b, i, 2)
	narrow := i.Type.Bytes() < 4
	if !ok || narrow && i.Mod.Half == isa.Hi {
		return false
	}
	for c := range chunks {
		t.value(0, s[0], c)
		switch i.Mod.Half {
		case isa.Hi:
			t.value(1, s[1], c)
			t.product32(0, 0, i.Type.Signed())
		default:
			t.apply(mc.PMULLD, 0, 0, s[1], c)
		}
		t.finishWord(b, c, 0)
	}
	return true
}

func multiplyAdd(t *translator, b *Bound, i *isa.Instruction) bool {
	switch {
	case i.Type.Float():
		return fused(t, b, i)
	case i.Type.Bytes() == 8:
		return false
	case b.planar != nil:
		return wide(t, b, i, 3)
	}
	s, ok := t.words(b, i, 3)
	if !ok || i.Mod.Half == isa.Hi && i.Type.Bytes() < 4 {
		return false
	}
	for c := range chunks {
		t.value(0, s[0], c)
		if i.Mod.Half == isa.Hi {
			t.value(1, s[1], c)
			t.product32(0, 0, i.Type.Signed())
		} else {
			t.apply(mc.PMULLD, 0, 0, s[1], c)
		}
		t.apply(mc.PADDD, 0, 0, s[2], c)
		t.finishWord(b, c, 0)
	}
	return true
}

// wide emits mul.wide and mad.wide of 32 bits.
func wide(t *translator, b *Bound, i *isa.Instruction, count int) bool {
	s, ok := t.pairs(b, count)
	if !ok || i.Mod.Half != isa.Wide || i.Type.Bytes() != 4 {
		return false
	}
	for c := range chunks {
		t.value(0, s[0], c)
		t.value(1, s[2], c)
		t.product32(0, 1, i.Type.Signed())
		if count == 3 {
			t.value(2, s[4], c)
			t.value(3, s[5], c)
			t.addPair(0, 1, 2, 3)
		}
		t.write(b.destination[0], c, 0)
		t.write(b.destination[1], c, 1)
	}
	return true
}

// extreme emits min and max of integers.
func extreme(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.F32 {
		return floatExtreme(t, b, i)
	}
	if i.Type.Float() || i.Type.Bytes() == 8 {
		return false
	}
	s, ok := t.words(b, i, 2)
	if !ok {
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
	for c := range chunks {
		t.value(0, s[0], c)
		t.apply(which, 0, 0, s[1], c)
		t.finishWord(b, c, 0)
	}
	return true
}

// logic emits and, or, xor of bits and of predicates.
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
		s, ok := t.words(b, i, 2)
		for c := 0; ok && c < chunks; c++ {
			t.value(0, s[0], c)
			t.apply(which, 0, 0, s[1], c)
			t.finishWord(b, c, 0)
		}
		return ok
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

// combine combines AX with a predicate; DX is spoilt.
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

// shift emits shl and shr; amounts past the width give zero or the sign on the host as on the GPU.
func shift(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.words(b, i, 2)
	if !ok {
		return false
	}
	which := mc.PSLLVD
	if i.Op == isa.OpShr {
		which = mc.PSRLVD
		if i.Type.Signed() {
			which = mc.PSRAVD
		}
	}
	for c := range chunks {
		t.value(0, s[0], c)
		t.apply(which, 0, 0, s[1], c)
		t.finishWord(b, c, 0)
	}
	return true
}

// funnelShift emits shf by a constant.
func funnelShift(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, 0, 2)
	if !ok || i.Src[2].Kind != isa.OperandImmediate {
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

// extract emits bfe.u32 of constant place and length.
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

// negate emits neg of 32 bits.
func negate(t *translator, b *Bound, i *isa.Instruction) bool {
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

// absolute emits abs of 32 bits.
func absolute(t *translator, b *Bound, i *isa.Instruction) bool {
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

// moves emits mov of registers, constants and special registers, and of predicates.
func moves(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.Pred {
		return flagLogic(t, b)
	}
	if len(i.Dst) != 1 || len(i.Src) != 1 {
		return false
	}
	count := 1
	if b.planar != nil {
		count = 2
	}
	s, ok := t.reads(b, 0, 1)
	if !ok {
		return false
	}
	for n := range count {
		for c := range chunks {
			t.value(0, s[n], c)
			t.write(b.destination[n], c, 0)
		}
	}
	return true
}

// choice emits selp.
func choice(t *translator, b *Bound, i *isa.Instruction) bool {
	if i.Type == isa.Pred {
		return false
	}
	count := 1
	if i.Type.Bytes() == 8 {
		count = 2
	}
	s, ok := t.reads(b, 0, 2, 1, 3)
	if !ok {
		return false
	}
	t.readFlag(mc.DX, b.predicates.source[0])
	t.spread(0, mc.DX)
	for c := range chunks {
		for n := range count {
			t.value(5, s[2*n], c)
			t.value(4, s[2*n+1], c)
			t.Blend(4, 4, 5, mc.Vector(c))
			t.write(b.destination[n], c, 4)
		}
	}
	return true
}

// comparison emits setp of 32-bit integers, of 16 bits, and of f32.
func comparison(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, 0, 2)
	if !ok {
		return false
	}
	p := &b.predicates
	emit := func(c int) { t.integerRelation(s, relations[i.Mod.Compare], i.Type.Signed(), c) }
	switch {
	case i.Type == isa.F32:
		predicate, known := floatPredicates[i.Mod.Compare]
		if !known || i.Mod.Flush {
			return false
		}
		emit = func(c int) {
			t.value(1, s[1], c)
			t.value(0, s[0], c)
			t.Compare32(0, 0, 1, predicate)
		}
	case i.Type.Float() || i.Type.Bytes() == 8:
		return false
	case b.detail != nil:
		s[0].extend, s[1].extend = plain(b.detail.extend[0]), plain(b.detail.extend[0])
	}
	for c := chunks - 1; c >= 0; c-- {
		emit(c)
		t.Mask(mc.CX, 0)
		if c == chunks-1 {
			t.Move(mc.DX, mc.CX)
			continue
		}
		t.ShiftLeft(mc.DX, 8)
		t.Or(mc.DX, mc.CX)
	}
	t.Move(mc.AX, mc.DX)
	if p.complement {
		t.Not(mc.AX)
	}
	if p.destination[1] >= 0 {
		t.Move(mc.R15, mc.AX)
		t.Not(mc.R15)
	}
	t.combine(p.combine, p.source[0])
	if p.destination[1] < 0 {
		t.writeFlag(p.destination[0], mc.AX)
		return true
	}
	// The second result takes the combining predicate as it was before the first is written.
	t.Move(mc.CX, mc.AX)
	t.Move(mc.AX, mc.R15)
	t.Move(mc.R15, mc.CX)
	t.combine(p.combine, p.source[0])
	t.Store(stateAt(offsetResult), mc.AX)
	t.writeFlag(p.destination[0], mc.R15)
	t.Load(mc.AX, stateAt(offsetResult))
	t.writeFlag(p.destination[1], mc.AX)
	return true
}

// integerRelation makes the lanes for which one of three relations holds: those that others are complements or turns of.
func (t *translator) integerRelation(s [6]source, r relation, signed bool, c int) {
	t.value(1, s[1], c)
	t.value(0, s[0], c)
	switch {
	case r.differ: // all ones where they are the same: complemented below
		t.V(mc.PCMPEQD, 0, 0, 1)
		t.V(mc.PCMPEQD, 2, 2, 2)
		t.V(mc.PXOR, 0, 0, 2)
	case signed && !r.unsigned:
		t.V(mc.PCMPGTD, 0, 1, 0)
	default: // a < b unless the larger of the two is a
		t.V(mc.PMAXUD, 1, 0, 1)
		t.V(mc.PCMPEQD, 0, 0, 1)
		t.V(mc.PCMPEQD, 2, 2, 2)
		t.V(mc.PXOR, 0, 0, 2)
	}
}

// exchange emits shfl whose lanes are known at once.
func exchange(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.read(b, 0)
	if !ok || s.slot < 0 || s.special != isa.SpecialNone || i.Src[1].Kind != isa.OperandImmediate || i.Src[2].Kind != isa.OperandImmediate {
		return false
	}
	inside := uint32(0)
	for c := range chunks {
		var from [8]uint32
		for k := range from {
			lane := 8*c + k
			n, in := shuffleFrom(i.Mod.Select, int32(lane), uint32(i.Src[1].Immediate), uint32(i.Src[2].Immediate))
			from[k] = uint32(n&31) * 4
			if in {
				inside |= 1 << lane
			}
		}
		t.V(mc.PCMPEQD, 5, 5, 5)
		t.Get(4, t.Constant(from))
		t.Gather(mc.Vector(c), inRegisters, 4, int(s.slot)*laneBytes, 5)
	}
	for c := range chunks {
		t.write(b.destination[0], c, mc.Vector(c))
	}
	if p := b.predicates.destination[0]; p >= 0 {
		t.MoveImmediate(mc.AX, inside)
		t.writeFlag(p, mc.AX)
	}
	return true
}

// ballot emits vote.ballot, .all, .any and .uni without a member mask.
func ballot(t *translator, b *Bound, i *isa.Instruction) bool {
	if b.detail.mask || i.Mod.Select != isa.VoteBallot {
		return false
	}
	t.readFlag(mc.AX, b.predicates.source[0])
	t.And(mc.AX, t.lanes())
	t.SpreadGeneral(0, mc.AX)
	for c := range chunks {
		t.write(b.destination[0], c, 0)
	}
	return true
}
