package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// The driver's compiler also unrolls counted loops of unknown length: groups of four iterations while four are left, then two, then one
// (testdata/unrolling). A product of one iteration then fuses with an addition of the next, but not from one group to the next. Only loops
// where that happens are unrolled here: in all others each iteration fuses as in the loop.

// openLoopSize is the most instructions, without counter and branch, of a loop of unknown length that is unrolled. On a GPU loops of 18
// multiply-adds were unrolled, loops of 19 were not.
const openLoopSize = 18

// groupedIterations is the most iterations of such a loop in one block.
const groupedIterations = 4

// openLoop is a counted loop of one block with an unknown number of iterations.
type openLoop struct {
	*Block
	step, end, branch *isa.Instruction
	after             isa.BlockID
}

// openLoop returns a loop as an openLoop; false if it is none, or one that the driver's compiler does not unroll.
func (f *Function) openLoop(inner *innerLoop) (openLoop, bool) {
	b := inner.header()
	l := openLoop{Block: b, end: inner.end}
	if len(inner.blocks) > 1 || inner.again != 1 || l.end.Type.Float() || inner.tripCount(f) > 0 {
		return l, false
	}
	body := b.Instructions[:len(b.Instructions)-1]
	l.branch = b.Instructions[len(body)]
	size := loopControl
	for _, i := range body {
		if i.Op == isa.OpBar { // lanes may differ in the number of iterations
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
	return l, l.step != nil && !l.end.Guard.Present && size <= openLoopSize
}

// stepsByNumber reports an unguarded addition or subtraction of an immediate to a register.
func stepsByNumber(i *isa.Instruction) bool {
	return (i.Op == isa.OpAdd || i.Op == isa.OpSub) && !i.Guard.Present && i.Src[0].Kind == isa.OperandRegister &&
		i.Src[0].Register == i.Dst[0].Register && i.Src[1].Kind == isa.OperandImmediate
}

// unrollOpenLoops unrolls loops of unknown length where that changes what fuses.
func (f *Function) unrollOpenLoops() error {
	if !f.multiplies() {
		return nil
	}
	before, err := f.removeUseless()
	if err != nil {
		return err
	}
	unrolled := false
	for _, l := range f.innerLoops() {
		if err := f.Stopped(); err != nil {
			return err
		}
		unrolled = f.unrollOpen(l, before) || unrolled
	}
	if !unrolled {
		return nil
	}
	return f.cleanUnrolled()
}

// removeUseless drops dead code, including cycles such as a sum that every iteration of a loop updates and nothing else reads. It returns
// the registers that are live at the start of each block.
func (f *Function) removeUseless() (before [][]int32, err error) {
	before = make([][]int32, len(f.ByID))
	for changed := true; changed; {
		if err := f.Stopped(); err != nil {
			return nil, err
		}
		changed = false
		for _, b := range slices.Backward(f.Blocks) {
			_, live := f.neededFor(b.Instructions, liveBehind(b, before))
			changed = changed || len(live) != len(before[b.ID])
			before[b.ID] = live
		}
	}
	for _, b := range f.Blocks {
		b.Instructions, _ = f.neededFor(b.Instructions, liveBehind(b, before))
	}
	return before, nil
}

// liveBehind returns the registers that are live at a block's end, ascending, from those live at the start of each block.
func liveBehind(b *Block, before [][]int32) (all []int32) {
	for _, id := range b.Successors {
		all = append(all, before[id]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// crosses reports that unrolling in groups changes what fuses. Either a product of one iteration is added in another, or a value has a
// reader only after the last iteration, or only in the next iteration.
func (f *Function) crosses(l openLoop, before [][]int32) bool {
	if !slices.ContainsFunc(l.Instructions, contractible) || !slices.ContainsFunc(l.Instructions, addsContracting) ||
		int(l.after) >= len(before) { // a loop unrolled before follows it, and control returns to that
		return false
	}
	again, behind := liveBehind(l.Block, before), before[l.after]
	_, one := f.neededFor(l.Instructions[:len(l.Instructions)-1], behind)
	one = slices.Concat(one, behind) // values read after the loop may be read after two iterations
	slices.Sort(one)
	inLoop := f.fusedOperands(l.Block, 1, again)
	differ := func(iterations int, live []int32) bool {
		return !slices.Equal(f.fusedOperands(l.Block, iterations, live), slices.Repeat(inLoop, iterations))
	}
	return differ(groupedIterations, again) || differ(2, slices.Compact(one)) || differ(1, behind)
}

// fusedOperands unrolls iterations into one block and returns, by instruction, which operand fuses, from 1; live are the registers that are
// live behind them.
func (f *Function) fusedOperands(b *Block, iterations int, live []int32) []int {
	cloner := &virtual.Cloner{}
	var all []*isa.Instruction
	for range iterations {
		for _, i := range b.Instructions[:len(b.Instructions)-1] {
			all = append(all, cloner.Clone(i))
		}
	}
	fused := make([]int, len(all))
	needed, _ := f.neededFor(all, live)
	f.contractChain([]*Block{{Instructions: needed}}, live)
	for n, i := range all {
		fused[n] = f.contracted[i]
		delete(f.contracted, i)
	}
	return fused
}

// neededFor returns the instructions of a block that are not dead, and the registers that are live before it, ascending; live are those
// behind it.
func (f *Function) neededFor(all []*isa.Instruction, live []int32) (needed []*isa.Instruction, before []int32) {
	read := map[isa.Register]bool{}
	for _, r := range live {
		read[isa.Register(r)] = true
	}
	for _, i := range slices.Backward(all) {
		wanted := !removable(i) || endsRegion(i)
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

// unrollOpen unrolls a loop of unknown length into groups of four, two and one, if products of its iterations cross:
//
//	first: if fewer than four iterations are left, go to pair
//	four:  four iterations; if four more are left, go to four
//	rest:  if none is left, go on behind the loop
//	pair:  if fewer than two are left, go to one
//	two:   two iterations; if none is left, go on behind the loop
//	one:   an iteration
func (f *Function) unrollOpen(inner *innerLoop, before [][]int32) bool {
	l, ok := f.openLoop(inner)
	if !ok || !f.crosses(l, before) {
		return false
	}
	b := l.Block
	body := slices.Clone(b.Instructions[:len(b.Instructions)-1])
	cloner := &virtual.Cloner{}
	iterations := func(n int) (all []*isa.Instruction) {
		for range n {
			for _, i := range body {
				all = append(all, cloner.Clone(i))
			}
		}
		return all
	}
	first, rest, pair, two, one := f.newBlock(), f.newBlock(), f.newBlock(), f.newBlock(), f.newBlock()
	at := slices.Index(f.Blocks, b)
	f.Blocks = slices.Concat(f.Blocks[:at], []*Block{first, b, rest, pair, two, one}, f.Blocks[at+1:])
	f.redirectEntries(b, first)
	left := l.end.Dst[:1] // after an iteration: whether there is another
	first.Instructions = f.branchIfAll(l, nil, 3, pair.ID, true)
	b.Instructions = append(iterations(groupedIterations), f.branchIfAll(l, left, 3, b.ID, false)...)
	rest.Instructions = f.branchIfAll(l, left, 0, l.after, true)
	pair.Instructions = f.branchIfAll(l, nil, 1, one.ID, true)
	two.Instructions = append(iterations(2), f.branchIfAll(l, left, 0, l.after, true)...)
	one.Instructions = iterations(1)
	f.setSuccessors(first, l.after, pair.ID, b.ID)
	f.setSuccessors(b, rest.ID, b.ID, rest.ID)
	f.setSuccessors(rest, l.after, l.after, pair.ID)
	f.setSuccessors(pair, l.after, one.ID, two.ID)
	f.setSuccessors(two, l.after, l.after, one.ID)
	f.setSuccessors(one, flow.NoBlock, l.after)
	behind := f.ByID[l.after]
	behind.Predecessors = slices.DeleteFunc(behind.Predecessors, func(id isa.BlockID) bool { return id == b.ID })
	b.noUnroll = true
	return true
}

// newBlock adds an empty block, without a place in the layout.
func (f *Function) newBlock() *Block {
	b := &Block{Block: flow.Block{ID: isa.BlockID(len(f.ByID))}}
	f.ByID = append(f.ByID, b)
	return b
}

// redirectEntries redirects the edges into a one-block loop to another block, and removes the loop's own edges.
func (f *Function) redirectEntries(loop, first *Block) {
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

// setSuccessors sets a block's successors and its reconvergence block.
func (f *Function) setSuccessors(b *Block, meet isa.BlockID, to ...isa.BlockID) {
	b.Successors, b.Reconverge = to, meet
	for _, id := range to {
		next := f.ByID[id]
		next.Predecessors = append(next.Predecessors, b.ID)
	}
}

// branchIfAll returns instructions that branch if the comparisons of the next n iterations, and predicate if given, all hold. inverted
// inverts the branch.
func (f *Function) branchIfAll(l openLoop, predicate []isa.Operand, n int, target isa.BlockID, inverted bool) (all []*isa.Instruction) {
	cloner := &virtual.Cloner{}
	counter := l.step.Dst[0]
	for range n {
		step, test := cloner.Clone(l.step), cloner.Clone(l.end)
		stepped := isa.Reg(f.Temporary(f.Registers[counter.Register].Type), counter.Type)
		step.Src[0], step.Dst[0] = counter, stepped
		for k := range test.Src {
			if test.Src[k].Kind == isa.OperandRegister && test.Src[k].Register == l.step.Dst[0].Register {
				test.Src[k] = stepped
			}
		}
		if len(predicate) > 0 {
			test.Src, test.Mod.Bool = append(test.Src, isa.Predicate(predicate[0].Register, false)), isa.BoolAnd
		}
		test.Dst[0] = isa.Predicate(f.Temporary(isa.Pred), false)
		all, counter, predicate = append(all, step, test), stepped, test.Dst
	}
	return append(all, &isa.Instruction{Op: isa.OpBra, Guard: isa.Guard{Present: true, Register: predicate[0].Register, Negate: inverted},
		Targets: []isa.BlockID{target}, Line: l.branch.Line, InlineRegion: l.branch.InlineRegion})
}
