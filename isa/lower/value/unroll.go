package value

import (
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// UnrollLoops unrolls loops that the driver's compiler unrolls, as recorded on a GPU (testdata/unrolling). The loop must be innermost. Its
// counter starts and ends at constants, steps by addition or subtraction, and is compared behind the step. The iterations must be short or
// few. A loop whose inner loops were all unrolled counts as innermost.
//
// Loops of unknown length are unrolled in groups if that changes what fuses (crossing.go).
//
// Loops that contain a call, inlined or not, a fence, or a rounded division or root stay, and so do those of .pragma "nounroll".
func UnrollLoops(f *Function) error {
	for {
		unrolled := false
		for _, l := range f.innerLoops() {
			if err := f.Stopped(); err != nil {
				return err
			}
			unrolled = f.unroll(l) || unrolled
		}
		if !unrolled {
			return f.unrollOpenLoops()
		}
		if err := f.cleanUnrolled(); err != nil {
			return err
		}
	}
}

// cleanUnrolled splits the values of the iterations, and drops what is no longer needed.
func (f *Function) cleanUnrolled() error {
	f.flowGraph = nil
	for _, clean := range []func(*Function) error{SplitValues, PropagateCopies, FoldConstants, RemoveDeadButCalls} {
		if err := clean(f); err != nil {
			return err
		}
	}
	return nil
}

// innerLoop is an innermost loop with one exit, from the block with the back edge.
type innerLoop struct {
	blocks []*Block         // in topological order: the header first, the block with the back edge last
	end    *isa.Instruction // the comparison that ends it
	again  uint64           // the comparison's result for another iteration
}

func (l *innerLoop) header() *Block { return l.blocks[0] }

func (l *innerLoop) latch() *Block { return l.blocks[len(l.blocks)-1] }

// innerLoops returns the loops that have the form for unrolling, whatever their number of iterations.
func (f *Function) innerLoops() (list []*innerLoop) {
	g := f.graph()
	found := map[*flow.Loop]*innerLoop{}
	for _, l := range g.Loops {
		found[l] = &innerLoop{}
		list = append(list, found[l])
	}
	for _, b := range g.Order {
		if l := g.Inner[b.ID]; l != nil {
			found[l].blocks = append(found[l].blocks, f.ByID[b.ID])
		}
	}
	for _, l := range g.Loops {
		if l.Outer != nil {
			found[l.Outer].blocks = nil
		}
	}
	return slices.DeleteFunc(list, func(l *innerLoop) bool { return len(l.blocks) == 0 || !f.mayBeUnrolled(l) })
}

// mayBeUnrolled reports a loop that has the form for unrolling, and finds its last comparison.
func (f *Function) mayBeUnrolled(l *innerLoop) bool {
	header, latch := l.header(), l.latch()
	n := len(latch.Instructions)
	if header.noUnroll || n == 0 || len(latch.Successors) != 2 || !slices.Contains(latch.Successors, header.ID) ||
		len(header.Predecessors) < 2 || len(l.blocks) > mostBlocks {
		return false
	}
	branch := latch.Instructions[n-1]
	if branch.Op != isa.OpBra || !branch.Guard.Present || branch.Guard.Negate {
		return false
	}
	if branch.Targets[0] == header.ID {
		l.again = 1
	}
	for _, b := range l.blocks {
		leaves := func(id isa.BlockID) bool { return id == header.ID || !slices.Contains(l.blocks, f.ByID[id]) }
		if b != latch && (len(b.Successors) == 0 || slices.ContainsFunc(b.Successors, leaves)) ||
			slices.ContainsFunc(b.Instructions, func(i *isa.Instruction) bool {
				return endsRegion(i) || i.InlineRegion != branch.InlineRegion
			}) {
			return false
		}
	}
	ends := l.writers(f, branch.Guard.Register)
	if len(ends) != 1 || !slices.Contains(latch.Instructions, ends[0]) {
		return false
	}
	l.end = ends[0]
	return l.end.Op == isa.OpSetp && len(l.end.Src) == 2 && len(l.end.Dst) == 1 && l.counts(f)
}

// mostBlocks is the most blocks of a loop that is unrolled.
const mostBlocks = 16

// A loop of n iterations with s instructions each, without counter and branch, is unrolled if n·s·(s+shortIteration) is at most
// unrolledWork, or n·s at most fewIterations. On a GPU the most iterations of 1, 4, 8, 16, 32, 64 and 128 multiply-adds were 3591, 519,
// 243, 69, 20, 6 and 2. This rule gives 3750, 625, 216, 67, 19, 5 and 2.
const (
	unrolledWork   = 22500
	shortIteration = 5
	fewIterations  = 380
)

func mayUnroll(iterations, instructions int) bool {
	return iterations*instructions*(instructions+shortIteration) <= unrolledWork || iterations*instructions <= fewIterations
}

// weight returns how many instructions an instruction counts as. On a GPU, loops of guarded multiply-adds, of 64-bit additions and of
// atomic operations had as many iterations as if these were two, two and ten.
func weight(i *isa.Instruction) int {
	switch {
	case i.Op == isa.OpAtom || i.Op == isa.OpRed:
		return 10
	case i.Guard.Present && i.Op != isa.OpBra, i.Op == isa.OpAdd && i.Type.Bytes() == 8 && !i.Type.Float():
		return 2
	}
	return 1
}

// unroll unrolls a loop if it should be, and joins it with the blocks before and behind it where no other edge intervenes.
func (f *Function) unroll(l *innerLoop) bool {
	iterations := l.tripCount(f)
	if iterations == 0 {
		return false
	}
	f.straighten(l)
	header, latch := l.header(), l.latch()
	behind := f.ByID[latch.Successors[0]]
	if behind == header {
		behind = f.ByID[latch.Successors[1]]
	}
	known, meeting := l.numbersBefore(f), latch.Reconverge
	header.Predecessors = slices.DeleteFunc(header.Predecessors, func(id isa.BlockID) bool { return id == latch.ID })
	latch.Instructions = latch.Instructions[:len(latch.Instructions)-1]
	last := latch
	texts := make([][][]*isa.Instruction, iterations)
	texts[0] = l.text()
	successors, cloner := header.Successors, &virtual.Cloner{}
	for n := 1; n < iterations; n++ {
		texts[n] = make([][]*isa.Instruction, len(l.blocks))
		for k, text := range texts[0] {
			for _, i := range text {
				texts[n][k] = append(texts[n][k], cloner.Clone(i))
			}
		}
		last = f.appendIteration(l, last, texts[n], successors)
	}
	for _, text := range texts {
		known = l.evaluateIteration(known, text, func(k knownNumbers, i *isa.Instruction) { k.fold(i) })
	}
	last.Successors, last.Reconverge = []isa.BlockID{behind.ID}, meeting
	behind.Predecessors[slices.Index(behind.Predecessors, latch.ID)] = last.ID
	if before := f.ByID[header.Predecessors[0]]; len(header.Predecessors) == 1 && len(before.Successors) == 1 {
		f.join(before, header)
		if last == header {
			last = before
		}
	}
	if len(behind.Predecessors) == 1 {
		f.join(last, behind)
	}
	return true
}

// straighten places a loop's blocks one after another, the one with the back edge last.
func (f *Function) straighten(l *innerLoop) {
	first := slices.IndexFunc(f.Blocks, func(b *Block) bool { return slices.Contains(l.blocks, b) })
	if slices.Equal(f.Blocks[first:min(first+len(l.blocks), len(f.Blocks))], l.blocks) && l.again == 1 {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(f.Blocks[first:]), func(b *Block) bool { return slices.Contains(l.blocks, b) })
	f.Blocks = slices.Concat(f.Blocks[:first], l.blocks, rest)
	if latch := l.latch(); l.again == 0 {
		branch := latch.Instructions[len(latch.Instructions)-1]
		branch.Targets, branch.Guard.Negate = []isa.BlockID{l.header().ID}, true
		slices.Reverse(latch.Successors)
	}
	for n := 0; n < len(f.Blocks); n++ {
		b := f.Blocks[n]
		k := len(b.Instructions)
		if len(b.Successors) == 0 || k > 0 && b.Instructions[k-1].Terminator() && !b.Instructions[k-1].Guard.Present {
			continue
		}
		last := &b.Successors[len(b.Successors)-1]
		next := f.ByID[*last]
		if n+1 < len(f.Blocks) && f.Blocks[n+1] == next {
			continue
		}
		way := &Block{Block: flow.Block{
			ID: isa.BlockID(len(f.ByID)), Successors: []isa.BlockID{next.ID}, Predecessors: []isa.BlockID{b.ID}, Reconverge: next.ID,
		}}
		way.Instructions = []*isa.Instruction{{Op: isa.OpBra, Mod: isa.Modifiers{Uniform: true}, Targets: []isa.BlockID{next.ID}}}
		f.ByID = append(f.ByID, way)
		*last = way.ID
		next.Predecessors[slices.Index(next.Predecessors, b.ID)] = way.ID
		n++
		f.Blocks = slices.Insert(f.Blocks, n, way)
	}
}

// text returns the instructions of each block, without the back edge's branch.
func (l *innerLoop) text() (list [][]*isa.Instruction) {
	for _, b := range l.blocks {
		list = append(list, slices.Clip(b.Instructions))
	}
	return list
}

// appendIteration appends an iteration to last, the last block of the iterations so far, and returns the new last block. The iteration's
// first block becomes part of last.
func (f *Function) appendIteration(l *innerLoop, last *Block, text [][]*isa.Instruction, successors []isa.BlockID) *Block {
	last.Instructions = append(last.Instructions, text[0]...)
	if len(l.blocks) == 1 {
		return last
	}
	ids := map[isa.BlockID]isa.BlockID{l.header().ID: last.ID}
	copies := make([]*Block, 0, len(l.blocks)-1)
	for n, b := range l.blocks[1:] {
		c := &Block{Block: b.Block, Instructions: text[n+1]}
		c.ID = isa.BlockID(len(f.ByID))
		f.ByID = append(f.ByID, c)
		ids[b.ID] = c.ID
		copies = append(copies, c)
	}
	renamed := func(list []isa.BlockID) []isa.BlockID {
		list = slices.Clone(list)
		for n, id := range list {
			if to, inside := ids[id]; inside {
				list[n] = to
			}
		}
		return list
	}
	for _, block := range text {
		for _, i := range block {
			i.Targets = renamed(i.Targets)
		}
	}
	for _, c := range copies {
		c.Predecessors, c.Successors = renamed(c.Predecessors), renamed(c.Successors)
		c.Reconverge = renamed([]isa.BlockID{c.Reconverge})[0]
	}
	last.Successors, last.Reconverge = renamed(successors), renamed([]isa.BlockID{l.header().Reconverge})[0]
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, last)+1, copies...)
	return copies[len(copies)-1]
}

// join appends a block to its only predecessor, which has no other successor.
func (f *Function) join(before, b *Block) {
	if n := len(before.Instructions); n > 0 && before.Instructions[n-1].Op == isa.OpBra {
		before.Instructions = before.Instructions[:n-1]
	}
	before.Instructions = append(before.Instructions, b.Instructions...)
	before.Successors, before.Reconverge = b.Successors, b.Reconverge
	for _, id := range b.Successors {
		list := f.ByID[id].Predecessors
		list[slices.Index(list, b.ID)] = before.ID
	}
	for _, other := range f.Blocks {
		if other.Reconverge == b.ID {
			other.Reconverge = before.ID
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(other *Block) bool { return other == b })
	f.ByID[b.ID] = nil
}

// loopControl takes the step and the comparison off a loop's size.
const loopControl = -2

// tripCount returns the number of iterations of a loop that should be unrolled; 0 if it should not be.
func (l *innerLoop) tripCount(f *Function) int {
	text := l.text()
	last := &text[len(text)-1]
	*last = (*last)[:len(*last)-1]
	size := loopControl
	for _, block := range text {
		for _, i := range block {
			size += weight(i)
		}
	}
	known := l.numbersBefore(f)
	for iterations := 1; size <= 0 || mayUnroll(iterations, size); iterations++ {
		known = l.evaluateIteration(known, text, knownNumbers.visit)
		again, ok := known[l.end.Dst[0].Register]
		switch {
		case !ok || size <= 0:
			return 0
		case again != l.again:
			return iterations
		}
	}
	return 0
}

// evaluateIteration evaluates one iteration with the given instructions by block. It takes the constants known before the iteration, and
// returns those known after it.
func (l *innerLoop) evaluateIteration(known knownNumbers, text [][]*isa.Instruction,
	visit func(knownNumbers, *isa.Instruction)) knownNumbers {
	if len(text) == 1 {
		for _, i := range text[0] {
			visit(known, i)
		}
		return known
	}
	at := map[isa.BlockID]knownNumbers{l.header().ID: known}
	for n, b := range l.blocks {
		known = at[b.ID]
		for _, i := range text[n] {
			visit(known, i)
		}
		for _, id := range b.Successors {
			other, reached := at[id]
			switch {
			case b == l.latch():
			case !reached:
				at[id] = maps.Clone(known)
			default:
				maps.DeleteFunc(other, func(r isa.Register, n uint64) bool {
					same, ok := known[r]
					return !ok || same != n
				})
			}
		}
	}
	return known
}

// counts reports that a loop's last comparison is of a stepped counter, or of its conversion.
func (l *innerLoop) counts(f *Function) bool {
	stepped := false
	for n := range l.end.Src {
		if o := &l.end.Src[n]; o.Kind == isa.OperandRegister {
			written, steps := l.steps(f, o.Register, l.end)
			if written && !steps {
				return false
			}
			stepped = stepped || written
		}
	}
	return stepped
}

// steps reports whether a loop writes a register, and whether only by steps in its last block ahead of an instruction. A converted counter
// may step anywhere in that block.
func (l *innerLoop) steps(f *Function, r isa.Register, before *isa.Instruction) (written, steps bool) {
	steps = true
	place := func(i *isa.Instruction) int { return slices.Index(l.latch().Instructions, i) }
	for _, i := range l.writers(f, r) {
		written = true
		converts := i.Op == isa.OpCvt && !i.From.Float() && i.Src[0].Kind == isa.OperandRegister
		switch {
		case place(i) < 0 || before != nil && place(i) > place(before):
			steps = false
		case converts:
			converted, counter := l.steps(f, i.Src[0].Register, nil)
			steps = steps && converted && counter
		case i.Op != isa.OpAdd && i.Op != isa.OpSub || i.Type.Float():
			steps = false
		}
	}
	return written, steps
}

// writers returns the instructions of a loop that write a register.
func (l *innerLoop) writers(f *Function, r isa.Register) (all []*isa.Instruction) {
	for _, b := range l.blocks {
		for _, i := range b.Instructions {
			f.Definitions(i, func(d isa.Register, _ int) {
				if virtual.Whole(d) == r {
					all = append(all, i)
				}
			})
		}
	}
	return all
}

// numbersBefore returns the constants that registers hold when a loop begins, from the blocks on the only path to it.
func (l *innerLoop) numbersBefore(f *Function) knownNumbers {
	var way []*Block
	for b := l.header(); b != nil && len(way) < numbersFrom; {
		var from *Block
		for _, id := range b.Predecessors {
			switch {
			case id == l.latch().ID && b == l.header():
			case from != nil || id == b.ID:
				return knownOn(way)
			default:
				from = f.ByID[id]
			}
		}
		if from == nil || slices.Contains(way, from) || slices.Contains(l.blocks, from) {
			break
		}
		way = append(way, from)
		b = from
	}
	return knownOn(way)
}

// numbersFrom is how many blocks in front of a loop are searched for constants.
const numbersFrom = 16

func knownOn(way []*Block) knownNumbers {
	known := knownNumbers{}
	for _, b := range slices.Backward(way) {
		for _, i := range b.Instructions {
			known.visit(i)
		}
	}
	return known
}
