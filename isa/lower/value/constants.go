package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// foldable are the f32 operations whose result is known where their sources are numbers. The approximations among them are those of the
// special function units.
var foldable = map[isa.Opcode]bool{
	isa.OpAdd: true, isa.OpSub: true, isa.OpMul: true, isa.OpFma: true, isa.OpDiv: true, isa.OpRcp: true, isa.OpSqrt: true,
	isa.OpRsqrt: true, isa.OpLg2: true, isa.OpEx2: true, isa.OpSin: true, isa.OpCos: true, isa.OpMin: true, isa.OpMax: true,
	isa.OpAbs: true, isa.OpNeg: true,
}

// FoldConstants makes moves of f32 arithmetic on numbers, by the functions that execution uses, so that no bit of a result changes.
// nvcc leaves no logarithm or power of numbers in a kernel; clang leaves those that PTX approximates.
func FoldConstants(f *Function) error {
	v := f.newValues()
	defer v.release()
	folded := false
	for _, b := range v.graph.Order {
		for _, i := range f.ByID[b.ID].Instructions {
			folded = v.foldConstant(i) || folded
		}
	}
	if !folded {
		return nil
	}
	_, _, err := f.propagate(nil)
	return err
}

// foldConstant makes a move of one instruction, if all its sources are numbers.
func (v *values) foldConstant(i *isa.Instruction) bool {
	if !foldable[i.Op] || i.Type != isa.F32 || len(i.Dst) != 1 || i.Dst[0].Kind != isa.OperandRegister || len(i.Src) == 0 ||
		len(i.Src) > 3 {
		return false
	}
	var numbers [3]uint32
	for n := range i.Src {
		s := i.Src[n]
		if s.Negate {
			return false
		}
		if c, ok := v.copied(&s); ok {
			s = c
		}
		if s.Kind != isa.OperandImmediate {
			return false
		}
		numbers[n] = uint32(s.Immediate)
	}
	operation, ok := fp.Find(i.FloatKey())
	if !ok {
		return false
	}
	var result fp.Lanes32
	sources := [3]fp.Lanes32{{numbers[0]}, {numbers[1]}, {numbers[2]}}
	switch {
	case operation.Unary32 != nil && len(i.Src) == 1:
		operation.Unary32(&result, &sources[0], 1)
	case operation.Binary32 != nil && len(i.Src) == 2:
		operation.Binary32(&result, &sources[0], &sources[1], 1)
	case operation.Ternary32 != nil && len(i.Src) == 3:
		operation.Ternary32(&result, &sources[0], &sources[1], &sources[2], 1)
	default:
		return false
	}
	i.Op, i.Mod, i.Src = isa.OpMov, isa.Modifiers{}, []isa.Operand{isa.Imm(uint64(result[0]), isa.F32)}
	return true
}
