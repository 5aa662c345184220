package expand

import "github.com/keplersim/keplersim/isa"

// orderFences says which fences an access with a memory order needs, as Kepler's accesses have none. Everything before a release is done
// before it begins; an acquire is done before anything after it begins.
func orderFences(i *isa.Instruction) (before, after bool) {
	switch i.Op {
	case isa.OpLd, isa.OpSt, isa.OpAtom, isa.OpRed:
	default:
		return false, false
	}
	o := i.Memory.Order
	both := o == isa.OrderAcqRel || o == isa.OrderSeqCst
	return both || o == isa.OrderRelease, both || o == isa.OrderAcquire
}

// fence appends a MEMBAR that is part of another instruction.
func (x *expander) fence(like *isa.Instruction) {
	op := x.Emit(like, "MEMBAR", isa.ClassFence)
	op.Effect, op.PTXCount, op.Control = nil, 0, isa.ControlSync
}
