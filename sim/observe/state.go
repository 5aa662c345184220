package observe

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// State is what a warp has while an event of it is told: to be looked at during the call alone.
type State interface {
	// Context tells the calls under way apart from others, 0 outside functions that are called.
	Context() uint64
	// Calls returns the calls under way at an operation, those that were inlined among them, innermost first.
	Calls(op int32) []string
	// Operand returns the value of a register, predicate or immediate in a lane; false for other operands.
	Operand(o *isa.Operand, lane int) (value uint64, ok bool)
	// RegisterCount is how many 32-bit registers the running function has.
	RegisterCount() int
	// LocalMemory copies bytes of a lane's local memory; false where they lie outside.
	LocalMemory(lane int, address uint64, into []byte) bool
	// Constant copies bytes of a constant bank: 0 has the kernel's parameters, isa.ConstantBankUser the .const variables; false where
	// they lie outside.
	Constant(bank int, address uint64, into []byte) bool
	// Frames are the calls under way on the running path, innermost first, the kernel last.
	Frames() []Frame
	// Position is a lane's place in its block.
	Position(lane int) [3]uint32
	// Paths are the warp's diverged paths, the running one first.
	Paths() []Path
	// Pending are the registers and predicates that cannot be read yet, in a timed run.
	Pending() []Pending
}

// Path is one path of a diverged warp: lanes that go on at an operation until they meet others.
type Path struct {
	// Op is the operation where it goes on, or where it waits for the paths before it; -1 where it only waits for its lanes to exit.
	Op int32
	// Reconverge is where it meets the others, -1 for nowhere.
	Reconverge int32
	Lanes      uint32
	// Depth counts the calls under way, 0 for the kernel.
	Depth int
}

// Frame is a function that runs, or that has called one which does.
type Frame struct {
	// Section is its place in the machine program's Stack.
	Section int
	// Local is where its frame begins in each thread's local memory, in bytes.
	Local uint64
	// Op is the operation of its call, -1 for the running function.
	Op int32
}

// Pending is an entry of a warp's scoreboard that is not ready.
type Pending struct {
	Entry Entry
	// Ready is the cycle from which it can be read, engine.Never for what a memory access brings.
	Ready engine.Cycle
	Why   stats.Stall
}
