package exec

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// predicateOperands are the predicates of an operation: up to two destinations and two sources.
type predicateOperands struct {
	destination [2]int8 // -1: none
	source      [2]predicateSource
	combine     isa.BoolOp
	complement  bool
}

// predicateSource is a predicate source: w.Predicates[register] ^ flip. A constant reads PT.
type predicateSource struct {
	register uint8
	flip     uint32
}

func (p predicateSource) mask(w *Warp) uint32 { return w.Predicates[p.register] ^ p.flip }

// readPredicate resolves a predicate or Boolean immediate.
func readPredicate(o isa.Operand) (predicateSource, error) {
	s := predicateSource{register: uint8(isa.PT)}
	switch o.Kind {
	case isa.OperandPredicate, isa.OperandRegister:
		if o.Register < 0 || o.Register > isa.PT {
			return s, fmt.Errorf("predicate P%d does not exist: %w", o.Register, ErrUnsupported)
		}
		s.register = uint8(o.Register)
	case isa.OperandImmediate:
		if o.Immediate == 0 {
			s.flip = isa.FullMask
		}
	default:
		return s, fmt.Errorf("predicate operand of kind %d: %w", o.Kind, ErrUnsupported)
	}
	if o.Negate {
		s.flip = ^s.flip
	}
	return s, nil
}

// writtenPredicate resolves a predicate destination; -1 for a sink.
func writtenPredicate(o isa.Operand) (int8, error) {
	switch o.Kind {
	case isa.OperandSink, isa.OperandNone:
		return -1, nil
	case isa.OperandPredicate, isa.OperandRegister:
		if o.Register >= 0 && o.Register < isa.PT {
			return int8(o.Register), nil
		}
		if o.Register == isa.PT {
			return -1, nil
		}
	}
	return -1, fmt.Errorf("predicate destination of kind %d, register %d: %w", o.Kind, o.Register, ErrUnsupported)
}

// setPredicate writes the active lanes of a mask to a predicate.
func (w *Warp) setPredicate(p int8, mask, active uint32) {
	if p >= 0 {
		q := &w.Predicates[p&7]
		*q = *q&^active | mask&active
	}
}

func combine(op isa.BoolOp, a, b uint32) uint32 {
	switch op {
	case isa.BoolAnd:
		return a & b
	case isa.BoolOr:
		return a | b
	case isa.BoolXor:
		return a ^ b
	default:
		return a
	}
}

// bindCompare finds the comparison of set and setp on type t, and resolves their operands.
func bindCompare(b *binder, bound *Bound, i *isa.Instruction, t isa.Type) error {
	if len(i.Src) < 2 {
		return fmt.Errorf("%d operands compared: %w", len(i.Src), ErrUnsupported)
	}
	if err := b.sources(bound, i.Src[:2]); err != nil {
		return err
	}
	bound.detail = &detail{}
	p := &bound.predicates
	p.destination = [2]int8{-1, -1}
	if t.Float() {
		k := floatKey(i)
		f, ok := fp.Find(k)
		if !ok || f.Compare32 == nil && f.Compare64 == nil {
			return fmt.Errorf("no floating-point form %+v: %w", k, ErrUnsupported)
		}
		bound.detail.float = f
	} else {
		r, ok := relations[i.Mod.Compare]
		if !ok {
			return fmt.Errorf("comparison %d of integers: %w", i.Mod.Compare, ErrUnsupported)
		}
		bound.compare = r.comparer(t)
		p.complement = r.complement
		if t.Bytes() < 8 {
			bound.source[1], bound.source[3] = slotZero, slotZero
		}
		if t.Bytes() <= 2 {
			bound.detail.extend[0] = plain(t)
		}
		if r.swap {
			s := &bound.source
			s[0], s[1], s[2], s[3] = s[2], s[3], s[0], s[1]
		}
	}
	if len(i.Src) > 2 {
		s, err := readPredicate(i.Src[2])
		if err != nil {
			return err
		}
		p.source[0], p.combine = s, i.Mod.Bool
	}
	return nil
}

// compareLanes returns the active lanes where the comparison is true.
func (b *Bound) compareLanes(w *Warp, active uint32) uint32 {
	var mask uint32
	switch {
	case b.compare != nil:
		x, y := w.lanes(b.source[0]), w.lanes(b.source[2])
		if t := b.detail.extend[0]; t != isa.TypeNone {
			in := &w.Scratch.in
			extend(&in[0], x, t)
			extend(&in[1], y, t)
			x, y = &in[0], &in[1]
		}
		mask = b.compare(x, w.lanes(b.source[1]), y, w.lanes(b.source[3]), active)
		if b.predicates.complement {
			mask = ^mask
		}
	case b.detail.float.Compare32 != nil:
		mask = b.detail.float.Compare32(w.lanes(b.source[0]), w.lanes(b.source[2]), active)
	default:
		wide := &w.Scratch.wide
		join(&wide[0], w.lanes(b.source[0]), w.lanes(b.source[1]))
		join(&wide[1], w.lanes(b.source[2]), w.lanes(b.source[3]))
		mask = b.detail.float.Compare64(&wide[0], &wide[1], active)
	}
	return mask
}

func bindSetp(b *binder, bound *Bound, i *isa.Instruction) error {
	if err := bindCompare(b, bound, i, i.Type); err != nil {
		return err
	}
	for n := range min(2, len(i.Dst)) {
		d, err := writtenPredicate(i.Dst[n])
		if err != nil {
			return err
		}
		bound.predicates.destination[n] = d
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		p := &b.predicates
		mask := b.compareLanes(w, active)
		other := ^mask
		if p.combine != isa.BoolNone {
			c := p.source[0].mask(w)
			mask, other = combine(p.combine, mask, c), combine(p.combine, other, c)
		}
		w.setPredicate(p.destination[0], mask, active)
		w.setPredicate(p.destination[1], other, active)
	}
	negateSources(bound, i)
	return nil
}

// bindSet binds set: all ones or 1.0 if the comparison is true, else zero.
func bindSet(b *binder, bound *Bound, i *isa.Instruction) error {
	if err := bindCompare(b, bound, i, i.From); err != nil {
		return err
	}
	d, err := target(i.Dst[0])
	if err != nil {
		return err
	}
	bound.destination = d
	bound.detail.truth = ^uint32(0)
	switch {
	case i.Type == isa.F32:
		bound.detail.truth = 0x3f800000
	case i.Type.Bytes() == 2:
		bound.detail.truth = 0xffff
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		mask := b.compareLanes(w, active)
		if p := &b.predicates; p.combine != isa.BoolNone {
			mask = combine(p.combine, mask, p.source[0].mask(w))
		}
		out := &w.Scratch.out[0]
		for n := range out {
			out[n] = -(mask >> n & 1) & b.detail.truth
		}
		merge(w.lanes(b.destination[0]), out, active)
	}
	negateSources(bound, i)
	return nil
}

// bindSelection binds selp and slct: a if a condition is true, else b.
func bindSelection(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) != 3 {
		return fmt.Errorf("%d operands: %w", len(i.Src), ErrUnsupported)
	}
	wide := i.Type.Bytes() == 8
	condition := func(b *Bound, w *Warp, active uint32) uint32 { return b.predicates.source[0].mask(w) }
	values := i.Src[:2]
	if i.Op == isa.OpSlct {
		k := floatKey(i)
		f, ok := fp.Find(k)
		if !ok || f.Test32 == nil {
			return fmt.Errorf("no form %+v: %w", k, ErrUnsupported)
		}
		bound.detail = &detail{float: f}
		values = i.Src
		condition = func(b *Bound, w *Warp, active uint32) uint32 {
			return b.detail.float.Test32(w.lanes(b.source[4]), active)
		}
	} else {
		s, err := readPredicate(i.Src[2])
		if err != nil {
			return err
		}
		bound.predicates.source[0] = s
		if i.Type == isa.Pred {
			return bindPredicateSelection(bound, i)
		}
	}
	if err := b.operands(bound, values, i.Dst[0]); err != nil {
		return err
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		mask := condition(b, w, active)
		d, x, y := w.lanes(b.destination[0]), w.lanes(b.source[0]), w.lanes(b.source[2])
		if active == isa.FullMask {
			choose(d, x, y, mask)
		} else {
			choose(&w.Scratch.out[0], x, y, mask)
			merge(d, &w.Scratch.out[0], active)
		}
		if wide {
			choose(&w.Scratch.out[1], w.lanes(b.source[1]), w.lanes(b.source[3]), mask)
			merge(w.lanes(b.destination[1]), &w.Scratch.out[1], active)
		}
	}
	return nil
}

func bindPredicateSelection(bound *Bound, i *isa.Instruction) error {
	x, err := readPredicate(i.Src[0])
	if err != nil {
		return err
	}
	y, err := readPredicate(i.Src[1])
	if err != nil {
		return err
	}
	d, err := writtenPredicate(i.Dst[0])
	if err != nil {
		return err
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		c := b.predicates.source[0].mask(w)
		w.setPredicate(d, x.mask(w)&c|y.mask(w)&^c, active)
	}
	return nil
}

// bindPredicateLogic binds and, or, xor, not, mov, cnot of predicates.
func bindPredicateLogic(bound *Bound, i *isa.Instruction) error {
	if len(i.Dst) != 1 || len(i.Src) == 0 || len(i.Src) > 2 {
		return ErrUnsupported
	}
	d, err := writtenPredicate(i.Dst[0])
	if err != nil {
		return err
	}
	p := &bound.predicates
	p.destination = [2]int8{d, -1}
	for n, o := range i.Src {
		if p.source[n], err = readPredicate(o); err != nil {
			return err
		}
	}
	switch i.Op {
	case isa.OpAnd:
		p.combine = isa.BoolAnd
	case isa.OpOr:
		p.combine = isa.BoolOr
	case isa.OpXor:
		p.combine = isa.BoolXor
	case isa.OpNot, isa.OpCnot:
		p.source[0].flip = ^p.source[0].flip
	case isa.OpMov:
	default:
		return ErrUnsupported
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		p := &b.predicates
		w.setPredicate(p.destination[0], combine(p.combine, p.source[0].mask(w), p.source[1].mask(w)), active)
	}
	return nil
}

// bindTestp binds testp.
func bindTestp(b *binder, bound *Bound, i *isa.Instruction) error {
	k := floatKey(i)
	f, ok := fp.Find(k)
	if !ok {
		return fmt.Errorf("no floating-point form %+v: %w", k, ErrUnsupported)
	}
	if err := b.sources(bound, i.Src); err != nil {
		return err
	}
	d, err := writtenPredicate(i.Dst[0])
	if err != nil {
		return err
	}
	bound.predicates.destination[0] = d
	bound.detail = &detail{float: f}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		var mask uint32
		if test := b.detail.float.Test32; test != nil {
			mask = test(w.lanes(b.source[0]), active)
		} else {
			join(&w.Scratch.wide[0], w.lanes(b.source[0]), w.lanes(b.source[1]))
			mask = b.detail.float.Test64(&w.Scratch.wide[0], active)
		}
		w.setPredicate(b.predicates.destination[0], mask, active)
	}
	return nil
}
