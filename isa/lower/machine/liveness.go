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
	Size      int    // the highest number plus one
	words     []uint8
}

// NewSlots returns the slots of a function: one for each word of a virtual register.
func (f *Function) NewSlots() *Slots {
	s := f.slotsOfRegisters()
	total := 0
	for _, n := range s.words {
		total += int(n)
	}
	s.Owner, s.Predicate, s.Size = make([]isa.Register, total), make([]bool, total), total
	next := int32(0)
	for r, n := range s.words {
		s.First[r] = next
		for range n {
			s.Owner[next], s.Predicate[next] = isa.Register(r), f.IsPredicate(isa.Register(r))
			next++
		}
	}
	return s
}

// predicateSlots is the number of P0 in PhysicalSlots.
const predicateSlots = 1 << 8

// PhysicalSlots numbers words by their physical registers, followed by predicates: registers at one place share a slot.
func (f *Allocated) PhysicalSlots() *Slots {
	s := f.slotsOfRegisters()
	for r := range f.Registers {
		s.First[r] = int32(f.Colours[r])
		if f.IsPredicate(isa.Register(r)) {
			s.First[r] += predicateSlots
		}
	}
	s.Size = predicateSlots + PredicateColour
	return s
}

// slotsOfRegisters returns slots with the number of words of each register.
func (f *Function) slotsOfRegisters() *Slots {
	s := &Slots{First: make([]int32, len(f.Registers)), words: make([]uint8, len(f.Registers))}
	for r := range s.words {
		s.words[r] = uint8(f.Words(isa.Register(r)))
	}
	return s
}

// Count returns the number of slots.
func (s *Slots) Count() int { return len(s.Owner) }

// Words returns how many slots a virtual register has.
func (s *Slots) Words(r isa.Register) int { return int(s.words[r]) }

// Span returns the slots that r names, from first up to end (exclusive). If r is a part, it has n words.
func (s *Slots) Span(r isa.Register, n int) (first, end int32) {
	word, all := virtual.Word(r)
	r = virtual.Whole(r)
	if all {
		n = int(s.words[r])
	}
	first = s.First[r] + int32(word)
	return first, first + int32(n)
}

// Append appends the slots that r names. If r is a part, it has n words.
func (s *Slots) Append(to []int32, r isa.Register, n int) []int32 {
	for slot, end := s.Span(r, n); slot < end; slot++ {
		to = append(to, slot)
	}
	return to
}

// operand appends the slots of a register operand.
func (s *Slots) operand(to []int32, o *isa.Operand) []int32 {
	if !virtual.IsRegister(o) {
		return to
	}
	n := 1
	if _, all := virtual.Word(o.Register); !all {
		n = max(o.Type.Registers(), 1)
	}
	return s.Append(to, o.Register, n)
}

// sources appends the slots that an instruction reads.
func (s *Slots) sources(to []int32, i *isa.Instruction) []int32 {
	if i.Guard.Present {
		to = s.Append(to, i.Guard.Register, 1)
	}
	for n := range i.Src {
		to = s.operand(to, &i.Src[n])
	}
	if i.Memory != nil {
		i.Memory.Sources(func(o *isa.Operand) { to = s.operand(to, o) })
	}
	return to
}

// View is one of the two views of how operations touch registers.
//
// In the functional view the operation that carries an instruction reads all its sources and writes all its destinations: the simulated
// values need this. In the timing view each operation reads and writes the registers of the hardware's operation. Two values may share a
// register only if both views allow it.
type View struct {
	// Uses and Definitions append the slots that an operation reads and writes; a slot may appear several times.
	Uses, Definitions func(s *Slots, op *Operation, to []int32) []int32
}

// FunctionalView is the view of simulated values.
var FunctionalView = View{
	Uses: func(s *Slots, op *Operation, to []int32) []int32 {
		if op.Guard.Present {
			to = s.Append(to, op.Guard.Register, 1)
		}
		if op.Effect != nil {
			to = s.sources(to, op.Effect)
		}
		if op.Path != nil {
			to = s.sources(to, op.Path.Path.Probe)
		}
		return to
	},
	Definitions: func(s *Slots, op *Operation, to []int32) []int32 {
		if op.Effect != nil {
			for n := range op.Effect.Dst {
				to = s.operand(to, &op.Effect.Dst[n])
			}
		}
		return to
	},
}

// TimingView is the view of the hardware's operations.
var TimingView = View{
	Uses: func(s *Slots, op *Operation, to []int32) []int32 {
		if op.Guard.Present {
			to = s.Append(to, op.Guard.Register, 1)
		}
		for _, r := range op.Uses {
			to = s.Append(to, r, 1)
		}
		return to
	},
	Definitions: func(s *Slots, op *Operation, to []int32) []int32 {
		for _, r := range op.Defines {
			to = s.Append(to, r, 1)
		}
		return to
	},
}

// touched lists the slots that each operation of a function reads and writes in a view, in one allocation.
type touched struct {
	first      []int32 // by block: the index of its first operation
	operations []touchedBy
	slots      []int32
}

// touchedBy has the ends of an operation's slots: the slots that it reads, followed by the slots that it writes. They begin where the
// previous operation's end.
type touchedBy struct {
	uses, definitions int32
	overwrites        bool
}

// touched collects the slots that operations touch.
func (f *Function) touched(s *Slots, v View) touched {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Operations)
	}
	t := touched{first: make([]int32, len(f.ByID)), operations: make([]touchedBy, 1, n+1), slots: make([]int32, 0, 4*n)}
	for _, b := range f.Blocks {
		t.first[b.ID] = int32(len(t.operations))
		for _, op := range b.Operations {
			t.slots = v.Uses(s, op, t.slots)
			uses := int32(len(t.slots))
			t.slots = v.Definitions(s, op, t.slots)
			t.operations = append(t.operations, touchedBy{uses, int32(len(t.slots)), op.Overwrites()})
		}
	}
	return t
}

// of returns the slots that an operation reads and writes.
func (t *touched) of(n int32) (uses, definitions []int32, overwrites bool) {
	begin, o := t.operations[n-1].definitions, t.operations[n]
	return t.slots[begin:o.uses], t.slots[o.uses:o.definitions], o.overwrites
}

// Liveness has the live slots of one view. A slot that no path has written yet is not live.
//
// It describes the function's operations at the time of NewLiveness.
type Liveness struct {
	In, Out [][]int32 // by block: slots live at its start and end, ascending
	// State of a walk through a block.
	Live    *LiveSet
	touched touched
	marks   []slotMark // by slot
}

// slotMark is the state of a slot in the block of the walk.
type slotMark struct {
	in         isa.BlockID // a block that has it live at the start
	written    isa.BlockID // a block that first writes it at operation firstWrite
	firstWrite int32
}

// LiveSet is a set of slots that is cheap to clear.
type LiveSet struct {
	List      []int32
	at        []int32 // by slot: its index in List plus one, 0 if absent
	predicate []bool
	Registers int // how many are not predicates
}

// Has reports whether a slot is live.
func (l *LiveSet) Has(s int32) bool { return l.at[s] > 0 }

func (l *LiveSet) add(s int32) {
	if l.at[s] > 0 {
		return
	}
	l.List = append(l.List, s)
	l.at[s] = int32(len(l.List))
	if !l.predicate[s] {
		l.Registers++
	}
}

func (l *LiveSet) remove(s int32) {
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
}

func (l *LiveSet) clear() {
	for _, s := range l.List {
		l.at[s] = 0
	}
	l.List, l.Registers = l.List[:0], 0
}

// NewLiveness returns the liveness of a function's slots in a view.
func (f *Function) NewLiveness(s *Slots, v View) *Liveness {
	l := &Liveness{
		touched: f.touched(s, v), marks: make([]slotMark, s.Size), Live: &LiveSet{at: make([]int32, s.Size), predicate: s.Predicate},
	}
	for slot := range l.marks {
		l.marks[slot] = slotMark{flow.NoBlock, flow.NoBlock, 0}
	}
	touches := flow.NewTouches(s.Size)
	for _, b := range f.Blocks {
		for n := range b.Operations {
			uses, definitions, overwrites := l.touched.of(l.touched.first[b.ID] + int32(n))
			for _, slot := range uses {
				touches.Read(slot, b.ID)
			}
			for _, slot := range definitions {
				touches.Write(slot, b.ID, overwrites)
			}
		}
	}
	l.In, l.Out = f.flow().LiveBetween(touches)
	return l
}

// Uses returns the slots that an operation of a block reads.
func (l *Liveness) Uses(b *Block, n int) []int32 {
	uses, _, _ := l.touched.of(l.touched.first[b.ID] + int32(n))
	return uses
}

// Definitions returns the slots that an operation of a block writes.
func (l *Liveness) Definitions(b *Block, n int) []int32 {
	_, definitions, _ := l.touched.of(l.touched.first[b.ID] + int32(n))
	return definitions
}

// Walk goes through a block backwards and calls at for each operation with the slots live after it.
func (l *Liveness) Walk(b *Block, at func(index int, op *Operation, liveAfter *LiveSet)) {
	l.Enter(b)
	for n := len(b.Operations) - 1; n >= 0; n-- {
		at(n, b.Operations[n], l.Live)
		l.Cross(b, n)
	}
}

// Enter begins a walk at the end of a block: Live has the slots that are live there.
func (l *Liveness) Enter(b *Block) {
	l.Live.clear()
	for _, s := range l.Out[b.ID] {
		l.Live.add(s)
	}
	for _, s := range l.In[b.ID] {
		l.marks[s].in = b.ID
	}
	for n := range b.Operations {
		for _, s := range l.Definitions(b, n) {
			if m := &l.marks[s]; m.in != b.ID && m.written != b.ID {
				m.written, m.firstWrite = b.ID, int32(n)
			}
		}
	}
}

// Cross moves the walk backwards over an operation: Live then has the slots that are live before it.
func (l *Liveness) Cross(b *Block, n int) {
	uses, definitions, overwrites := l.touched.of(l.touched.first[b.ID] + int32(n))
	for _, s := range definitions {
		if m := &l.marks[s]; overwrites || m.written == b.ID && m.firstWrite == int32(n) {
			l.Live.remove(s)
		}
	}
	for _, s := range uses {
		if m := &l.marks[s]; m.in == b.ID || m.written == b.ID && m.firstWrite < int32(n) {
			l.Live.add(s)
		}
	}
}
