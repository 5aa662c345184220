package exec

import (
	"math"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// moves emits mov of registers, constants, special registers and predicates.
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

// comparison emits setp.
func comparison(t *translator, b *Bound, i *isa.Instruction) bool {
	s, ok := t.reads(b, []int{0, 2, 1, 3}[:2*max(1, i.Type.Bytes()/4)]...)
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
	case i.Type == isa.F64:
		predicate, known := floatPredicates[i.Mod.Compare]
		if !known {
			return false
		}
		emit = func(c int) {
			t.compareWide(s, c, func(d, x, y mc.Vector) { t.Compare64(d, x, y, predicate) })
		}
	case i.Type.Float():
		return false
	case i.Type.Bytes() == 8:
		emit = func(c int) { t.integerRelation64(s, relations[i.Mod.Compare], i.Type.Signed(), c) }
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
	// The second result combines with the predicate's value from before the first result is written.
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

// compareWide computes the mask of a relation between 64-bit values. s has their words: low, low, high, high.
func (t *translator) compareWide(s [6]source, c int, compare func(d, x, y mc.Vector)) {
	t.joinDoubles(0, 1, s[0], s[2], c)
	t.joinDoubles(2, 3, s[1], s[3], c)
	compare(0, 0, 2)
	compare(1, 1, 3)
	t.Shuffle(0, 0, 1, 0x88)
}

// integerRelation64 is integerRelation for integers of 64 bits.
func (t *translator) integerRelation64(s [6]source, r relation, signed bool, c int) {
	t.compareWide(s, c, func(d, x, y mc.Vector) {
		switch {
		case r.differ:
			t.V(mc.PCMPEQQ, d, x, y)
			t.V(mc.PCMPEQD, 4, 4, 4)
			t.V(mc.PXOR, d, d, 4)
			return
		case !signed || r.unsigned:
			t.Get(4, t.double64(math.Copysign(0, -1)))
			t.V(mc.PXOR, x, x, 4)
			t.V(mc.PXOR, y, y, 4)
		}
		t.V(mc.PCMPGTQ, d, y, x)
	})
}

// integerRelation makes the lanes for which one of three relations holds: those that others are complements or turns of.
func (t *translator) integerRelation(s [6]source, r relation, signed bool, c int) {
	t.value(1, s[1], c)
	t.value(0, s[0], c)
	switch {
	case r.differ: // all ones where equal, then inverted
		t.V(mc.PCMPEQD, 0, 0, 1)
		t.V(mc.PCMPEQD, 2, 2, 2)
		t.V(mc.PXOR, 0, 0, 2)
	case signed && !r.unsigned:
		t.V(mc.PCMPGTD, 0, 1, 0)
	default: // a < b where max(a, b) is not a
		t.V(mc.PMAXUD, 1, 0, 1)
		t.V(mc.PCMPEQD, 0, 0, 1)
		t.V(mc.PCMPEQD, 2, 2, 2)
		t.V(mc.PXOR, 0, 0, 2)
	}
}

// exchange emits shfl with constant lanes.
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

// ballot emits vote.ballot without a member mask.
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
