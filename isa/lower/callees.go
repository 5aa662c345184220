package lower

import (
	"context"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// Calls that decoding did not inline. A device function is a section of the machine program behind the kernel. A call moves the register
// window, as if the callee saved the caller's registers. The section contains the cost of that saving on a Kepler. At its start a function
// stores as many registers as it has values that live across its own calls, and it loads them before it returns.

// appendCallees lowers every function that the program may call, and appends each to the program.
func appendCallees(ctx context.Context, mp *isa.MachineProgram, o target.Options) error {
	var taken []int32 // the functions that an indirect call may reach, once computed
	asked := false
	for done := 0; done < len(mp.Stack); done++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		direct, indirect := callees(sectionOf(mp, done))
		if indirect && !asked {
			taken, asked = addressTaken(mp.Program), true
		}
		if indirect {
			direct = append(direct, taken...)
		}
		for _, index := range direct {
			if _, known := mp.Entries[index]; known {
				continue
			}
			if err := appendFunction(ctx, mp, index, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// sectionOf returns the operations of a function of the stack list.
func sectionOf(mp *isa.MachineProgram, n int) []isa.MachineOp {
	if n+1 < len(mp.Stack) {
		return mp.Ops[mp.Stack[n].FirstOp:mp.Stack[n+1].FirstOp]
	}
	return mp.Ops[mp.Stack[n].FirstOp:]
}

// callees returns the functions that operations call directly, and whether there is an indirect call: that may reach every function whose
// address is taken.
func callees(ops []isa.MachineOp) (direct []int32, indirect bool) {
	for n := range ops {
		if ops[n].Control != isa.ControlCall {
			continue
		}
		if c := ops[n].Effect.Call; c.Function >= 0 {
			direct = append(direct, c.Function)
		} else {
			indirect = true
		}
	}
	return direct, indirect
}

// addressTaken returns the device functions whose address the program uses, in rising order.
func addressTaken(p *isa.Program) []int32 {
	taken := make([]bool, len(p.Functions))
	for _, f := range p.Functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instructions {
				i.Sources(func(o *isa.Operand) {
					if o.Kind == isa.OperandFunction {
						taken[o.Symbol] = true
					}
				})
			}
		}
	}
	for _, s := range p.Symbols {
		for _, r := range s.Relocations {
			if r.Function >= 0 {
				taken[r.Function] = true
			}
		}
	}
	var list []int32
	for n, f := range p.Functions {
		if taken[n] && f.Defined && !f.Kernel {
			list = append(list, int32(n))
		}
	}
	return list
}

// appendFunction lowers a device function and appends its operations. Registers are counted as Kepler's compilers do: a function uses the
// same physical registers as its caller, so the kernel needs as many as the largest function.
func appendFunction(ctx context.Context, mp *isa.MachineProgram, index int32, o target.Options) error {
	limited := *mp.Program.Functions[index]
	limited.Limits = mp.Kernel.Limits
	section, err := lowerFunction(ctx, mp.Program, &limited, mp.LiteralBytes, o)
	if err != nil {
		return err
	}
	info := isa.FrameInfo{Function: index, FirstOp: int32(len(mp.Ops)), Registers: section.Registers, FrameBytes: section.LocalBytes}
	mp.Entries[index] = info.FirstOp
	// The first operation sets up a kernel's stack, and the second is the function's entry. Here the entry does both.
	ops := section.Ops[1:]
	stack := []isa.RegisterRange{{First: machine.StackPointer, Count: 1}}
	ops[0].Reads, ops[0].Writes = stack, stack
	info.Parameters = places(limited.Parameters, ops[0].Effect.Dst)
	info.Returns = places(limited.Returns, nil)
	shift := info.FirstOp - 1
	for n := range ops {
		op := &ops[n]
		if op.Target >= 0 {
			op.Target += shift
		}
		if op.Reconverge >= 0 {
			op.Reconverge += shift
		}
		for k := range op.Targets {
			op.Targets[k] += shift
		}
	}
	mp.Ops = append(mp.Ops, ops...)
	if section.Definitions != nil {
		mp.Definitions = append(mp.Definitions, section.Definitions[1:]...)
	}
	mp.Stack = append(mp.Stack, info)
	mp.Registers = max(mp.Registers, section.Registers)
	mp.Predicates = max(mp.Predicates, section.Predicates)
	mp.LiteralBytes = section.LiteralBytes
	mp.SpillLoads += section.SpillLoads
	mp.SpillStores += section.SpillStores
	mp.SpillBytes += section.SpillBytes
	return nil
}

// places says where parameters are: in the given registers, in order, or in the frame.
func places(list []isa.Parameter, registers []isa.Operand) []isa.Place {
	var out []isa.Place
	n := 0
	for _, p := range list {
		place := isa.Place{Offset: p.Offset, Bytes: p.Bytes}
		if p.InReg {
			place.Registers = max(p.Type.Registers(), 1)
			if n < len(registers) {
				place.Register, place.Registers = registers[n].Register, max(registers[n].Type.Registers(), 1)
			}
			n++
		}
		out = append(out, place)
	}
	return out
}
