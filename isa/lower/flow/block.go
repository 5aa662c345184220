package flow

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// Block is a basic block as seen by control-flow analysis.
type Block struct {
	ID           isa.BlockID
	Successors   []isa.BlockID // branch target first, fall-through last
	Predecessors []isa.BlockID
	Reconverge   isa.BlockID
	Depth        int // loops around the block
}

// Blocks are a function's blocks.
type Blocks struct {
	Layout []*Block // in layout order; block ids stay those of the kernel
	ByID   []*Block // by id; nil for blocks that were dropped
}

// Of returns the blocks of a form of a function, in layout order and by id. layout has types that embed a Block; ids is the number of ids.
func Of[B interface{ flow() *Block }](layout []B, ids int) Blocks {
	f := Blocks{Layout: make([]*Block, len(layout)), ByID: make([]*Block, ids)}
	for n, of := range layout {
		b := of.flow()
		f.Layout[n], f.ByID[b.ID] = b, b
	}
	return f
}

// flow returns the block, so that Of finds it in a type that embeds it.
func (b *Block) flow() *Block { return b }

// NoBlock means that there is no block.
const NoBlock isa.BlockID = -1

// Heading returns the block's line in a listing.
func (b *Block) Heading() string {
	text := fmt.Sprintf("B%d: -> %v", b.ID, b.Successors)
	if b.Reconverge != NoBlock {
		text += fmt.Sprintf(" joins B%d", b.Reconverge)
	}
	return text + "\n"
}
