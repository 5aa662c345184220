package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// sinkUnread drops the results that nothing reads of a texture operation, which has a mask of those it returns, and of a move that takes a
// register apart.
func (v *values) sinkUnread(i *isa.Instruction) (changed bool) {
	if i.Op != isa.OpTex && i.Op != isa.OpTld4 && (i.Op != isa.OpMov || len(i.Dst) < 2) {
		return false
	}
	for k := range i.Dst {
		if o := &i.Dst[k]; virtual.IsRegister(o) && v.of[virtual.Whole(o.Register)].uses == 0 {
			*o = isa.Operand{Kind: isa.OperandSink, Type: o.Type}
			changed = true
		}
	}
	return changed
}

// reduceUnread turns an atomic operation with an unused result into a reduction, as nvcc and ptxas do: then no response comes back.
// Exchanges and shared memory have no reductions.
func (v *values) reduceUnread(i *isa.Instruction) bool {
	if i.Op != isa.OpAtom || i.Mod.Select < isa.AtomicAdd || i.Mod.Select > isa.AtomicDec ||
		i.Memory.Space != isa.SpaceGlobal && i.Memory.Space != isa.SpaceGeneric ||
		i.Memory.Order != isa.OrderWeak && i.Memory.Order != isa.OrderRelaxed {
		return false
	}
	for k := range i.Dst {
		if o := &i.Dst[k]; virtual.IsRegister(o) && v.of[virtual.Whole(o.Register)].uses > 0 {
			return false
		}
	}
	i.Op, i.Dst = isa.OpRed, nil
	return true
}
