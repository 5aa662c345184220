package smx

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

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

// RegisterCount implements observe.State.
func (w *warp) RegisterCount() int {
	return w.block.grid.Program.Machine.Stack[w.stack.frames[w.stack.top().frame].section].Registers
}

// LocalMemory implements observe.State.
func (w *warp) LocalMemory(lane int, address uint64, into []byte) bool {
	return w.ReadLocal(lane, address, into)
}

// Constant implements observe.State.
func (w *warp) Constant(bank int, address uint64, into []byte) bool {
	data := w.Block.Launch.Bank0
	if bank == isa.ConstantBankUser {
		data = w.Block.Launch.Bank3
	}
	if end := uint64(len(data)); address > end || end-address < uint64(len(into)) {
		return false
	}
	copy(into, data[address:])
	return true
}

// Frames implements observe.State.
func (w *warp) Frames() (list []observe.Frame) {
	if len(w.stack.entries) == 0 {
		return nil
	}
	op := int32(-1)
	for n := w.stack.top().frame; ; n = w.stack.frames[n].caller {
		f := &w.stack.frames[n]
		list = append(list, observe.Frame{Section: int(f.section), Local: uint64(f.Frame), Op: op})
		if n == 0 {
			return list
		}
		op = w.stack.waiting(f.caller).pc - 1
	}
}

// Position implements observe.State.
func (w *warp) Position(lane int) [3]uint32 {
	return [3]uint32{w.Tid[0][lane], w.Tid[1][lane], w.Tid[2][lane]}
}

// Paths implements observe.State.
func (w *warp) Paths() (list []observe.Path) {
	for i := len(w.stack.entries) - 1; i >= 0; i-- {
		e := &w.stack.entries[i]
		list = append(list, observe.Path{Op: e.pc, Reconverge: e.reconverge, Lanes: e.mask, Depth: w.depth(e.frame)})
	}
	return list
}

// Pending implements observe.State.
func (w *warp) Pending() (list []observe.Pending) {
	now := engine.Cycle(w.Clock)
	for i, r := range w.scoreboard {
		if i >= w.gridState.Grid.Program.registers && i < scoreboardPredicate {
			continue // stale entries of other programs
		}
		if at := r.cycle(); at > now {
			list = append(list, observe.Pending{Entry: observe.Entry(i), Ready: at, Why: r.reason()})
		}
	}
	return list
}
