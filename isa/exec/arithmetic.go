package exec

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// bindArithmetic binds an integer or floating-point operation that depends only on its sources.
func bindArithmetic(b *binder, bound *Bound, i *isa.Instruction) error {
	if i.Type.Float() && !bitwise(i.Op) {
		return bindFloat(b, bound, i)
	}
	if i.Type == isa.Pred {
		return bindPredicateLogic(bound, i)
	}
	if i.Mod.CarryOut {
		return bindCarry(b, bound, i)
	}
	op, narrow, ok := findInteger(i)
	if !ok {
		return ErrUnsupported
	}
	bound.operation = op
	if err := b.finish(bound, i, narrow); err != nil {
		return err
	}
	if i.Op == isa.OpMad || i.Op == isa.OpMul {
		negateIntegers(bound, i)
	}
	return nil
}

// bitwise reports the opcodes that treat floats as bits.
func bitwise(o isa.Opcode) bool {
	return o == isa.OpAnd || o == isa.OpOr || o == isa.OpXor || o == isa.OpNot
}

// findInteger finds an integer operation; narrow says that 16-bit values must be extended around a 32-bit function.
func findInteger(i *isa.Instruction) (op operation, narrow, ok bool) {
	f := form{op: i.Op, t: plain(i.Type), half: i.Mod.Half, sat: i.Mod.Saturate}
	small := f.t.Bytes() <= 2
	if op, ok = lookup(f); ok {
		return op, small, true
	}
	if small {
		f.t = widened(f.t)
		if op, ok = lookup(f); ok {
			return op, true, true
		}
	}
	if make, found := byModifiers[i.Op]; found {
		op, ok = make(i)
		return op, false, ok
	}
	return operation{}, false, false
}

// lookup returns a form's vector function if the host has vectors and there is one, else its scalar loop.
func lookup(f form) (operation, bool) {
	if hasVectors {
		if op, ok := vectors[f]; ok {
			return op, true
		}
	}
	op, ok := integer[f]
	return op, ok
}

// byModifiers makes the functions of operations that depend on more of an instruction than the keys of table integer.
var byModifiers = map[isa.Opcode]func(i *isa.Instruction) (operation, bool){
	isa.OpBfind: func(i *isa.Instruction) (operation, bool) {
		signed, shift := i.Type.Signed(), i.Mod.ShiftAmt
		if i.Type.Bytes() == 8 {
			return planarCount(func(a uint64) uint32 { return bitFind(a, 64, signed, shift) }), true
		}
		return scalarUnary(func(a uint32) uint32 { return bitFind(uint64(a), 32, signed, shift) }), true
	},
	isa.OpPrmt: func(i *isa.Instruction) (operation, bool) {
		mode := i.Mod.Select
		return scalarTernary(func(a, b, c uint32) uint32 { return permute(a, b, c, mode) }), true
	},
	isa.OpShf: func(i *isa.Instruction) (operation, bool) {
		left, wrap := i.Mod.Select == isa.ShiftLeft, i.Mod.ShiftMode == isa.Wrap
		if i.Type.Bytes() == 8 {
			return funnel64(i), true
		}
		return scalarTernary(func(a, b, c uint32) uint32 { return funnel(a, b, c, left, wrap) }), true
	},
	isa.OpBmsk: func(i *isa.Instruction) (operation, bool) {
		wrap := i.Mod.ShiftMode == isa.Wrap
		return scalarBinary(func(a, b uint32) uint32 { return bitMask(a, b, wrap) }), true
	},
	isa.OpSzext: func(i *isa.Instruction) (operation, bool) {
		signed, wrap := i.Type.Signed(), i.Mod.ShiftMode == isa.Wrap
		return scalarBinary(func(a, b uint32) uint32 { return extend32(a, b, signed, wrap) }), true
	},
	isa.OpDp4a: func(i *isa.Instruction) (operation, bool) {
		x, y := i.Type.Signed(), i.From.Signed()
		return scalarTernary(func(a, b, c uint32) uint32 { return dotProduct(a, b, c, x, y, 4, 0) }), true
	},
	isa.OpDp2a: func(i *isa.Instruction) (operation, bool) {
		x, y := i.Type.Signed(), i.From.Signed()
		first := 0
		if i.Mod.Half == isa.Hi {
			first = 2
		}
		return scalarTernary(func(a, b, c uint32) uint32 { return dotProduct(a, b, c, x, y, 2, first) }), true
	},
	isa.OpVadd: videoScalar, isa.OpVsub: videoScalar, isa.OpVabsdiff: videoScalar, isa.OpVmin: videoScalar, isa.OpVmax: videoScalar,
	isa.OpVshl: videoScalar, isa.OpVshr: videoScalar, isa.OpVset: videoScalar, isa.OpVmad: videoMultiply,
	isa.OpVadd2: videoSIMD(2), isa.OpVsub2: videoSIMD(2), isa.OpVabsdiff2: videoSIMD(2), isa.OpVmin2: videoSIMD(2),
	isa.OpVmax2:  videoSIMD(2),
	isa.OpVavrg2: videoSIMD(2), isa.OpVset2: videoSIMD(2),
	isa.OpVadd4: videoSIMD(4), isa.OpVsub4: videoSIMD(4), isa.OpVabsdiff4: videoSIMD(4), isa.OpVmin4: videoSIMD(4),
	isa.OpVmax4:  videoSIMD(4),
	isa.OpVavrg4: videoSIMD(4), isa.OpVset4: videoSIMD(4),
}

// finish resolves the operands of a bound operation and chooses its runner.
func (b *binder) finish(bound *Bound, i *isa.Instruction, narrow bool) error {
	if len(i.Dst) != 1 {
		return fmt.Errorf("%d destinations: %w", len(i.Dst), ErrUnsupported)
	}
	if err := b.operands(bound, i.Src, i.Dst[0]); err != nil {
		return err
	}
	if bound.planar != nil {
		return b.finishPlanar(bound)
	}
	switch {
	case narrow:
		bound.run = runNarrow
		bound.detail = &detail{result: i.Type}
		if i.Mod.Half == isa.Wide {
			bound.detail.result = isa.TypeNone
		}
		for n := range i.Src {
			if n < 3 && !(n == 1 && (i.Op == isa.OpShl || i.Op == isa.OpShr)) && !(n == 2 && i.Mod.Half == isa.Wide) {
				bound.detail.extend[n] = plain(i.Type)
			}
		}
	case bound.unary32 != nil:
		bound.run = runUnary32
	case bound.binary32 != nil:
		bound.run = runBinary32
	case bound.ternary32 != nil:
		bound.run = runTernary32
	default:
		bound.run = runQuaternary32
	}
	return nil
}

// finishPlanar assigns words to the operands of a planar function. A one-word value has no high word, however wide its register is. A
// fourth operand moves to the high word of the third.
func (b *binder) finishPlanar(bound *Bound) error {
	for n := range 4 {
		if bound.words[n+1] < 2 {
			bound.source[2*n+1] = slotZero
		}
	}
	if bound.words[4] != 0 {
		bound.source[5] = bound.source[6]
	}
	if bound.words[0] < 2 {
		bound.destination[1] = slotSink
	}
	bound.run = runPlanar
	return nil
}

var testNames = map[isa.Sub]string{
	isa.TestFinite: "finite", isa.TestInfinite: "infinite", isa.TestNumber: "number", isa.TestNotANumber: "notanumber",
	isa.TestNormal: "normal", isa.TestSubnormal: "subnormal",
}

// floatKey returns the key of an instruction that may have a second type, a test, or no modifiers.
func floatKey(i *isa.Instruction) fp.Key {
	k := i.FloatKey()
	switch i.Op {
	case isa.OpSet:
		k.Type = i.From.String()
	case isa.OpSlct:
		k = fp.Key{Op: "slct", Type: i.From.String(), Flush: i.Mod.Flush}
	case isa.OpTestp:
		k.Test = testNames[i.Mod.Select]
	}
	return k
}

// plainBits returns the unsigned type of an untyped one (clang writes these in conversions), and any other type unchanged.
func plainBits(t isa.Type) isa.Type {
	if t.Kind() == isa.KindBits {
		return plain(t)
	}
	return t
}

// negateSources makes an operation read negated or absolute values of the sources marked Negate or Absolute. It changes the sign bit in the
// word that holds it.
func negateSources(bound *Bound, i *isa.Instruction) {
	var from [3]slot
	negate, absolute, changed := [3]bool{}, [3]bool{}, false
	for n := range min(len(i.Src), len(from)) {
		o := &i.Src[n]
		if !o.Negate && !o.Absolute || o.Kind == isa.OperandPredicate {
			continue
		}
		high := max(o.Type.Registers(), 1) - 1
		from[n], bound.source[2*n+high] = bound.source[2*n+high], slotNegated-slot(n)
		negate[n], absolute[n], changed = o.Negate, o.Absolute, true
	}
	if !changed {
		return
	}
	if bound.detail == nil {
		bound.detail = &detail{}
	}
	bound.detail.negatedFrom, bound.detail.absolute = from, absolute
	inner := bound.run
	bound.run = func(b *Bound, w *Warp, active uint32) {
		for n := range from {
			switch d := &w.Scratch.negated[n]; {
			case absolute[n]:
				magnitudeLanes(d, w.lanes(from[n]), negate[n])
			case negate[n]:
				negateLanes(d, w.lanes(from[n]))
			}
		}
		inner(b, w, active)
	}
}

// magnitudeLanes clears the sign bits of floats, or sets them if negative.
func magnitudeLanes(d, a *isa.Lanes32, negative bool) {
	sign := uint32(0)
	if negative {
		sign = 1 << 31
	}
	for lane := range d {
		d[lane] = a[lane]&^(1<<31) | sign
	}
}

func negateLanes(d, a *isa.Lanes32) {
	for lane := range d {
		d[lane] = a[lane] ^ 1<<31
	}
}

// bindFloat binds arithmetic and conversions that package fp implements.
func bindFloat(b *binder, bound *Bound, i *isa.Instruction) error {
	k := floatKey(i)
	f, ok := fp.Find(k)
	if !ok {
		return fmt.Errorf("no floating-point form %+v: %w", k, ErrUnsupported)
	}
	bound.operation = operation{unary32: f.Unary32, binary32: f.Binary32, ternary32: f.Ternary32}
	if f.Unary32 != nil || f.Binary32 != nil || f.Ternary32 != nil {
		if err := b.finish(bound, i, false); err != nil {
			return err
		}
		if bound.destination[1] != slotSink {
			bound.run = runConvert32
		}
		negateSources(bound, i)
		return nil
	}
	if err := b.operands(bound, i.Src, i.Dst[0]); err != nil {
		return err
	}
	bound.detail = &detail{float: f, joined: len(i.Src)}
	if f.Widen != nil {
		bound.detail.joined = 0
	}
	bound.run = runFloat64
	negateSources(bound, i)
	return nil
}
