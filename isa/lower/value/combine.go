package value

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// combiningRules are the rules of Combine in order. Each reports whether it changed an instruction.
var combiningRules = []func(*values, *isa.Instruction) bool{
	(*values).extendNothing, (*values).widenShift, (*values).multiplyToShift, (*values).addNumbers,
	(*values).addNothing, (*values).addProduct, (*values).addWide, (*values).joinPredicates,
}

// Combine replaces instructions by cheaper ones with the same result. Multiplications by powers of two become shifts; integer additions
// merge with products, shifts and immediates. No rounding is removed: f32 and f64 multiplications and additions stay.
func Combine(f *Function) error {
	var v *values    // of the present function; nil after a change
	settled := false // no copy or dead code since they last ran
	for _, rule := range combiningRules {
		now, applied, err := f.applyRule(rule, v)
		if err != nil {
			return err
		}
		if v = now; settled && !applied {
			continue
		}
		now, copied, err := f.propagate(v)
		if err != nil {
			return err
		}
		dropped, err := now.dropDead(removable)
		if err != nil {
			return err
		}
		v, settled = now, !copied && !dropped // they have updated the counts of uses
	}
	return nil
}

// applyRule applies a rule everywhere until nothing changes. known are the function's values, or nil; it returns the values afterwards.
func (f *Function) applyRule(
	rule func(*values, *isa.Instruction) bool, known *values,
) (v *values, applied bool, err error) {
	for v = known; ; v = nil {
		if err := f.Stopped(); err != nil {
			return nil, applied, err
		}
		if v == nil {
			v = f.newValues()
		}
		changed := false
		for _, b := range f.Blocks {
			v.at = b
			for _, i := range b.Instructions {
				changed = rule(v, i) || changed // counts of uses go stale: that may miss a rewrite but is never wrong
			}
		}
		if !changed {
			return v, applied, nil
		}
		v.release()
		applied = true
	}
}

// powerOfTwo returns the exponent of an immediate; false if it is not a power of two.
func powerOfTwo(o *isa.Operand) (int, bool) {
	n := o.Immediate
	if o.Type.Bytes() == 4 {
		n &= 0xffffffff
	}
	return bits.TrailingZeros64(n), o.Kind == isa.OperandImmediate && bits.OnesCount64(n) == 1
}

// addNothing: a + 0 is a; immediates move behind registers.
func (v *values) addNothing(i *isa.Instruction) bool {
	if (plainAdd(i, 4) || plainAdd(i, 8)) && i.Src[0].Kind == isa.OperandImmediate && virtual.IsRegister(&i.Src[1]) {
		i.Src[0], i.Src[1] = i.Src[1], i.Src[0]
		return true
	}
	if !plainAdd(i, 4) && !plainAdd(i, 8) || i.Src[1].Kind != isa.OperandImmediate || i.Src[1].Immediate != 0 ||
		i.Src[0].Type.Bytes() != i.Dst[0].Type.Bytes() {
		return false
	}
	i.Op, i.Mod, i.Src = isa.OpMov, isa.Modifiers{}, i.Src[:1]
	return true
}

// multiplyToShift: a · 2^k is a shift.
func (v *values) multiplyToShift(i *isa.Instruction) bool {
	if i.Op != isa.OpMul || i.Mod.Half != isa.Lo || i.Type.Float() || i.Type.Bytes() < 4 {
		return false
	}
	a, b := i.Src[0], i.Src[1]
	if a.Kind == isa.OperandImmediate {
		a, b = b, a
	}
	k, ok := powerOfTwo(&b)
	if !ok || a.Kind == isa.OperandImmediate {
		return false
	}
	t := isa.B32
	if i.Type.Bytes() == 8 {
		t = isa.B64
	}
	i.Op, i.Type, i.Mod = isa.OpShl, t, isa.Modifiers{}
	i.Src = []isa.Operand{a, isa.Imm(uint64(k), isa.U32)}
	return true
}

// widenShift: extending a 32-bit value and shifting it left is one wide multiplication.
func (v *values) widenShift(i *isa.Instruction) bool {
	if i.Op != isa.OpShl || i.Type.Bytes() != 8 || i.Src[1].Kind != isa.OperandImmediate {
		return false
	}
	k := i.Src[1].Immediate
	d := v.extended(&i.Src[0], i)
	if k > 30 || d == nil {
		return false
	}
	i.Op, i.Type, i.Mod = isa.OpMul, d.From, isa.Modifiers{Half: isa.Wide}
	i.Src = []isa.Operand{d.Src[0], isa.Imm(1<<k, d.From)}
	return true
}

// plainAdd reports an integer addition of the given width without carry or saturation.
func plainAdd(i *isa.Instruction, bytes int) bool {
	return i.Op == isa.OpAdd && !i.Type.Float() && i.Type.Bytes() == bytes && !i.Mod.CarryOut && !i.Mod.Saturate && i.Type != isa.F16x2
}

// addNumbers: (a + m) + n is a + (m + n).
func (v *values) addNumbers(i *isa.Instruction) bool {
	if !plainAdd(i, 4) && !plainAdd(i, 8) || i.Src[1].Kind != isa.OperandImmediate {
		return false
	}
	d := v.definition(&i.Src[0])
	if d == nil || !plainAdd(d, i.Type.Bytes()) || d.Src[1].Kind != isa.OperandImmediate || !virtual.IsRegister(&d.Src[0]) ||
		!v.reaches(&d.Src[0], d, i) || v.of[d.Dst[0].Register].uses != 1 {
		return false
	}
	sum := d.Src[1].Immediate + i.Src[1].Immediate
	if i.Type.Bytes() == 4 {
		sum &= 0xffffffff
	}
	i.Src[0] = d.Src[0]
	i.Src[1].Immediate = sum
	return true
}

// addProduct: a · b + c and (a << k) + c are one operation if nothing else uses the product.
func (v *values) addProduct(i *isa.Instruction) bool {
	if !plainAdd(i, 4) {
		return false
	}
	for n := range 2 {
		d := v.definition(&i.Src[n])
		if d == nil || d.Guard.Present || v.of[d.Dst[0].Register].uses != 1 || d.Dst[0].Type.Bytes() != 4 || v.userIsDeeper(d) {
			continue
		}
		var a, b isa.Operand
		t, half := isa.U32, isa.Lo
		switch {
		case d.Op == isa.OpMul && d.Mod.Half == isa.Wide:
			a, b, t, half = d.Src[0], d.Src[1], d.Type, isa.Wide
		case d.Op == isa.OpMul && d.Mod.Half == isa.Lo:
			a, b = d.Src[0], d.Src[1]
		case d.Op == isa.OpShl && d.Src[1].Kind == isa.OperandImmediate && d.Src[1].Immediate < 32:
			a, b = d.Src[0], isa.Imm(1<<d.Src[1].Immediate, isa.U32)
		default:
			continue
		}
		if !v.reaches(&a, d, i) || !v.reaches(&b, d, i) || inline(&i.Src[1-n]) && inline(&b) && d.Op != isa.OpShl {
			continue
		}
		i.Op, i.Type, i.Mod = isa.OpMad, t, isa.Modifiers{Half: half}
		i.Src = []isa.Operand{a, b, i.Src[1-n]}
		return true
	}
	return false
}

// addWide: a 64-bit addition of a 32-bit product is one multiply-add if only additions at the product's loop depth use the product.
func (v *values) addWide(i *isa.Instruction) bool {
	if !plainAdd(i, 8) {
		return false
	}
	for n := range 2 {
		d := v.definition(&i.Src[n])
		if d == nil || d.Op != isa.OpMul || d.Mod.Half != isa.Wide || d.Type.Bytes() != 4 || !v.reaches(&d.Src[0], d, i) ||
			!v.reaches(&d.Src[1], d, i) || !v.onlyAdded(d) {
			continue
		}
		i.Op, i.Type, i.Mod = isa.OpMad, d.Type, isa.Modifiers{Half: isa.Wide}
		i.Src = []isa.Operand{d.Src[0], d.Src[1], i.Src[1-n]}
		return true
	}
	return false
}

// onlyAdded reports a product that only 64-bit additions in its own loop use.
func (v *values) onlyAdded(d *isa.Instruction) bool {
	r := d.Dst[0].Register
	found := 0
	for _, i := range v.usersOf(r) {
		uses := 0
		v.f.Uses(i.Instruction, func(other isa.Register, _ int) {
			if virtual.Whole(other) == r {
				uses++
			}
		})
		if uses == 0 {
			continue
		}
		if uses != 1 || !plainAdd(i.Instruction, 8) || i.home.Depth > v.of[r].home.Depth {
			return false
		}
		found++
	}
	return found > 0
}

// userIsDeeper reports that the user is in a deeper loop than the definition it would absorb.
func (v *values) userIsDeeper(definition *isa.Instruction) bool {
	return v.at.Depth > v.of[definition.Dst[0].Register].home.Depth
}

// boolOps are the predicate operations that a comparison can apply to its result.
var boolOps = map[isa.Opcode]isa.BoolOp{isa.OpAnd: isa.BoolAnd, isa.OpOr: isa.BoolOr, isa.OpXor: isa.BoolXor}

// joinPredicates: a comparison absorbs the and, or, xor with another predicate that is its only use.
func (v *values) joinPredicates(i *isa.Instruction) bool {
	operation, ok := boolOps[i.Op]
	if !ok || i.Type != isa.Pred || i.Guard.Present {
		return false
	}
	for n := range 2 {
		d := v.definition(&i.Src[n])
		other := i.Src[1-n]
		if d == nil || d.Op != isa.OpSetp || len(d.Dst) != 1 || len(d.Src) != 2 || i.Src[n].Negate || v.of[d.Dst[0].Register].uses != 1 ||
			other.Kind != isa.OperandPredicate ||
			!v.reaches(&d.Src[0], d, i) || !v.reaches(&d.Src[1], d, i) {
			continue
		}
		i.Op, i.Type, i.From = isa.OpSetp, d.Type, d.From
		i.Mod = d.Mod
		i.Mod.Bool = operation
		i.Src = []isa.Operand{d.Src[0], d.Src[1], other}
		return true
	}
	return false
}
