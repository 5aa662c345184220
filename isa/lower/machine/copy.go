package machine

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Copy copies a function, so that passes may change the copy. Operations share in the copy what they share in the original.
func (f *Function) Copy() *Function {
	of := *f.Function
	of.Registers = slices.Clone(of.Registers)
	c := &Function{
		Function: &of, ReducedPressure: f.ReducedPressure, LiteralBytes: f.LiteralBytes,
		Blocks: make([]*Block, len(f.Blocks)), ByID: make([]*Block, len(f.ByID)),
	}
	x := copier{instructions: map[*isa.Instruction]*isa.Instruction{nil: nil}, paths: map[*SlowPath]*SlowPath{nil: nil}}
	for n, b := range f.Blocks {
		out := &Block{Block: b.Block, Operations: make([]*Operation, len(b.Operations))}
		out.Successors, out.Predecessors = slices.Clone(b.Successors), slices.Clone(b.Predecessors)
		operations := make([]Operation, len(b.Operations))
		for k, op := range b.Operations {
			x.operation(&operations[k], op)
			out.Operations[k] = &operations[k]
		}
		c.Blocks[n], c.ByID[b.ID] = out, out
	}
	return c
}

// copier copies operations; anything that two of them share is copied once.
type copier struct {
	virtual.Cloner
	instructions map[*isa.Instruction]*isa.Instruction
	paths        map[*SlowPath]*SlowPath
	registers    []isa.Register
}

func (x *copier) operation(to, op *Operation) {
	*to = *op
	to.Uses, to.Defines = x.list(op.Uses), x.list(op.Defines)
	to.Constants, to.Ways = slices.Clone(op.Constants), slices.Clone(op.Ways)
	to.Effect, to.Origin = x.instruction(op.Effect), x.instruction(op.Origin)
	path, known := x.paths[op.Path]
	if !known {
		path = &SlowPath{op.Path.Path}
		path.Path.Probe = x.instruction(path.Path.Probe)
		x.paths[op.Path] = path
	}
	to.Path = path
}

func (x *copier) instruction(i *isa.Instruction) *isa.Instruction {
	c, known := x.instructions[i]
	if !known {
		c = x.Clone(i)
		x.instructions[i] = c
	}
	return c
}

// list copies registers; short lists share an allocation.
func (x *copier) list(of []isa.Register) []isa.Register {
	if len(of) == 0 {
		return nil
	}
	if len(x.registers) < len(of) {
		x.registers = make([]isa.Register, max(len(of), registersTogether))
	}
	list := x.registers[:len(of):len(of)]
	x.registers = x.registers[len(of):]
	copy(list, of)
	return list
}

// registersTogether is the least number of registers in one allocation of lists.
const registersTogether = 512
