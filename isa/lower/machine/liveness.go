package machine

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Slots numbers the 32-bit words of all virtual registers, and the predicates, from 0.
type Slots struct {
	First     []int32 // by virtual register
	Owner     []isa.Register
	Predicate []bool // by slot
	Size      int    // one more than the highest number
}

// NewSlots returns the slots of a function: one for each word of a virtual register.
func (f *Function) NewSlots() *Slots {
	s := &Slots{First: make([]int32, len(f.Registers))}
	for r := range f.Registers {
		s.First[r] = int32(len(s.Owner))
		for range f.Words(isa.Register(r)) {
			s.Owner = append(s.Owner, isa.Register(r))
			s.Predicate = append(s.Predicate, f.IsPredicate(isa.Register(r)))
		}
	}
	s.Size = len(s.Owner)
	return s
}

// predicateSlots is the number from which physical predicates stand behind the registers.
const predicateSlots = 1 << 8

// PhysicalSlots numbers words by their physical registers, and predicates behind those: registers that share a place share slots.
func (f *Allocated) PhysicalSlots() *Slots {
	s := &Slots{First: make([]int32, len(f.Registers))}
	for r := range f.Registers {
		s.First[r] = int32(f.Colours[r])
		if f.IsPredicate(isa.Register(r)) {
			s.First[r] += predicateSlots
		}
	}
	s.Size = predicateSlots + PredicateColour
	return s
}

// Count returns the number of slots.
func (s *Slots) Count() int { return len(s.Owner) }

// Visit calls visit for each slot that r names, n words of it when it is a part.
func (s *Slots) Visit(f *Function, r isa.Register, n int, visit func(int32)) {
	first, all := virtual.Word(r)
	if all {
		n = f.Words(r)
	}
	for k := range n {
		visit(s.First[virtual.Whole(r)] + int32(first+k))
	}
}

// View is one of the two ways in which operations touch registers.
//
// In the functional view an instruction reads all its sources and writes all its destinations at its carrier: what the
// simulated values need. In the timing view each operation reads and writes the registers of the hardware's operation.
// Two values may share a register only if both views allow it.
type View struct {
	Uses, Definitions func(f *Function, s *Slots, op *Operation, visit func(int32))
}

// FunctionalView is the view of the simulated values.
var FunctionalView = View{
	Uses: func(f *Function, s *Slots, op *Operation, visit func(int32)) {
		if op.Guard.Present {
			s.Visit(f, op.Guard.Register, 1, visit)
		}
		if op.Effect != nil {
			f.Uses(op.Effect, func(r isa.Register, n int) { s.Visit(f, r, n, visit) })
		}
		if op.Path != nil {
			f.Uses(op.Path.Path.Probe, func(r isa.Register, n int) { s.Visit(f, r, n, visit) })
		}
	},
	Definitions: func(f *Function, s *Slots, op *Operation, visit func(int32)) {
		if op.Effect != nil {
			f.Definitions(op.Effect, func(r isa.Register, n int) { s.Visit(f, r, n, visit) })
		}
	},
}

// TimingView is the view of the hardware's operations.
var TimingView = View{
	Uses: func(f *Function, s *Slots, op *Operation, visit func(int32)) {
		if op.Guard.Present {
			s.Visit(f, op.Guard.Register, 1, visit)
		}
		for _, r := range op.Uses {
			s.Visit(f, r, 1, visit)
		}
	},
	Definitions: func(f *Function, s *Slots, op *Operation, visit func(int32)) {
		for _, r := range op.Defines {
			s.Visit(f, r, 1, visit)
		}
	},
}

// Liveness is which slots are live where, in one view. A slot that no path has written yet holds nothing, and is not live there.
type Liveness struct {
	f       *Function
	slots   *Slots
	view    View
	In, Out [][]int32 // by block: slots live at its start and end, rising
	// While a block is walked.
	Live       *LiveSet
	inMark     []isa.BlockID // by slot: the block at whose start it is live
	writeMark  []isa.BlockID // by slot: the block that begins to write it in firstWrite
	firstWrite []int32
}

// LiveSet is a set of slots that is cheap to clear.
type LiveSet struct {
	List      []int32
	at        []int32 // by slot: its place in the list and one more, 0 for none
	predicate []bool
	Registers int // how many are not predicates
	Ignored   []bool
	// Where lengths are wanted, at how many operations each slot was live, and since when.
	Length, Since []int
	clock         int
}

// Has reports whether a slot is live.
func (l *LiveSet) Has(s int32) bool { return l.at[s] > 0 }

func (l *LiveSet) add(s int32) {
	if l.at[s] > 0 || l.Ignored != nil && l.Ignored[s] {
		return
	}
	l.List = append(l.List, s)
	l.at[s] = int32(len(l.List))
	if !l.predicate[s] {
		l.Registers++
	}
	if l.Length != nil {
		l.Since[s] = l.clock
	}
}

// Remove makes a slot dead, and counts how long it was live where that is wanted.
func (l *LiveSet) Remove(s int32) {
	n := l.at[s]
	if n == 0 {
		return
	}
	last := l.List[len(l.List)-1]
	l.List[n-1], l.at[last] = last, n
	l.List, l.at[s] = l.List[:len(l.List)-1], 0
	if !l.predicate[s] {
		l.Registers--
	}
	if l.Length != nil {
		l.Length[s] += l.clock - l.Since[s]
	}
}

func (l *LiveSet) clear() {
	for len(l.List) > 0 {
		l.Remove(l.List[len(l.List)-1])
	}
}

// NewLiveness returns the liveness of a function's slots in a view.
func (f *Function) NewLiveness(s *Slots, v View) *Liveness {
	l := &Liveness{
		f: f, slots: s, view: v, Live: &LiveSet{at: make([]int32, s.Size), predicate: s.Predicate},
		inMark: make([]isa.BlockID, s.Size), writeMark: make([]isa.BlockID, s.Size), firstWrite: make([]int32, s.Size),
	}
	for slot := range s.Size {
		l.inMark[slot], l.writeMark[slot] = flow.NoBlock, flow.NoBlock
	}
	l.In, l.Out = f.flow().LiveBetween(l.touches())
	return l
}

// touches are, by slot, the blocks that read or write it.
func (l *Liveness) touches() [][]flow.Touch {
	bySlot, first := make([][]flow.Touch, l.slots.Size), make([]flow.Touch, l.slots.Size)
	for s := range bySlot { // most are touched in one block alone
		bySlot[s] = first[s : s : s+1]
	}
	var b *Block
	var op *Operation
	read := func(s int32) {
		t := flow.LastTouch(&bySlot[s], b.ID)
		t.Exposed = t.Exposed || !t.Killed
	}
	written := func(s int32) {
		t := flow.LastTouch(&bySlot[s], b.ID)
		t.Written = true
		t.Killed = t.Killed || op.Overwrites()
	}
	for _, b = range l.f.Blocks {
		for _, op = range b.Operations {
			l.view.Uses(l.f, l.slots, op, read)
			l.view.Definitions(l.f, l.slots, op, written)
		}
	}
	return bySlot
}

// Walk goes through a block backwards and calls at for each operation with the slots live after it.
func (l *Liveness) Walk(b *Block, at func(index int, op *Operation, liveAfter *LiveSet)) {
	live := l.Live
	live.clear()
	for _, s := range l.Out[b.ID] {
		live.add(s)
	}
	for _, s := range l.In[b.ID] {
		l.inMark[s] = b.ID
	}
	// The functions are made once for all operations: a view's own cannot be seen through, so that each takes memory.
	var n int
	var op *Operation
	firstWrite := func(s int32) {
		if l.inMark[s] != b.ID && l.writeMark[s] != b.ID {
			l.writeMark[s], l.firstWrite[s] = b.ID, int32(n)
		}
	}
	ends := func(s int32) {
		if op.Overwrites() || l.writeMark[s] == b.ID && l.firstWrite[s] == int32(n) {
			live.Remove(s)
		}
	}
	begins := func(s int32) {
		if l.inMark[s] == b.ID || l.writeMark[s] == b.ID && l.firstWrite[s] < int32(n) {
			live.add(s)
		}
	}
	for n = range b.Operations {
		l.view.Definitions(l.f, l.slots, b.Operations[n], firstWrite)
	}
	for n = len(b.Operations) - 1; n >= 0; n-- {
		op = b.Operations[n]
		at(n, op, live)
		live.clock++
		l.view.Definitions(l.f, l.slots, op, ends)
		l.view.Uses(l.f, l.slots, op, begins)
	}
	if live.Length != nil {
		live.clear()
	}
}
