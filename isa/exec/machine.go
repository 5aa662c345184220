package exec

import (
	"errors"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// Operations that only machine code has.

// bindPredicateTable binds plop: functions of three predicates by their truth tables.
func bindPredicateTable(_ *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) != 3 || len(i.Dst) == 0 || len(i.Dst) > 2 {
		return ErrUnsupported
	}
	var sources [3]predicateSource
	destinations, tables := [2]int8{-1, -1}, [2]uint8{i.Mod.SelectMask, i.Mod.Scale}
	var err error
	for n := range sources {
		if sources[n], err = readPredicate(i.Src[n]); err != nil {
			return err
		}
	}
	for n := range i.Dst {
		if destinations[n], err = writtenPredicate(i.Dst[n]); err != nil {
			return err
		}
	}
	bound.run = func(_ *Bound, w *Warp, active uint32) {
		a, b, c := sources[0].mask(w), sources[1].mask(w), sources[2].mask(w)
		var masks [2]uint32
		for n, table := range tables {
			for k := range 8 {
				if table>>k&1 != 0 {
					masks[n] |= (a ^ (uint32(k&1) - 1)) & (b ^ (uint32(k>>1&1) - 1)) & (c ^ (uint32(k>>2&1) - 1))
				}
			}
		}
		w.setPredicate(destinations[0], masks[0], active)
		w.setPredicate(destinations[1], masks[1], active)
	}
	return nil
}

// bindFlagComparison binds setc: a 64-bit setp that takes the comparison of the low words from the condition code.
func bindFlagComparison(b *binder, bound *Bound, i *isa.Instruction) error {
	wide := *i
	wide.Type = isa.U64
	if i.Type.Signed() {
		wide.Type = isa.S64
	}
	if err := bindSetp(b, bound, &wide); err != nil {
		return err
	}
	s := &bound.source
	first, second := slotNegated, slotNegated-1
	if relations[i.Mod.Compare].swap {
		first, second = second, first
	}
	s[0], s[1], s[2], s[3] = first, s[0], second, s[2]
	inner := bound.run
	bound.run = func(b *Bound, w *Warp, active uint32) {
		x, y := &w.Scratch.negated[0], &w.Scratch.negated[1]
		for lane := range x {
			borrow, zero := ^w.Carry>>lane&1, w.Zero>>lane&1
			x[lane], y[lane] = 1-borrow, borrow|zero // below: 0 and 1; equal: 1 and 1; above: 1 and 0
		}
		inner(b, w, active)
	}
	return nil
}

// negateIntegers makes products, and their sums, read the negatives of the 32-bit sources marked Negate.
func negateIntegers(bound *Bound, i *isa.Instruction) {
	var from [3]slot
	marked := 0
	for n := range i.Src {
		if i.Src[n].Negate {
			from[n], bound.source[2*n] = bound.source[2*n], slotNegated-slot(n)
			marked |= 1 << n
		}
	}
	if marked == 0 {
		return
	}
	bound.detail = &detail{negatedFrom: from, negates: true}
	inner := bound.run
	bound.run = func(b *Bound, w *Warp, active uint32) {
		for n := range from {
			if marked>>n&1 != 0 {
				negate32(&w.Scratch.negated[n], w.lanes(from[n]), active)
			}
		}
		inner(b, w, active)
	}
}

// zeroLanes returns the lanes that are zero.
func zeroLanes(a *isa.Lanes32) (mask uint32) {
	for i := range a {
		x := a[i]
		mask = mask>>1 | ^(x|-x)&(1<<31)
	}
	return mask
}

// readsZero reports a program with an operation that reads Warp.Zero: the host's machine code does not maintain it.
func readsZero(mp *isa.MachineProgram) bool {
	return slices.ContainsFunc(mp.Ops, func(op isa.MachineOp) bool { return op.Effect != nil && op.Effect.Op == isa.OpSetc })
}

// bindComparedSelection binds csel: a if c compares true with zero, else b.
func bindComparedSelection(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) != 3 || len(i.Dst) != 1 {
		return ErrUnsupported
	}
	compared := &Bound{}
	test := &isa.Instruction{Op: isa.OpSetp, Type: i.From, Mod: isa.Modifiers{Compare: i.Mod.Compare, Flush: i.Mod.Flush},
		Dst: []isa.Operand{{Kind: isa.OperandSink}}, Src: []isa.Operand{i.Src[2], isa.Imm(0, i.From)}}
	if err := bindSetp(b, compared, test); err != nil {
		return err
	}
	if err := b.operands(bound, i.Src[:2], i.Dst[0]); err != nil {
		return err
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		out := &w.Scratch.out[0]
		choose(out, w.lanes(b.source[0]), w.lanes(b.source[2]), compared.compareLanes(w, active))
		merge(w.lanes(b.destination[0]), out, active)
	}
	return nil
}

// bindDivisionCheck binds fchk: the rule for a division's slow path, lane by lane.
func bindDivisionCheck(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) != 2 || len(i.Dst) != 1 || i.Type != isa.F32 {
		return ErrUnsupported
	}
	if err := b.sources(bound, i.Src); err != nil {
		return err
	}
	p, err := writtenPredicate(i.Dst[0])
	if err != nil {
		return err
	}
	rule := slowRules[isa.SlowDivF32]
	bound.run = func(b *Bound, w *Warp, active uint32) {
		x, y := w.lanes(b.source[0]), w.lanes(b.source[2])
		mask := uint32(0)
		for m := active; m != 0; m &= m - 1 {
			if lane := m & -m; rule(x, x, y, y, lane) {
				mask |= lane
			}
		}
		w.setPredicate(p, mask, active)
	}
	return nil
}

// bindUpperEstimate binds rcp64h and rsqrt64h, which work on high words only.
func bindUpperEstimate(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) != 1 || len(i.Dst) != 1 {
		return ErrUnsupported
	}
	if err := b.operands(bound, i.Src, i.Dst[0]); err != nil {
		return err
	}
	estimate := fp.RcpApprox64
	if i.Op == isa.OpRsqrt64h {
		estimate = fp.RsqrtApprox64
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		out, x := &w.Scratch.out[0], w.lanes(b.source[0])
		for lane, v := range x {
			out[lane] = uint32(estimate(uint64(v)<<32, fp.Control{Flush: true}) >> 32)
		}
		merge(w.lanes(b.destination[0]), out, active)
	}
	return nil
}

// bindPackedPredicates binds p2r: a, with predicates in place of the bits that are set in b.
func bindPackedPredicates(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) < 2 || len(i.Dst) != 1 {
		return ErrUnsupported
	}
	if err := b.operands(bound, i.Src[:2], i.Dst[0]); err != nil {
		return err
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		out, a, named := &w.Scratch.out[0], w.lanes(b.source[0]), w.lanes(b.source[2])
		for lane := range out {
			packed := uint32(0)
			for p := range isa.PT {
				packed |= w.Predicates[p] >> lane & 1 << p
			}
			of := named[lane] & allPredicates
			out[lane] = a[lane]&^of | packed&of
		}
		merge(w.lanes(b.destination[0]), out, active)
	}
	return nil
}

// allPredicates has a bit for each writable predicate.
const allPredicates = 1<<isa.PT - 1

// bindUnpackedBits binds r2p: predicates take a's bits where b's bits are set.
func bindUnpackedBits(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) < 2 {
		return ErrUnsupported
	}
	if err := b.sources(bound, i.Src[:2]); err != nil {
		return err
	}
	var list []int8
	for _, o := range i.Dst {
		p, err := writtenPredicate(o)
		if err != nil || p < 0 {
			return errors.Join(err, ErrUnsupported)
		}
		list = append(list, p)
	}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		a, named := w.lanes(b.source[0]), w.lanes(b.source[2])
		for _, p := range list {
			var mask, written uint32
			for lane := range a {
				mask |= a[lane] >> p & 1 << lane
				written |= named[lane] >> p & 1 << lane
			}
			w.setPredicate(p, mask, active&written)
		}
	}
	return nil
}

// funnel64 makes shf of 64-bit values. It returns the high word of a left shift, the low word of a right shift or, with Hi, the high word
// of one.
func funnel64(i *isa.Instruction) operation {
	left, high, arithmetic := i.Mod.Select == isa.ShiftLeft, i.Mod.Half == isa.Hi, i.Type.Signed()
	mask, most := ^uint32(0), uint32(64)
	if i.Mod.ShiftMode == isa.Wrap {
		mask = 63
	}
	return scalarTernary(func(a, b, c uint32) uint32 {
		v, amount := pack64(a, b), min(c&mask, most)
		switch {
		case left:
			return uint32(v << amount >> 32)
		case arithmetic:
			v = uint64(int64(v) >> min(amount, 63))
		default:
			v >>= amount
		}
		if high {
			v >>= 32
		}
		return uint32(v)
	})
}
