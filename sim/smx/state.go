package smx

import "github.com/keplersim/keplersim/isa"

// Context implements observe.State: a hash of the calls' places.
func (w *warp) Context() uint64 {
	frames := w.stack.frames
	if len(frames) <= 1 {
		return 0
	}
	n := w.stack.top().frame
	if n == 0 {
		return 0
	}
	hash := uint64(14695981039346656037) // FNV-1a
	for ; n > 0; n = frames[n].caller {
		hash = (hash ^ uint64(w.stack.waiting(frames[n].caller).pc)) * 1099511628211
	}
	return hash | 1
}

// Calls implements observe.State.
func (w *warp) Calls(op int32) []string { return w.callChain(&w.operations[op]) }

// Operand implements observe.State.
func (w *warp) Operand(o *isa.Operand, lane int) (value uint64, ok bool) {
	switch o.Kind {
	case isa.OperandImmediate:
		return o.Immediate, true
	case isa.OperandPredicate:
		bit := w.Predicates[o.Register&7] >> lane & 1
		if o.Negate {
			bit ^= 1
		}
		return uint64(bit), true
	case isa.OperandRegister:
		if o.Register == isa.RZ {
			return 0, true
		}
		at := int(w.Base) + int(o.Register)
		if at >= len(w.Registers) {
			return 0, false
		}
		value = uint64(w.Registers[at][lane])
		if o.Type.Registers() > 1 && at+1 < len(w.Registers) {
			value |= uint64(w.Registers[at+1][lane]) << 32
		}
		return value, true
	}
	return 0, false
}
