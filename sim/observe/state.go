package observe

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// State is a warp's state during an event. It is valid during the call only.
type State interface {
	// Context identifies the active calls, 0 outside called functions.
	Context() uint64
	// Calls returns the active calls at an operation, inlined ones included, innermost first.
	Calls(op int32) []string
	// Operand returns the value of a register, predicate or immediate in a lane; false for other operands.
	Operand(o *isa.Operand, lane int) (value uint64, ok bool)
	// RegisterCount returns the number of 32-bit registers of the running function.
	RegisterCount() int
	// LocalMemory copies bytes of a lane's local memory; false if they are outside.
	LocalMemory(lane int, address uint64, into []byte) bool
	// Constant copies bytes of a constant bank: 0 has the kernel's parameters, isa.ConstantBankUser the .const variables; false if they are
	// outside.
	Constant(bank int, address uint64, into []byte) bool
	// Frames returns the active calls on the running path, innermost first, the kernel last.
	Frames() []Frame
	// Position returns a lane's position in its block.
	Position(lane int) [3]uint32
	// Paths returns the warp's diverged paths, the running one first.
	Paths() []Path
	// Pending returns the registers and predicates that cannot be read yet, in a timed run.
	Pending() []Pending
}

// Path is one path of a diverged warp: lanes that run from an operation until they meet others.
type Path struct {
	// Op is the operation where it goes on, or where it waits for the paths before it; -1 if it only waits for its lanes to exit.
	Op int32
	// Reconverge is where it meets the others, -1 for nowhere.
	Reconverge int32
	Lanes      uint32
	// Depth is the number of active calls, 0 for the kernel.
	Depth int
}

// Frame is an active function.
type Frame struct {
	// Section is its index in the machine program's Stack.
	Section int
	// Local is the start of its frame in each thread's local memory, in bytes.
	Local uint64
	// Op is the operation of its call, -1 for the running function.
	Op int32
}

// Pending is an entry of a warp's scoreboard that is not ready.
type Pending struct {
	Entry Entry
	// Ready is the cycle from which it can be read, engine.Never if it awaits a memory access.
	Ready engine.Cycle
	Why   stats.Stall
}
