package machine

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Builder appends operations.
type Builder struct {
	*Function
	Out []*Operation
	// Operations and their register lists are slices of these.
	operations []Operation
	registers  []isa.Register
	emitted    int // operations so far
}

// mostTogether is the most operations in one allocation.
const mostTogether = 128

// operation returns an empty operation.
func (x *Builder) operation() *Operation {
	if len(x.operations) == 0 {
		x.operations = make([]Operation, min(max(x.emitted, 1), mostTogether))
	}
	op := &x.operations[0]
	x.operations = x.operations[1:]
	x.emitted++
	return op
}

// Keep returns a permanent copy of a list of registers.
func (x *Builder) Keep(list []isa.Register) []isa.Register {
	n := len(list)
	if n == 0 {
		return nil
	}
	if n > len(x.registers) {
		x.registers = make([]isa.Register, max(n, min(4*x.emitted, 4*mostTogether)))
	}
	kept := x.registers[:n:n]
	x.registers = x.registers[n:]
	copy(kept, list)
	return kept
}

// Emit appends an operation that carries the instruction; its registers are up to the caller.
func (x *Builder) Emit(i *isa.Instruction, mnemonic string, class isa.Class) *Operation {
	op := x.operation()
	op.join, op.Origin = flow.NoBlock, i
	op.MachineOp = isa.MachineOp{Mnemonic: mnemonic, Class: class, Guard: i.Guard, Line: i.Line, Effect: i, PTXCount: 1, Target: -1,
		Reconverge: -1}
	x.Out = append(x.Out, op)
	return op
}

// Simple appends an operation that carries the instruction and touches all its registers.
func (x *Builder) Simple(i *isa.Instruction, mnemonic string, class isa.Class) *Operation {
	op := x.Emit(i, mnemonic, class)
	x.Touch(op, i)
	return op
}

// Touch adds an instruction's registers to the operation's.
func (x *Builder) Touch(op *Operation, i *isa.Instruction) {
	i.Destinations(func(o *isa.Operand) {
		if virtual.IsRegister(o) {
			op.Defines = append(op.Defines, x.Span(o)...)
		}
	})
	i.Sources(func(o *isa.Operand) {
		if virtual.IsRegister(o) {
			op.Uses = append(op.Uses, x.Span(o)...)
		} else {
			op.ReadConstant(o, 0)
		}
	})
}

// Span returns an operand's register; for a part of several words, each word.
func (x *Builder) Span(o *isa.Operand) []isa.Register {
	first, all := virtual.Word(o.Register)
	n := x.OperandWords(o)
	if all || n == 1 {
		return []isa.Register{o.Register}
	}
	list := make([]isa.Register, n)
	for k := range list {
		list[k] = virtual.Part(o.Register, first+k)
	}
	return list
}

// WidthSuffix returns an access's width as Kepler's disassembler prints it; 32 bits have no suffix.
func WidthSuffix(t isa.Type, vector int) string {
	switch bytes := t.Bytes() * max(vector, 1); {
	case bytes == 1 && t.Signed():
		return ".S8"
	case bytes == 1:
		return ".U8"
	case bytes == 2 && t.Signed() && vector <= 1:
		return ".S16"
	case bytes == 2:
		return ".U16"
	case bytes == 8:
		return ".64"
	case bytes == 16:
		return ".128"
	}
	return ""
}
