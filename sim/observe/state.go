package observe

import "github.com/keplersim/keplersim/isa"

// State is what a warp has while an event of it is told: to be looked at during the call alone.
type State interface {
	// Context tells the calls under way apart from others, 0 outside functions that are called.
	Context() uint64
	// Calls returns the calls under way at an operation, those that were inlined among them, innermost first.
	Calls(op int32) []string
	// Operand returns the value of a register, predicate or immediate in a lane; false for other operands.
	Operand(o *isa.Operand, lane int) (value uint64, ok bool)
}
