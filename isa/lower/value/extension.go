package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// extendNothing: an unsigned load of 8 or 16 bits zero-extends to its register, so widening or masking the value again is a move.
func (v *values) extendNothing(i *isa.Instruction) bool {
	if len(i.Src) == 0 || len(i.Dst) != 1 || !virtual.IsRegister(&i.Src[0]) || i.Dst[0].Kind != isa.OperandRegister || i.Mod.Saturate {
		return false
	}
	filled, ok := v.filledBits(&i.Src[0])
	if !ok {
		return false
	}
	switch {
	case i.Op == isa.OpAnd && i.Type != isa.Pred && i.Type.Bytes() <= 4 && i.Src[1].Kind == isa.OperandImmediate:
		if low := uint64(1)<<filled - 1; i.Src[1].Immediate&low != low {
			return false
		}
	case i.Op == isa.OpCvt && !i.Type.Float() && !i.From.Float() && i.Type.Bytes() == 4 && i.Dst[0].Type.Bytes() == 4:
		kept := 8 * i.From.Bytes()
		if i.From.Signed() {
			kept--
		}
		if filled > kept {
			return false
		}
	default:
		return false
	}
	source := i.Src[0]
	source.Type = i.Type
	i.Op, i.Mod, i.From, i.Src = isa.OpMov, isa.Modifiers{}, isa.TypeNone, []isa.Operand{source}
	return true
}

// filledBits returns how many low bits of a 32-bit register can be nonzero because an unsigned load wrote it.
func (v *values) filledBits(o *isa.Operand) (n int, ok bool) {
	d := v.definition(o)
	for d != nil && d.Op == isa.OpMov && len(d.Src) == 1 && virtual.IsRegister(&d.Src[0]) {
		d = v.definition(&d.Src[0])
	}
	if d == nil || d.Op != isa.OpLd || d.Type.Float() || d.Type.Signed() || v.f.Words(o.Register) != 1 {
		return 0, false
	}
	return 8 * d.Type.Bytes(), d.Type.Bytes() < 4
}
