package machine

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Function is a kernel or device function as machine operations over virtual registers.
type Function struct {
	*virtual.Function
	Blocks []*Block // in layout order
	ByID   []*Block // by id; nil for blocks that were dropped

	Frugal bool // with Options.Frugal operations would have the same order; scheduling says so
	// ReducedPressure has the orders of blocks that need too many registers. They do not depend on the number of registers. Copies share
	// them; nil where there is none.
	ReducedPressure map[isa.BlockID][]int32

	LiteralBytes int         // of the constant bank of numbers
	flowGraph    *flow.Graph // of the blocks as they are; nil until asked for
}

// Block is a basic block of operations.
type Block struct {
	flow.Block
	Operations []*Operation
}

// Allocated is a function with a physical register for each virtual one.
type Allocated struct {
	*Function
	Colours []isa.Register // by virtual register; negative if nothing touches it
	Spills  Spills
}

// Spills counts what register allocation spilled.
type Spills struct{ Loads, Stores, Bytes int }

// Accesses returns how many operations spilling adds.
func (s Spills) Accesses() int { return s.Loads + s.Stores }

// flow returns the function's control flow.
func (f *Function) flow() flow.Blocks { return flow.Of(f.Blocks, len(f.ByID)) }

// graph returns the analysed control flow; passes that change the flow reset it.
func (f *Function) graph() *flow.Graph {
	if f.flowGraph == nil {
		f.flowGraph = f.flow().Graph()
	}
	return f.flowGraph
}

// Physical registers with a fixed use, and their number.
const (
	StackPointer    = 1 // R1, which Kepler's compilers keep for the stack
	PredicateColour = 7 // the number of predicates that allocation has: P0 to P6
)

// last returns the block's last operation, nil for an empty block.
func (b *Block) last() *Operation {
	if n := len(b.Operations); n > 0 {
		return b.Operations[n-1]
	}
	return nil
}

// branch returns the block's branch if it is conditional, or unconditional, as asked; else nil.
func (b *Block) branch(conditional bool) *Operation {
	if op := b.last(); op != nil && op.Control == isa.ControlBranch && op.Guard.Present == conditional {
		return op
	}
	return nil
}

// fallsThrough returns the next block, and whether control can reach it from the last operation.
func (b *Block) fallsThrough() (isa.BlockID, bool) {
	if n := len(b.Operations); n > 0 {
		switch last := b.Operations[n-1]; last.Control {
		case isa.ControlBranch, isa.ControlExit, isa.ControlReturn, isa.ControlTrap:
			if !last.Guard.Present {
				return flow.NoBlock, false
			}
		case isa.ControlIndex:
			return flow.NoBlock, false
		}
	}
	if n := len(b.Successors); n > 0 {
		return b.Successors[n-1], true
	}
	return flow.NoBlock, false
}
