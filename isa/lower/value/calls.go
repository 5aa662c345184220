package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
)

// prepareCalls makes a device function's parameters definitions and its results uses, and computes addresses in the frame by additions.
func (f *Function) prepareCalls() {
	for _, b := range f.Blocks {
		b.insert(func(i *isa.Instruction) []*isa.Instruction {
			before := f.frameSums(i)
			if i.Op == isa.OpRet && !f.Kernel.Kernel {
				i.Src = registersOf(f.Kernel.Returns)
			}
			if i.Op == isa.OpCall {
				f.placeVariables(i.Call.Arguments)
				f.placeVariables(i.Call.Returns)
			}
			return before
		})
	}
	if f.Kernel.Kernel || len(f.Blocks) == 0 {
		return
	}
	// Parameters are defined once, before the entry block, which may be the target of a branch.
	first := f.Blocks[0]
	entry := &Block{Block: flow.Block{ID: isa.BlockID(len(f.Blocks)), Successors: []isa.BlockID{first.ID}, Reconverge: flow.NoBlock}}
	entry.Instructions = []*isa.Instruction{{Op: isa.OpCall, Line: f.Kernel.Line, Dst: registersOf(f.Kernel.Parameters),
		Call: &isa.Call{Function: -1, Target: -1}}}
	first.Predecessors = append(first.Predecessors, entry.ID)
	f.Blocks = slices.Insert(f.Blocks, 0, entry)
	f.ByID = append(f.ByID, entry)
}

// registersOf returns the parameters that are in registers.
func registersOf(list []isa.Parameter) []isa.Operand {
	var operands []isa.Operand
	for _, p := range list {
		if p.InReg {
			t := isa.B32
			if p.Type.Registers() == 2 || p.Bytes == 8 {
				t = isa.B64
			}
			operands = append(operands, isa.Reg(p.Register, t))
		}
	}
	return operands
}

func (f *Function) placeVariables(list []isa.CallArgument) {
	for k := range list {
		if v := list[k].Variable; v >= 0 {
			list[k].Offset, list[k].Bytes = f.Kernel.Variables[v].Offset, f.Kernel.Variables[v].Bytes
		}
	}
}

// frameSums replaces addresses of frame variables by registers, and returns the instructions that compute them.
func (f *Function) frameSums(i *isa.Instruction) (before []*isa.Instruction) {
	i.Sources(func(o *isa.Operand) {
		if o.Kind != isa.OperandFrame {
			return
		}
		base, sum := f.Temporary(isa.U32), f.Temporary(isa.U32)
		before = append(before,
			&isa.Instruction{Op: isa.OpMov, Type: isa.U32, Line: i.Line, Dst: []isa.Operand{isa.Reg(base, isa.U32)},
				Src: []isa.Operand{{Kind: isa.OperandSpecial, Special: isa.FrameAddress, Type: isa.U32}}},
			&isa.Instruction{Op: isa.OpAdd, Type: isa.U32, Line: i.Line, Dst: []isa.Operand{isa.Reg(sum, isa.U32)},
				Src: []isa.Operand{isa.Reg(base, isa.U32), isa.Imm(o.Immediate, isa.U32)}})
		t := o.Type
		*o = isa.Reg(sum, t)
		if t.Registers() == 2 {
			wide := f.Temporary(isa.U64)
			before = append(before, &isa.Instruction{Op: isa.OpCvt, Type: isa.U64, From: isa.U32, Line: i.Line,
				Dst: []isa.Operand{isa.Reg(wide, isa.U64)}, Src: []isa.Operand{isa.Reg(sum, isa.U32)}})
			o.Register = wide
		}
	})
	return before
}
