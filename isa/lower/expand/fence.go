package expand

import "github.com/keplersim/keplersim/isa"

// orderFences tells which fences an access with a memory order becomes on a Kepler, which has none of its own: what comes before a
// release, and what an acquire read, is done before anything after it begins.
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

// fence appends a MEMBAR that belongs to another instruction.
func (x *expander) fence(like *isa.Instruction) {
	op := x.Emit(like, "MEMBAR", isa.ClassFence)
	op.Effect, op.PTXCount, op.Control = nil, 0, isa.ControlSync
}
