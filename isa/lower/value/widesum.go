package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// AddInTurn replaces base + ((x + y) << k) in 64 bits, where x and y are extended from 32 bits, by (base + y·2^k) + x·2^k: two
// multiply-adds. Many addresses share the first. Clang adds in 64 bits where it knows a number not to be negative; nvcc adds in 32.
func AddInTurn(f *Function) error {
	v := f.newValues()
	defer v.release()
	var one [1]*isa.Instruction
	for _, b := range f.Blocks {
		b.insert(func(i *isa.Instruction) []*isa.Instruction {
			if one[0] = v.addInTurn(i); one[0] == nil {
				return nil
			}
			return one[:]
		})
	}
	return nil
}

// addInTurn rewrites an addition, and returns the one that must come before it, nil where the rule does not apply.
func (v *values) addInTurn(i *isa.Instruction) *isa.Instruction {
	if !plainAdd(i, 8) || i.Guard.Present || i.Dst[0].Kind != isa.OperandRegister {
		return nil
	}
	for n := range 2 {
		shift := v.definition(&i.Src[n])
		if shift == nil || shift.Op != isa.OpShl || shift.Type.Bytes() != 8 || shift.Src[1].Kind != isa.OperandImmediate ||
			shift.Src[1].Immediate > 30 || !v.onlyAdded(shift) {
			continue
		}
		sum := v.definition(&shift.Src[0])
		if sum == nil || !plainAdd(sum, 8) || v.of[sum.Dst[0].Register].uses != 1 {
			continue
		}
		x, y := v.extended(&sum.Src[0], i), v.extended(&sum.Src[1], i)
		if x == nil || y == nil {
			continue
		}
		if v.of[x.Dst[0].Register].uses > v.of[y.Dst[0].Register].uses {
			x, y = y, x
		}
		factor := uint64(1) << shift.Src[1].Immediate
		first := &isa.Instruction{
			Op: isa.OpMad, Type: y.From, Mod: isa.Modifiers{Half: isa.Wide}, Line: i.Line,
			Dst: []isa.Operand{isa.Reg(v.f.Temporary(i.Dst[0].Type), i.Dst[0].Type)},
			Src: []isa.Operand{y.Src[0], isa.Imm(factor, y.From), i.Src[1-n]},
		}
		i.Op, i.Type, i.Mod = isa.OpMad, x.From, isa.Modifiers{Half: isa.Wide}
		i.Src = []isa.Operand{x.Src[0], isa.Imm(factor, x.From), first.Dst[0]}
		return first
	}
	return nil
}

// extended returns the instruction that extends a 32-bit integer to an operand of 64 bits. It returns nil if there is none, or if the
// integer's register may have changed before the user.
func (v *values) extended(o *isa.Operand, user *isa.Instruction) *isa.Instruction {
	d := v.definition(o)
	if d == nil || d.Op != isa.OpCvt || d.From.Float() || d.Type.Float() || d.From.Bytes() != 4 || d.Type.Bytes() != 8 || d.Mod.Saturate ||
		!virtual.IsRegister(&d.Src[0]) || d.Src[0].Type.Bytes() != 4 || !v.reaches(&d.Src[0], d, user) {
		return nil
	}
	return d
}
