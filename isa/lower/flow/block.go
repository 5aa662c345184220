package flow

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// Block is a basic block as the control flow sees it.
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

// NoBlock stands where there is no block.
const NoBlock isa.BlockID = -1

// Heading returns the block's line in a listing.
func (b *Block) Heading() string {
	text := fmt.Sprintf("B%d: -> %v", b.ID, b.Successors)
	if b.Reconverge != NoBlock {
		text += fmt.Sprintf(" joins B%d", b.Reconverge)
	}
	return text + "\n"
}
