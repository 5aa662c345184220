package value

import (
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// UnrollLoops writes the turns of a loop one after another where the driver's compiler does, as recorded on a GPU (testdata/unrolling):
// the loop has no other inside, a counter goes from a number to a number by a step that is added or subtracted, the loop ends by the
// comparison of the counter behind its step, and the turns are short or few. A loop whose inner loops were all unrolled has none then.
//
// Turns of loops of unknown length are written out in groups where that decides what fuses (crossing.go).
//
// Loops stay that hold a call, inlined or not, a fence, or a rounded division or root, and those of .pragma "nounroll".
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

// cleanUnrolled gives values of turns registers of their own, and drops what no turn needs any more.
func (f *Function) cleanUnrolled() error {
	f.flowGraph = nil
	for _, clean := range []func(*Function) error{SplitValues, PropagateCopies, FoldConstants, RemoveDeadButCalls} {
		if err := clean(f); err != nil {
			return err
		}
	}
	return nil
}

// innerLoop is a loop without another inside that only one of its blocks leaves, the one with the branch back.
type innerLoop struct {
	blocks []*Block         // each behind those that lead to it: the header first, the one with the branch back last
	end    *isa.Instruction // the comparison by which it ends
	again  uint64           // what the comparison gives where it goes on
}

func (l *innerLoop) header() *Block { return l.blocks[0] }

func (l *innerLoop) latch() *Block { return l.blocks[len(l.blocks)-1] }

// innerLoops returns the loops that may be unrolled, whatever their number of turns.
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

// mayBeUnrolled reports a loop of the form that is unrolled, and finds how it ends.
func (f *Function) mayBeUnrolled(l *innerLoop) bool {
	header, latch := l.header(), l.latch()
	n := len(latch.Instructions)
	if header.rolled || n == 0 || len(latch.Successors) != 2 || !slices.Contains(latch.Successors, header.ID) ||
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
			slices.ContainsFunc(b.Instructions, func(i *isa.Instruction) bool { return parts(i) || i.Stretch != branch.Stretch }) {
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

// mostBlocks is how many blocks a loop has at most that is unrolled.
const mostBlocks = 16

// A loop of n turns of s instructions each, its counter and branch left out, is unrolled if n·s·(s+shortTurn) is at most unrolledWork, or
// n·s at most fewTurns. On a GPU the most turns of 1, 4, 8, 16, 32, 64 and 128 multiply-adds were 3591, 519, 243, 69, 20, 6 and 2; this
// gives 3750, 625, 216, 67, 19, 5 and 2.
const (
	unrolledWork = 22500
	shortTurn    = 5
	fewTurns     = 380
)

func mayUnroll(turns, instructions int) bool {
	return turns*instructions*(instructions+shortTurn) <= unrolledWork || turns*instructions <= fewTurns
}

// weight is how many instructions one counts as: on a GPU loops of guarded multiply-adds, of 64-bit additions and of atomic operations had
// as many turns as if these were two, two and ten.
func weight(i *isa.Instruction) int {
	switch {
	case i.Op == isa.OpAtom || i.Op == isa.OpRed:
		return 10
	case i.Guard.Present && i.Op != isa.OpBra, i.Op == isa.OpAdd && i.Type.Bytes() == 8 && !i.Type.Float():
		return 2
	}
	return 1
}

// unroll writes out the turns of a loop, if it shall, and joins it with the blocks before and behind it that only it lies between.
func (f *Function) unroll(l *innerLoop) bool {
	turns := l.turns(f)
	if turns == 0 {
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
	texts := make([][][]*isa.Instruction, turns)
	texts[0] = l.text()
	successors, cloner := header.Successors, &virtual.Cloner{}
	for n := 1; n < turns; n++ {
		texts[n] = make([][]*isa.Instruction, len(l.blocks))
		for k, text := range texts[0] {
			for _, i := range text {
				texts[n][k] = append(texts[n][k], cloner.Clone(i))
			}
		}
		last = f.appendTurn(l, last, texts[n], successors)
	}
	for _, text := range texts {
		known = l.turn(known, text, func(k knownNumbers, i *isa.Instruction) { k.fold(i) })
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

// straighten lays a loop's blocks out one behind the other, the one with the branch back last.
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

// text returns the instructions of each block, without the branch back.
func (l *innerLoop) text() (list [][]*isa.Instruction) {
	for _, b := range l.blocks {
		list = append(list, slices.Clip(b.Instructions))
	}
	return list
}

// appendTurn puts a further turn behind the last block of those before it, and returns its own last. The first of its blocks becomes part
// of that block.
func (f *Function) appendTurn(l *innerLoop, last *Block, text [][]*isa.Instruction, successors []isa.BlockID) *Block {
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

// join appends a block to the only one before it, which goes nowhere else.
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

// loopControl is what the step and the comparison of a loop take off its size.
const loopControl = -2

// turns returns how often a loop runs that shall be unrolled; 0 for one that shall not.
func (l *innerLoop) turns(f *Function) int {
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
	for turns := 1; size <= 0 || mayUnroll(turns, size); turns++ {
		known = l.turn(known, text, knownNumbers.visit)
		again, ok := known[l.end.Dst[0].Register]
		switch {
		case !ok || size <= 0:
			return 0
		case again != l.again:
			return turns
		}
	}
	return 0
}

// turn goes through one turn, whose blocks have these instructions, from what is known in front of it, and returns what is known behind it.
func (l *innerLoop) turn(known knownNumbers, text [][]*isa.Instruction, visit func(knownNumbers, *isa.Instruction)) knownNumbers {
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

// counts reports that a loop's last comparison is of a counter behind its step, or of what it was converted to.
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

// steps reports whether a loop writes a register, and whether it does so by steps of its last block that stand in front of an instruction.
// A counter that is converted may step anywhere in that block.
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

// numbersBefore returns the numbers that registers hold when a loop begins: those that the blocks on the only way to it leave.
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

// numbersFrom is how many blocks in front of a loop are looked through for numbers.
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
