package expand

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// call expands a call: its scalar arguments move to where the callee expects them, then control transfers.
func (x *expander) call(i *isa.Instruction) error {
	c := i.Call
	switch {
	case c.Function < 0 && c.Target < 0: // a function's entry: the stack pointer drops by the frame's size
		op := x.Emit(i, "IADD", isa.ClassInteger)
		op.PTXCount = 0
		op.Defines = nil
		return nil
	case c.Function >= 0 && !x.Program.Functions[c.Function].Defined:
		op := x.Simple(i, "JCAL", isa.ClassBranch)
		op.Control = isa.ControlSystem
		return nil
	}
	var passed []isa.Register
	for _, a := range c.Arguments {
		if a.Variable >= 0 {
			continue // the caller has already written its bytes to the stack, where the callee reads them
		}
		o := i.Src[a.Operand]
		for n := range max(o.Type.Registers(), 1) {
			op := x.Emit(i, "MOV", isa.ClassMove)
			op.Effect, op.PTXCount = nil, 0
			t := x.Temporary(isa.B32)
			op.Defines = []isa.Register{t}
			passed = append(passed, t)
			if w := x.wordOf(o, n); w.Kind == isa.OperandRegister {
				op.Uses = []isa.Register{w.Register}
			} else if w.Kind == isa.OperandConstant {
				op.Constants = []uint32{uint32(w.Bank)<<16 | w.Offset}
			}
		}
	}
	mnemonic := "CAL"
	if c.Target >= 0 {
		ready := x.Emit(i, "PRET", isa.ClassBranch)
		ready.Effect, ready.PTXCount = nil, 0
		mnemonic = "BRX"
	}
	op := x.Emit(i, mnemonic, isa.ClassBranch)
	op.Control = isa.ControlCall
	op.Uses = passed
	if c.Target >= 0 {
		op.Uses = append(op.Uses, x.Span(&i.Src[c.Target])...)
	}
	i.Destinations(func(o *isa.Operand) {
		if virtual.IsRegister(o) {
			op.Defines = append(op.Defines, x.Span(o)...)
		}
	})
	return nil
}
