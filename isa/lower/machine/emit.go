package machine

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// stackConstant is the offset of the stack's address in constant bank 0, where Kepler's driver stores it. Every kernel begins by loading R1
// from it.
const stackConstant = 0x44

// Emit places blocks one after another and replaces virtual registers by physical ones.
func (f *Allocated) Emit() (*isa.MachineProgram, error) {
	mp := &isa.MachineProgram{Kernel: f.Kernel, Program: f.Program, SharedBytes: f.Kernel.SharedBytes, LocalBytes: f.FrameBytes,
		SpillLoads: f.Spills.Loads, SpillStores: f.Spills.Stores, SpillBytes: f.Spills.Bytes,
		LiteralBytes: f.LiteralBytes, RegisterBanks: f.Options.RegisterBanks, Entries: map[int32]int32{}}
	if f.Kernel.Kernel {
		for _, s := range f.Program.Symbols {
			if s.Space == isa.SpaceConst {
				mp.ConstBytes = max(mp.ConstBytes, int(s.Address)+s.Bytes)
			}
		}
	}
	total := 0
	for _, b := range f.Blocks {
		total += len(b.Operations)
	}
	mp.Ops = make([]isa.MachineOp, 0, total+2) // one before them, and perhaps one after
	mp.Ops = append(mp.Ops, isa.MachineOp{Mnemonic: "MOV", Class: isa.ClassMove,
		Writes:        []isa.RegisterRange{{First: StackPointer, Count: 1}},
		ReadsConstant: true, ConstantAddress: stackConstant, Target: -1, Reconverge: -1})
	starts := map[isa.BlockID]int32{}
	sources := make([]*Operation, 0, total+1) // of mp.Ops[1:]
	cloner := &virtual.Cloner{}
	copies := map[*Operation][]isa.Register{}
	for n, b := range f.Blocks {
		starts[b.ID] = int32(len(mp.Ops))
		for _, op := range f.withoutIdentities(b.Operations, copies) {
			sources = append(sources, op)
			mp.Ops = append(mp.Ops, f.physical(op, cloner))
		}
		if next, falls := b.fallsThrough(); falls && (n+1 == len(f.Blocks) || f.Blocks[n+1].ID != next) {
			return nil, f.ErrorAt(f.Kernel.Line, "block %d falls through to block %d, which does not follow", b.ID, next)
		}
	}
	if n := len(mp.Ops) - 1; n == 0 || mp.Ops[n].Control != isa.ControlExit && mp.Ops[n].Control != isa.ControlReturn &&
		mp.Ops[n].Control != isa.ControlBranch || mp.Ops[n].Guard.Present {
		sources = append(sources, &Operation{join: flow.NoBlock})
		mp.Ops = append(mp.Ops, isa.MachineOp{Mnemonic: "EXIT", Class: isa.ClassBranch, Control: isa.ControlExit, Target: -1,
			Reconverge: -1})
	}
	paths := map[*SlowPath]*isa.SlowPath{}
	for n, source := range sources {
		op := &mp.Ops[n+1]
		if len(source.Ways) > 0 {
			op.Target = starts[source.Ways[0]]
		}
		if op.Control == isa.ControlIndex {
			for _, t := range source.Ways {
				op.Targets = append(op.Targets, starts[t])
			}
		}
		if source.join != flow.NoBlock {
			op.Reconverge = starts[source.join]
		}
		if g := source.Path; g != nil {
			if paths[g] == nil {
				path := g.Path
				path.Probe = f.physicalInstruction(path.Probe, cloner)
				paths[g] = &path
			}
			op.Slow = paths[g]
		}
	}
	targets := map[int32]bool{}
	for _, start := range starts {
		targets[start] = true
	}
	pairOperations(mp.Ops, targets, &f.Options)
	f.countRegisters(mp)
	if f.Options.Unoptimised {
		mp.Definitions = f.definitions(sources, copies, len(mp.Ops))
	}
	mp.Stack = []isa.FrameInfo{{Function: f.functionIndex(), Registers: mp.Registers, FrameBytes: mp.LocalBytes}}
	return mp, nil
}

// definitions lists, by operation of the program, the PTX registers that it sets; sources begin with the second operation.
func (f *Allocated) definitions(sources []*Operation, copies map[*Operation][]isa.Register, operations int) [][]isa.Definition {
	count := map[string]int{}
	for _, r := range f.Kernel.Registers {
		count[r.Name]++
	}
	list := make([][]isa.Definition, operations)
	for n, source := range sources {
		note := func(r isa.Register, copied bool) {
			if r == isa.RZ || f.IsPredicate(r) {
				return
			}
			first, all := virtual.Word(r)
			d := isa.Definition{Word: first, Words: 1, Register: f.colourOf(r), Copy: copied}
			if all {
				d.Words = f.Words(r)
			}
			if whole := virtual.Whole(r); int(whole) < len(f.Kernel.Registers) && count[f.Registers[whole].Name] == 1 {
				d.Name = f.Registers[whole].Name
			}
			list[n+1] = append(list[n+1], d)
		}
		for _, r := range source.Defines {
			note(r, false)
		}
		for _, r := range copies[source] {
			note(r, true)
		}
		if source.Effect != nil {
			source.Effect.Destinations(func(o *isa.Operand) {
				if o.Kind == isa.OperandRegister && virtual.IsRegister(o) {
					note(o.Register, false)
				}
			})
		}
	}
	return list
}

// withoutIdentities drops moves within one physical register. The PTX instructions that they complete count with the next operation; copies
// lists, by that operation, the registers that the moves wrote.
func (f *Allocated) withoutIdentities(operations []*Operation, copies map[*Operation][]isa.Register) []*Operation {
	var kept []*Operation
	var copied []isa.Register
	count := uint8(0)
	for _, op := range operations {
		if i := op.Effect; i != nil && i.Op == isa.OpMov && len(i.Src) == 1 && len(i.Dst) == 1 && virtual.IsRegister(&i.Src[0]) &&
			virtual.IsRegister(&i.Dst[0]) && !i.Src[0].Negate &&
			i.Src[0].Kind == i.Dst[0].Kind && f.OperandWords(&i.Src[0]) == 1 && f.OperandWords(&i.Dst[0]) == 1 &&
			f.colourOf(i.Src[0].Register) == f.colourOf(i.Dst[0].Register) {
			count += op.PTXCount
			if !op.Guard.Present {
				copied = append(copied, i.Dst[0].Register)
			}
			continue
		}
		if len(copied) > 0 {
			copies[op], copied = copied, nil
		}
		op.PTXCount += count
		count = 0
		kept = append(kept, op)
	}
	if count > 0 && len(kept) > 0 {
		kept[len(kept)-1].PTXCount += count
	}
	return kept
}

// functionIndex returns the kernel's index among the program's functions, -1 for a device function: appendFunction sets that.
func (f *Allocated) functionIndex() int32 {
	if !f.Kernel.Kernel {
		return -1
	}
	for n, other := range f.Program.Functions {
		if other == f.Kernel {
			return int32(n)
		}
	}
	return -1
}

// countRegisters sets the register counts that the compiler reports: the highest number plus one.
func (f *Allocated) countRegisters(mp *isa.MachineProgram) {
	highest, predicates := StackPointer, 0
	for n := range mp.Ops {
		op := &mp.Ops[n]
		for _, list := range [2][]isa.RegisterRange{op.Reads, op.Writes} {
			for _, r := range list {
				highest = max(highest, int(r.First)+int(r.Count)-1)
			}
		}
		if op.Effect != nil {
			visit := func(o *isa.Operand) {
				if o.Kind == isa.OperandRegister && o.Register != isa.RZ {
					highest = max(highest, int(o.Register)+max(o.Type.Registers(), 1)-1)
				}
			}
			op.Effect.Sources(visit)
			op.Effect.Destinations(visit)
		}
		for p := range PredicateColour {
			if (op.ReadsPred|op.WritesPred)>>p&1 != 0 {
				predicates = max(predicates, p+1)
			}
		}
	}
	mp.Registers, mp.Predicates = highest+1+f.Options.ReservedRegisters, predicates
}

// colourOf returns the physical register of a virtual one or of a part.
func (f *Allocated) colourOf(r isa.Register) isa.Register {
	first, all := virtual.Word(r)
	colour := f.Colours[virtual.Whole(r)]
	if colour < 0 {
		panic("lower: register " + f.Registers[virtual.Whole(r)].Name + " has no place")
	}
	if all {
		return colour
	}
	return colour + isa.Register(first)
}

// physical returns an operation as a machine operation with physical registers.
func (f *Allocated) physical(op *Operation, cloner *virtual.Cloner) isa.MachineOp {
	m := op.MachineOp
	op.finishConstants()
	m.ReadsConstant, m.ConstantAddress = op.ReadsConstant, op.ConstantAddress
	if m.Guard.Present {
		m.Guard.Register = f.colourOf(m.Guard.Register)
		m.ReadsPred |= 1 << m.Guard.Register
	}
	var reads, writes uint8
	m.Reads, reads = f.ranges(op.Uses)
	m.Writes, writes = f.ranges(op.Defines)
	m.ReadsPred |= reads
	m.WritesPred |= writes
	if op.Effect != nil {
		m.Effect = f.physicalInstruction(op.Effect, cloner)
	}
	return m
}

// ranges returns the physical registers and predicates of a list.
func (f *Allocated) ranges(list []isa.Register) (ranges []isa.RegisterRange, predicates uint8) {
	for _, r := range list {
		_, all := virtual.Word(r)
		n := 1
		if all {
			n = f.Words(r)
		}
		colour := f.colourOf(r)
		if f.IsPredicate(r) {
			predicates |= 1 << colour
			continue
		}
		if k := len(ranges) - 1; k >= 0 && ranges[k].First+isa.Register(ranges[k].Count) == colour && ranges[k].First%2 == 0 &&
			int(ranges[k].Count)+n <= 4 && n == 1 && !all {
			ranges[k].Count += uint8(n)
			continue
		}
		ranges = append(ranges, isa.RegisterRange{First: colour, Count: uint8(n)})
	}
	return ranges, predicates
}

// physicalInstruction copies an instruction with physical registers.
func (f *Allocated) physicalInstruction(i *isa.Instruction, cloner *virtual.Cloner) *isa.Instruction {
	c := cloner.Clone(i)
	virtual.Rename(c, f.colourOf)
	return c
}
