package virtual

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// IsRegister reports an operand that names a register or predicate.
func IsRegister(o *isa.Operand) bool {
	return o.Kind == isa.OperandRegister || o.Kind == isa.OperandPredicate
}

// ReadsCarry reports an instruction that reads PTX's condition code.
func ReadsCarry(i *isa.Instruction) bool {
	return i.Op == isa.OpAddc || i.Op == isa.OpSubc || i.Op == isa.OpMadc || i.Op == isa.OpSetc
}

// WritesCarry reports an instruction that writes PTX's condition code.
func WritesCarry(i *isa.Instruction) bool { return i.Mod.CarryOut }

// Repeatable reports a source that has the same value at every read.
func Repeatable(o *isa.Operand) bool {
	switch o.Kind {
	case isa.OperandImmediate, isa.OperandConstant, isa.OperandSymbol:
		return true
	case isa.OperandSpecial:
		return o.Special >= isa.TidX && o.Special <= isa.LaneID || o.Special >= isa.LanemaskEQ && o.Special <= isa.LanemaskGT
	}
	return false
}

// ReadsTexture reports an instruction that only reads a texture or queries an object.
func ReadsTexture(i *isa.Instruction) bool {
	switch i.Op {
	case isa.OpTex, isa.OpTld4, isa.OpTxq, isa.OpSuq:
		return true
	}
	return false
}

// LaunchConstants are the special registers that Kepler's driver stores in constant bank 0, with their offsets.
var LaunchConstants = map[isa.SpecialRegister]uint32{
	isa.NtidX: 0x28, isa.NtidY: 0x2c, isa.NtidZ: 0x30, isa.NctaidX: 0x34, isa.NctaidY: 0x38, isa.NctaidZ: 0x3c,
}

// Clone copies an instruction, with everything that passes may change.
func Clone(i *isa.Instruction) *isa.Instruction { return new(Cloner).Clone(i) }

// Cloner copies instructions and allocates in batches.
type Cloner struct {
	cloned       int
	instructions []isa.Instruction
	operands     []isa.Operand
}

// clonedTogether is the most instructions in one allocation.
const clonedTogether = 128

// Clone copies an instruction, with everything that passes may change.
func (x *Cloner) Clone(i *isa.Instruction) *isa.Instruction {
	if len(x.instructions) == 0 {
		x.instructions = make([]isa.Instruction, min(max(x.cloned, 1), clonedTogether))
	}
	c := &x.instructions[0]
	x.instructions = x.instructions[1:]
	x.cloned++
	*c = *i
	c.Dst, c.Src = x.list(i.Dst), x.list(i.Src)
	c.Targets = slices.Clone(i.Targets)
	if i.Memory != nil {
		m := *i.Memory
		if m.Texture != nil {
			t := *m.Texture
			t.Coordinates, t.Gradient = slices.Clone(t.Coordinates), slices.Clone(t.Gradient)
			m.Texture = &t
		}
		c.Memory = &m
	}
	if i.Call != nil {
		call := *i.Call
		call.Arguments, call.Returns = slices.Clone(call.Arguments), slices.Clone(call.Returns)
		c.Call = &call
	}
	return c
}

// list copies operands.
func (x *Cloner) list(operands []isa.Operand) []isa.Operand {
	n := len(operands)
	if n == 0 {
		return operands[:0:0]
	}
	if n > len(x.operands) {
		x.operands = make([]isa.Operand, max(n, min(4*(x.cloned-1), 4*clonedTogether)))
	}
	list := x.operands[:n:n]
	x.operands = x.operands[n:]
	copy(list, operands)
	return list
}

// Rename replaces the registers of an instruction's operands.
func Rename(i *isa.Instruction, replace func(isa.Register) isa.Register) {
	visit := func(o *isa.Operand) {
		if IsRegister(o) {
			o.Register = replace(o.Register)
		}
	}
	i.Sources(visit)
	i.Destinations(visit)
	if i.Guard.Present {
		i.Guard.Register = replace(i.Guard.Register)
	}
}
