package value

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/target"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Function is a kernel or device function as PTX instructions over virtual registers: the form of the value passes.
type Function struct {
	*virtual.Function
	Blocks []*Block // in layout order; block ids stay those of the kernel
	ByID   []*Block // by id; nil for blocks that were dropped

	literals   literalPool
	Numbers    map[isa.Register]uint64  // in registers that legalising made
	contracted map[*isa.Instruction]int // by addition that absorbed a product: which operand that was, from 1
	flowGraph  *flow.Graph              // of the present blocks; nil until needed
	spare      []registerUse            // memory of released values, for reuse
}

// Block is a basic block of instructions.
type Block struct {
	flow.Block
	Instructions []*isa.Instruction
	noUnroll     bool // a loop that begins here is not unrolled
}

// insert inserts the instructions that before returns for an instruction in front of it.
func (b *Block) insert(before func(*isa.Instruction) []*isa.Instruction) {
	var out []*isa.Instruction // nil while nothing is inserted
	for n, i := range b.Instructions {
		added := before(i)
		if len(added) > 0 && out == nil {
			out = append(make([]*isa.Instruction, 0, len(b.Instructions)+len(b.Instructions)/4+len(added)), b.Instructions[:n]...)
		}
		if out != nil {
			out = append(append(out, added...), i)
		}
	}
	if out != nil {
		b.Instructions = out
	}
}

// replace replaces each instruction by the ones that with returns for it.
func (b *Block) replace(with func(*isa.Instruction) (others []*isa.Instruction, replaced bool)) {
	var out []*isa.Instruction // nil while every replacement is one for one
	for n, i := range b.Instructions {
		others, replaced := with(i)
		switch {
		case !replaced && out == nil:
		case !replaced:
			out = append(out, i)
		case len(others) == 1 && out == nil:
			b.Instructions[n] = others[0]
		case out == nil:
			out = append(make([]*isa.Instruction, 0, len(b.Instructions)+len(others)), b.Instructions[:n]...)
			fallthrough
		default:
			out = append(out, others...)
		}
	}
	if out != nil {
		b.Instructions = out
	}
}

// flow returns the function's control flow.
func (f *Function) flow() flow.Blocks { return flow.Of(f.Blocks, len(f.ByID)) }

// graph returns the analysed control flow; passes that change the flow reset it.
func (f *Function) graph() *flow.Graph {
	if f.flowGraph == nil {
		f.flowGraph = f.flow().Graph()
	}
	return f.flowGraph
}

// New copies a kernel so that passes may change it. Its literals begin at offset literals of their constant bank.
func New(ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o target.Options) *Function {
	f := &Function{
		Function: &virtual.Function{
			Context: ctx, Program: p, Kernel: kernel, Options: o, Registers: slices.Clone(kernel.Registers), FrameBytes: kernel.FrameBytes,
		},
		literals: literalPool{bytes: uint32(literals)}, ByID: make([]*Block, len(kernel.Blocks), len(kernel.Blocks)+1),
		contracted: map[*isa.Instruction]int{},
	}
	cloner := &virtual.Cloner{}
	for _, b := range kernel.Blocks {
		copied := &Block{noUnroll: b.NoUnroll, Instructions: make([]*isa.Instruction, 0, len(b.Instructions)), Block: flow.Block{
			ID: b.ID, Successors: slices.Clone(b.Successors), Predecessors: slices.Clone(b.Predecessors), Reconverge: b.Reconverge,
		}}
		for _, i := range b.Instructions {
			copied.Instructions = append(copied.Instructions, cloner.Clone(i))
		}
		f.Blocks = append(f.Blocks, copied)
		f.ByID[b.ID] = copied
	}
	f.prepareCalls()
	return f
}

// Listing returns the function as text, block by block.
func (f *Function) Listing() string {
	var out strings.Builder
	names := f.Names(nil)
	for _, b := range f.Blocks {
		out.WriteString(b.Heading())
		for _, i := range b.Instructions {
			fmt.Fprintf(&out, "    %s\n", names.Instruction(i))
		}
	}
	return out.String()
}

// LiteralBytes returns how many bytes of constant memory the function's literals take.
func (f *Function) LiteralBytes() int { return int(f.literals.bytes) }
