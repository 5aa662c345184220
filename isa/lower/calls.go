package lower

import (
	"context"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Calls that decoding did not inline. A device function is a section of the machine program behind the kernel, with registers of
// its own: a call moves the window of registers, as if the callee saved what the caller keeps. What that saving costs on a
// Kepler is in the section: each function stores at its start, and loads before it returns, as many registers as it keeps
// values in across its own calls.

// prepareCalls gives a device function its parameters and results as definitions and uses, and writes addresses in frames as sums.
func (f *function) prepareCalls() {
	for _, b := range f.blocks {
		var out []*isa.Instruction
		for _, i := range b.instructions {
			out = append(out, f.frameSums(i)...)
			if i.Op == isa.OpRet && !f.kernel.Kernel {
				i.Src = registersOf(f.kernel.Returns)
			}
			if i.Op == isa.OpCall {
				f.placeVariables(i.Call.Arguments)
				f.placeVariables(i.Call.Returns)
			}
			out = append(out, i)
		}
		b.instructions = out
	}
	if f.kernel.Kernel || len(f.blocks) == 0 {
		return
	}
	// The entry may be the target of a branch; parameters are defined once, before it.
	first := f.blocks[0]
	entry := &block{id: isa.BlockID(len(f.blocks)), successors: []isa.BlockID{first.id}, reconverge: noBlock}
	entry.instructions = []*isa.Instruction{{Op: isa.OpCall, Line: f.kernel.Line, Dst: registersOf(f.kernel.Parameters), Call: &isa.Call{Function: -1, Target: -1}}}
	first.predecessors = append(first.predecessors, entry.id)
	f.blocks = slices.Insert(f.blocks, 0, entry)
	f.byID = append(f.byID, entry)
}

// registersOf are the parameters that lie in registers.
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

func (f *function) placeVariables(list []isa.CallArgument) {
	for k := range list {
		if v := list[k].Variable; v >= 0 {
			list[k].Offset, list[k].Bytes = f.kernel.Variables[v].Offset, f.kernel.Variables[v].Bytes
		}
	}
}

// frameSums turns addresses of variables of the frame into registers and returns the instructions that fill them.
func (f *function) frameSums(i *isa.Instruction) (before []*isa.Instruction) {
	i.Sources(func(o *isa.Operand) {
		if o.Kind != isa.OperandFrame {
			return
		}
		base, sum := f.temporary(isa.U32), f.temporary(isa.U32)
		before = append(before,
			&isa.Instruction{Op: isa.OpMov, Type: isa.U32, Line: i.Line, Dst: []isa.Operand{isa.Reg(base, isa.U32)}, Src: []isa.Operand{{Kind: isa.OperandSpecial, Special: isa.FrameAddress, Type: isa.U32}}},
			&isa.Instruction{Op: isa.OpAdd, Type: isa.U32, Line: i.Line, Dst: []isa.Operand{isa.Reg(sum, isa.U32)}, Src: []isa.Operand{isa.Reg(base, isa.U32), isa.Imm(o.Immediate, isa.U32)}})
		t := o.Type
		*o = isa.Reg(sum, t)
		if t.Registers() == 2 {
			wide := f.temporary(isa.U64)
			before = append(before, &isa.Instruction{Op: isa.OpCvt, Type: isa.U64, From: isa.U32, Line: i.Line, Dst: []isa.Operand{isa.Reg(wide, isa.U64)}, Src: []isa.Operand{isa.Reg(sum, isa.U32)}})
			o.Register = wide
		}
	})
	return before
}

// call expands a call: its scalar arguments move to where the callee expects them, then control goes there.
func (x *expander) call(i *isa.Instruction) error {
	c := i.Call
	switch {
	case c.Function < 0 && c.Target < 0: // a function's entry: the stack pointer goes down by the frame
		op := x.emit(i, "IADD", isa.ClassInteger)
		op.PTXCount = 0
		op.writes = nil
		return nil
	case c.Function >= 0 && !x.program.Functions[c.Function].Defined:
		op := x.simple(i, "JCAL", isa.ClassBranch)
		op.Control = isa.ControlSystem
		return nil
	}
	var passed []isa.Register
	for _, a := range c.Arguments {
		if a.Variable >= 0 {
			continue // its bytes lie where the callee reads them: the caller wrote them to the stack
		}
		o := i.Src[a.Operand]
		for n := range max(o.Type.Registers(), 1) {
			op := x.emit(i, "MOV", isa.ClassMove)
			op.Effect, op.PTXCount = nil, 0
			t := x.temporary(isa.B32)
			op.writes = []isa.Register{t}
			passed = append(passed, t)
			if w := x.wordOf(o, n); w.Kind == isa.OperandRegister {
				op.reads = []isa.Register{w.Register}
			} else if w.Kind == isa.OperandConstant {
				op.constants = []uint32{uint32(w.Bank)<<16 | w.Offset}
			}
		}
	}
	mnemonic := "CAL"
	if c.Target >= 0 {
		ready := x.emit(i, "PRET", isa.ClassBranch)
		ready.Effect, ready.PTXCount = nil, 0
		mnemonic = "BRX"
	}
	op := x.emit(i, mnemonic, isa.ClassBranch)
	op.Control = isa.ControlCall
	op.reads = passed
	if c.Target >= 0 {
		op.reads = append(op.reads, x.span(&i.Src[c.Target])...)
	}
	i.Destinations(func(o *isa.Operand) {
		if register(o) {
			op.writes = append(op.writes, x.span(o)...)
		}
	})
	return nil
}

// saveAcrossCalls adds a device function's stores and loads of the registers that the calling convention makes it save. They
// move no value here, since a call moves the register window.
func saveAcrossCalls(f *function) error {
	if f.kernel.Kernel {
		return nil
	}
	words := f.liveAcrossCalls()
	if words == 0 {
		return nil
	}
	at := f.frameBytes
	f.frameBytes += 4 * words
	access := func(x *expander, like *operation, op isa.Opcode, mnemonic string) {
		for n := range words {
			i := &isa.Instruction{Op: op, Type: isa.B32, Line: like.Line, Guard: like.Guard,
				Memory: &isa.Memory{Space: isa.SpaceLocal, Base: isa.Imm(uint64(at+4*n), isa.U64), Vector: 1}}
			if op == isa.OpLd {
				i.Dst = []isa.Operand{{Kind: isa.OperandSink, Type: isa.B32}}
			} else {
				i.Src = []isa.Operand{isa.Imm(0, isa.B32)}
			}
			x.simple(i, mnemonic, isa.ClassLocal).PTXCount = 0
		}
	}
	for n, b := range f.blocks {
		x := &expander{function: f}
		for k, op := range b.operations {
			if op.Control == isa.ControlReturn {
				access(x, op, isa.OpLd, "LDL")
			}
			x.out = append(x.out, op)
			if n == 0 && k == 0 {
				access(x, op, isa.OpSt, "STL")
			}
		}
		b.operations = x.out
	}
	return nil
}

// liveAcrossCalls is the most registers that hold values across one call.
func (f *function) liveAcrossCalls() int {
	s := f.newSlots()
	l := f.newLiveness(s, functionalView)
	most := 0
	for _, b := range f.blocks {
		l.walk(b, func(_ int, op *operation, live *liveSet) {
			if op.Control != isa.ControlCall {
				return
			}
			words := live.registers
			counted := map[int32]bool{}
			functionalView.definitions(f, s, op, func(slot int32) {
				if live.has(slot) && !s.predicate[slot] && !counted[slot] {
					counted[slot] = true
					words--
				}
			})
			most = max(most, words)
		})
	}
	return most
}

// appendCallees lowers every function that the program may call and puts it behind the kernel.
func appendCallees(ctx context.Context, mp *isa.MachineProgram, o Options) error {
	var taken []int32 // what an indirect call may reach, once asked
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

// sectionOf are the operations of a function of the stack list.
func sectionOf(mp *isa.MachineProgram, n int) []isa.MachineOp {
	if n+1 < len(mp.Stack) {
		return mp.Ops[mp.Stack[n].FirstOp:mp.Stack[n+1].FirstOp]
	}
	return mp.Ops[mp.Stack[n].FirstOp:]
}

// callees are the functions that operations call by name, and whether they call others, which may be every function whose address is taken.
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

// addressTaken are the device functions whose address the program uses, in rising order.
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

// appendFunction lowers a device function and appends its operations. Registers are counted as Kepler's compilers do: a function
// uses the same physical registers as its caller, so the kernel needs as many as the largest.
func appendFunction(ctx context.Context, mp *isa.MachineProgram, index int32, o Options) error {
	limited := *mp.Program.Functions[index]
	limited.Limits = mp.Kernel.Limits
	section, err := lowerFunction(ctx, mp.Program, &limited, mp.LiteralBytes, o)
	if err != nil {
		return err
	}
	info := isa.FrameInfo{Function: index, FirstOp: int32(len(mp.Ops)), Registers: section.Registers, FrameBytes: section.LocalBytes}
	mp.Entries[index] = info.FirstOp
	// The first operation sets up a kernel's stack; the second is the function's entry and stands for that here.
	ops := section.Ops[1:]
	stack := []isa.RegisterRange{{First: stackPointer, Count: 1}}
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
	mp.Stack = append(mp.Stack, info)
	mp.Registers = max(mp.Registers, section.Registers)
	mp.Predicates = max(mp.Predicates, section.Predicates)
	mp.LiteralBytes = section.LiteralBytes
	mp.SpillLoads += section.SpillLoads
	mp.SpillStores += section.SpillStores
	mp.SpillBytes += section.SpillBytes
	return nil
}

// places tells where parameters lie: in the given registers, in order, or in the frame.
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
