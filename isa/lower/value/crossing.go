package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// The driver's compiler writes out turns of a counted loop of unknown length, too: four turns as long as four are left, then two, then one
// (testdata/unrolling). A product of one turn then fuses with an addition of the next one, but not from one such group of turns to the
// next. Only loops in which that happens are written out here: in all others each turn fuses as in the loop.

// openTurns is the most instructions of a loop whose turns are written out though their number is unknown, its counter and branch left
// out. On a GPU 18 multiply-adds were, 19 were not.
const openTurns = 18

// turnsTogether is how many turns of such a loop come into one block at most.
const turnsTogether = 4

// openLoop is a counted loop of one block whose number of turns is unknown.
type openLoop struct {
	*Block
	step, end, branch *isa.Instruction
	after             isa.BlockID
}

// openLoop returns a loop as one of one block and unknown length; false if it is none, or one that the driver's compiler leaves as it is.
func (f *Function) openLoop(inner *innerLoop) (openLoop, bool) {
	b := inner.header()
	l := openLoop{Block: b, end: inner.end}
	if len(inner.blocks) > 1 || inner.again != 1 || l.end.Type.Float() || inner.turns(f) > 0 {
		return l, false
	}
	body := b.Instructions[:len(b.Instructions)-1]
	l.branch = b.Instructions[len(body)]
	size := loopControl
	for _, i := range body {
		if i.Op == isa.OpBar { // lanes may take different numbers of turns
			return l, false
		}
		size += weight(i)
	}
	for n := range l.end.Src {
		if l.end.Src[n].Kind != isa.OperandRegister {
			continue
		}
		for _, step := range inner.writers(f, l.end.Src[n].Register) {
			if l.step != nil || !stepsByNumber(step) {
				return l, false
			}
			l.step = step
		}
	}
	for _, id := range b.Successors {
		if id != b.ID {
			l.after = id
		}
	}
	return l, l.step != nil && !l.end.Guard.Present && size <= openTurns
}

// stepsByNumber reports an instruction that always adds a number to a register, or takes one off it.
func stepsByNumber(i *isa.Instruction) bool {
	return (i.Op == isa.OpAdd || i.Op == isa.OpSub) && !i.Guard.Present && i.Src[0].Kind == isa.OperandRegister &&
		i.Src[0].Register == i.Dst[0].Register && i.Src[1].Kind == isa.OperandImmediate
}

// crosses reports that turns of a loop fuse otherwise in such groups: a product of one is added in another, what only the last turn's
// result is read of has no reader in the others, or what only another turn reads has none in the last.
func (f *Function) crosses(l openLoop) bool {
	if !slices.ContainsFunc(l.Instructions, contractible) || !slices.ContainsFunc(l.Instructions, addsContracting) {
		return false
	}
	live := f.liveRegisters(func(isa.Register) bool { return true })
	again := live[l.ID]
	_, behind := f.neededFor(f.ByID[l.after].Instructions, live[l.after])
	inLoop := f.fusedTurns(l.Block, 1, again)
	return !slices.Equal(f.fusedTurns(l.Block, turnsTogether, again), slices.Repeat(inLoop, turnsTogether)) ||
		!slices.Equal(f.fusedTurns(l.Block, 1, behind), inLoop)
}

// fusedTurns says of each instruction of so many turns in one block whether it fuses; live are the registers that are read behind them.
func (f *Function) fusedTurns(b *Block, turns int, live []int32) []bool {
	cloner := &virtual.Cloner{}
	var all []*isa.Instruction
	for range turns {
		for _, i := range b.Instructions[:len(b.Instructions)-1] {
			all = append(all, cloner.Clone(i))
		}
	}
	fused := make([]bool, len(all))
	needed, _ := f.neededFor(all, live)
	f.contractChain([]*Block{{Instructions: needed}}, live)
	for n, i := range all {
		fused[n] = f.contracted[i]
		delete(f.contracted, i)
	}
	return fused
}

// neededFor returns the instructions of a block that something reads, or that do more than write registers, and the registers that are
// live in front of it, rising; live are those behind it.
func (f *Function) neededFor(all []*isa.Instruction, live []int32) (needed []*isa.Instruction, before []int32) {
	read := map[isa.Register]bool{}
	for _, r := range live {
		read[isa.Register(r)] = true
	}
	for _, i := range slices.Backward(all) {
		wanted := !removable(i)
		f.Definitions(i, func(r isa.Register, _ int) { wanted = wanted || read[virtual.Whole(r)] })
		if !wanted {
			continue
		}
		needed = append(needed, i)
		f.Definitions(i, func(r isa.Register, _ int) {
			if !i.Guard.Present && r == virtual.Whole(r) {
				delete(read, r)
			}
		})
		f.Uses(i, func(r isa.Register, _ int) { read[virtual.Whole(r)] = true })
	}
	slices.Reverse(needed)
	for r := range read {
		before = append(before, int32(r))
	}
	slices.Sort(before)
	return needed, before
}

// unrollOpen writes out turns of a loop of unknown length in groups of four, two and one, if products of its turns cross:
//
//	first: if fewer than four turns are left, go to pair
//	four:  four turns; if four more are left, go to four
//	pair:  if fewer than two are left, go to last
//	two:   two turns
//	last:  if none is left, go on behind the loop
//	one:   a turn
func (f *Function) unrollOpen(inner *innerLoop) bool {
	l, ok := f.openLoop(inner)
	if !ok || !f.crosses(l) {
		return false
	}
	b := l.Block
	body := slices.Clone(b.Instructions[:len(b.Instructions)-1])
	left := isa.Predicate(f.Temporary(isa.Pred), false) // whether there is another turn
	cloner := &virtual.Cloner{}
	turns := func(n int) (all []*isa.Instruction) {
		for range n {
			for _, i := range body {
				all = append(all, cloner.Clone(i))
				if i == l.end {
					again := cloner.Clone(i)
					again.Dst[0] = left
					all = append(all, again)
				}
			}
		}
		return all
	}
	first, pair, two, last, one := f.newBlock(), f.newBlock(), f.newBlock(), f.newBlock(), f.newBlock()
	at := slices.Index(f.Blocks, b)
	f.Blocks = slices.Concat(f.Blocks[:at], []*Block{first, b, pair, two, last, one}, f.Blocks[at+1:])
	f.enterBy(b, first)
	counter := l.step.Dst[0]
	first.Instructions = append([]*isa.Instruction{{Op: isa.OpSetp, Type: l.end.Type, Mod: isa.Modifiers{Compare: isa.EQ},
		Dst: []isa.Operand{left}, Src: []isa.Operand{counter, counter}, Line: l.end.Line, Stretch: l.end.Stretch}},
		f.enough(l, left, 3, pair.ID, true)...)
	b.Instructions = append(turns(turnsTogether), f.enough(l, left, 3, b.ID, false)...)
	pair.Instructions = f.enough(l, left, 1, last.ID, true)
	two.Instructions = turns(2)
	last.Instructions = f.enough(l, left, 0, l.after, true)
	one.Instructions = turns(1)
	f.lead(first, pair.ID, pair.ID, b.ID)
	f.lead(b, pair.ID, b.ID, pair.ID)
	f.lead(pair, last.ID, last.ID, two.ID)
	f.lead(two, flow.NoBlock, last.ID)
	f.lead(last, l.after, l.after, one.ID)
	f.lead(one, flow.NoBlock, l.after)
	behind := f.ByID[l.after]
	behind.Predecessors = slices.DeleteFunc(behind.Predecessors, func(id isa.BlockID) bool { return id == b.ID })
	b.rolled = true
	return true
}

// newBlock adds an empty block, which has no place yet.
func (f *Function) newBlock() *Block {
	b := &Block{Block: flow.Block{ID: isa.BlockID(len(f.ByID))}}
	f.ByID = append(f.ByID, b)
	return b
}

// enterBy lets what leads to a loop of one block lead to another block, and forgets the ways out of and to the loop.
func (f *Function) enterBy(loop, first *Block) {
	for _, id := range loop.Predecessors {
		from := f.ByID[id]
		if from == loop {
			continue
		}
		first.Predecessors = append(first.Predecessors, id)
		for n, to := range from.Successors {
			if to == loop.ID {
				from.Successors[n] = first.ID
			}
		}
		branch := from.Instructions
		if len(branch) == 0 {
			continue
		}
		targets := branch[len(branch)-1].Targets
		for n, to := range targets {
			if to == loop.ID {
				targets[n] = first.ID
			}
		}
	}
	for _, other := range f.Blocks {
		if other != loop && other.Reconverge == loop.ID {
			other.Reconverge = first.ID
		}
	}
	loop.Predecessors = nil
}

// lead sets where a block leads, and where lanes meet that part at its end.
func (f *Function) lead(b *Block, meet isa.BlockID, to ...isa.BlockID) {
	b.Successors, b.Reconverge = to, meet
	for _, id := range to {
		next := f.ByID[id]
		next.Predecessors = append(next.Predecessors, b.ID)
	}
}

// enough returns instructions that branch if more turns than n are left, or, turned, unless they are.
func (f *Function) enough(l openLoop, left isa.Operand, n int, target isa.BlockID, turned bool) (all []*isa.Instruction) {
	cloner := &virtual.Cloner{}
	counter, holds := l.step.Dst[0], left
	for range n {
		step, test := cloner.Clone(l.step), cloner.Clone(l.end)
		stepped := isa.Reg(f.Temporary(f.Registers[counter.Register].Type), counter.Type)
		step.Src[0], step.Dst[0] = counter, stepped
		for k := range test.Src {
			if test.Src[k].Kind == isa.OperandRegister && test.Src[k].Register == l.step.Dst[0].Register {
				test.Src[k] = stepped
			}
		}
		test.Src, test.Mod.Bool = append(test.Src, holds), isa.BoolAnd
		holds = isa.Predicate(f.Temporary(isa.Pred), false)
		test.Dst[0] = holds
		all, counter = append(all, step, test), stepped
	}
	return append(all, &isa.Instruction{Op: isa.OpBra, Guard: isa.Guard{Present: true, Register: holds.Register, Negate: turned},
		Targets: []isa.BlockID{target}, Line: l.branch.Line, Stretch: l.branch.Stretch})
}
