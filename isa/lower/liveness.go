package lower

import "github.com/keplersim/keplersim/isa"

// slots numbers the 32-bit words of all virtual registers, and the predicates, from 0.
type slots struct {
	first     []int32 // by virtual register
	owner     []isa.Register
	predicate []bool // by slot
	size      int    // one more than the highest number
	room      *room  // for addEdges
}

func (f *function) newSlots() *slots {
	s := &slots{first: make([]int32, len(f.registers))}
	for r := range f.registers {
		s.first[r] = int32(len(s.owner))
		for range f.words(isa.Register(r)) {
			s.owner = append(s.owner, isa.Register(r))
			s.predicate = append(s.predicate, f.predicate(isa.Register(r)))
		}
	}
	s.size = len(s.owner)
	return s
}

// predicateSlots is the number from which physical predicates stand behind the registers.
const predicateSlots = 1 << 8

// physicalSlots numbers words by their physical registers, and predicates behind those: registers that share a place share slots.
func (f *function) physicalSlots() *slots {
	s := &slots{first: make([]int32, len(f.registers))}
	for r := range f.registers {
		s.first[r] = int32(f.colours[r])
		if f.predicate(isa.Register(r)) {
			s.first[r] += predicateSlots
		}
	}
	s.size = predicateSlots + predicateColour
	return s
}

func (s *slots) count() int { return len(s.owner) }

// visit calls visit for each slot that r names, n words of it when it is a part.
func (s *slots) visit(f *function, r isa.Register, n int, visit func(int32)) {
	first, all := word(r)
	if all {
		n = f.words(r)
	}
	for k := range n {
		visit(s.first[whole(r)] + int32(first+k))
	}
}

// view is one of the two ways in which operations touch registers.
//
// In the functional view an instruction reads all its sources and writes all its destinations at its carrier: what the
// simulated values need. In the timing view each operation reads and writes the registers of the hardware's operation.
// Two values may share a register only if both views allow it.
type view struct {
	uses, definitions func(f *function, s *slots, op *operation, visit func(int32))
}

var functionalView = view{
	uses: func(f *function, s *slots, op *operation, visit func(int32)) {
		if op.Guard.Present {
			s.visit(f, op.Guard.Register, 1, visit)
		}
		if op.Effect != nil {
			f.uses(op.Effect, func(r isa.Register, n int) { s.visit(f, r, n, visit) })
		}
		if op.slow != nil {
			f.uses(op.slow.path.Probe, func(r isa.Register, n int) { s.visit(f, r, n, visit) })
		}
	},
	definitions: func(f *function, s *slots, op *operation, visit func(int32)) {
		if op.Effect != nil {
			f.definitions(op.Effect, func(r isa.Register, n int) { s.visit(f, r, n, visit) })
		}
	},
}

var timingView = view{
	uses: func(f *function, s *slots, op *operation, visit func(int32)) {
		if op.Guard.Present {
			s.visit(f, op.Guard.Register, 1, visit)
		}
		for _, r := range op.reads {
			s.visit(f, r, 1, visit)
		}
	},
	definitions: func(f *function, s *slots, op *operation, visit func(int32)) {
		for _, r := range op.writes {
			s.visit(f, r, 1, visit)
		}
	},
}

// liveness is which slots are live where, in one view. A slot that no path has written yet holds nothing, and is not live there.
type liveness struct {
	f       *function
	slots   *slots
	view    view
	in, out [][]int32 // by block: slots live at its start and end, rising
	// While a block is walked.
	live       *liveSet
	inMark     []isa.BlockID // by slot: the block at whose start it is live
	writeMark  []isa.BlockID // by slot: the block that begins to write it in firstWrite
	firstWrite []int32
}

// liveSet is a set of slots that is cheap to clear.
type liveSet struct {
	list      []int32
	at        []int32 // by slot: its place in the list and one more, 0 for none
	predicate []bool
	registers int // how many are not predicates
	ignored   []bool
	// Where lengths are wanted, at how many operations each slot was live, and since when.
	length, since []int
	clock         int
}

func (l *liveSet) has(s int32) bool { return l.at[s] > 0 }

func (l *liveSet) add(s int32) {
	if l.at[s] > 0 || l.ignored != nil && l.ignored[s] {
		return
	}
	l.list = append(l.list, s)
	l.at[s] = int32(len(l.list))
	if !l.predicate[s] {
		l.registers++
	}
	if l.length != nil {
		l.since[s] = l.clock
	}
}

func (l *liveSet) remove(s int32) {
	n := l.at[s]
	if n == 0 {
		return
	}
	last := l.list[len(l.list)-1]
	l.list[n-1], l.at[last] = last, n
	l.list, l.at[s] = l.list[:len(l.list)-1], 0
	if !l.predicate[s] {
		l.registers--
	}
	if l.length != nil {
		l.length[s] += l.clock - l.since[s]
	}
}

func (l *liveSet) clear() {
	for len(l.list) > 0 {
		l.remove(l.list[len(l.list)-1])
	}
}

// touch is what a block does with a slot.
type touch struct {
	block   isa.BlockID
	exposed bool // it reads what the slot holds at the block's start
	killed  bool // it leaves nothing of that
	written bool
}

func (f *function) newLiveness(s *slots, v view) *liveness {
	l := &liveness{
		f: f, slots: s, view: v, live: &liveSet{at: make([]int32, s.size), predicate: s.predicate},
		inMark: make([]isa.BlockID, s.size), writeMark: make([]isa.BlockID, s.size), firstWrite: make([]int32, s.size),
	}
	for slot := range s.size {
		l.inMark[slot], l.writeMark[slot] = noBlock, noBlock
	}
	l.in, l.out = f.liveBetween(l.touches())
	return l
}

// liveBetween finds what is live at blocks' starts and ends, by block, of what blocks do with each slot.
func (f *function) liveBetween(touches [][]touch) (in, out [][]int32) {
	n := len(f.byID)
	q := &liveSearch{
		f: f, in: make([][]int32, n), out: make([][]int32, n), killed: make([]int32, n), written: make([]int32, n),
		liveIn: make([]int32, n), liveOut: make([]int32, n), definedIn: make([]int32, n),
	}
	for slot, list := range touches {
		q.slot(int32(slot), list)
	}
	return q.in, q.out
}

// lastTouch is a block's entry in a list of what blocks do with a slot, the last one.
func lastTouch(list *[]touch, b isa.BlockID) *touch {
	if n := len(*list); n == 0 || (*list)[n-1].block != b {
		*list = append(*list, touch{block: b})
	}
	return &(*list)[len(*list)-1]
}

// touches are, by slot, the blocks that read or write it.
func (l *liveness) touches() [][]touch {
	bySlot := make([][]touch, l.slots.size)
	for _, b := range l.f.blocks {
		of := func(s int32) *touch { return lastTouch(&bySlot[s], b.id) }
		for _, op := range b.operations {
			l.view.uses(l.f, l.slots, op, func(s int32) {
				t := of(s)
				t.exposed = t.exposed || !t.killed
			})
			l.view.definitions(l.f, l.slots, op, func(s int32) {
				t := of(s)
				t.written = true
				t.killed = t.killed || op.overwrites()
			})
		}
	}
	return bySlot
}

// liveSearch follows one slot after the other back from where it is read, and forward from where it is written. Marks by block are the
// slot's number and one more.
type liveSearch struct {
	f                                           *function
	in, out                                     [][]int32
	killed, written, liveIn, liveOut, definedIn []int32
	starts, ends, work                          []isa.BlockID
}

func (q *liveSearch) slot(slot int32, list []touch) {
	mark := slot + 1
	q.starts, q.ends, q.work = q.starts[:0], q.ends[:0], q.work[:0]
	for _, t := range list {
		if t.exposed {
			q.liveIn[t.block] = mark
			q.starts = append(q.starts, t.block)
		}
	}
	if len(q.starts) == 0 {
		return
	}
	for _, t := range list {
		if t.killed {
			q.killed[t.block] = mark
		}
		if t.written {
			q.written[t.block] = mark
		}
	}
	f := q.f
	for n := 0; n < len(q.starts); n++ {
		for _, p := range f.byID[q.starts[n]].predecessors {
			if q.liveOut[p] != mark {
				q.liveOut[p] = mark
				q.ends = append(q.ends, p)
			}
			if q.killed[p] != mark && q.liveIn[p] != mark {
				q.liveIn[p] = mark
				q.starts = append(q.starts, p)
			}
		}
	}
	define := func(b isa.BlockID) {
		for _, s := range f.byID[b].successors {
			if q.liveIn[s] == mark && q.definedIn[s] != mark {
				q.definedIn[s] = mark
				q.work = append(q.work, s)
			}
		}
	}
	for _, t := range list {
		if t.written {
			define(t.block)
		}
	}
	for n := 0; n < len(q.work); n++ {
		define(q.work[n])
	}
	for _, b := range q.starts {
		if q.definedIn[b] == mark {
			q.in[b] = append(q.in[b], slot)
		}
	}
	for _, b := range q.ends {
		if q.definedIn[b] == mark || q.written[b] == mark {
			q.out[b] = append(q.out[b], slot)
		}
	}
}

// walk goes through a block backwards and calls at for each operation with the slots live after it.
func (l *liveness) walk(b *block, at func(index int, op *operation, liveAfter *liveSet)) {
	live := l.live
	live.clear()
	for _, s := range l.out[b.id] {
		live.add(s)
	}
	for _, s := range l.in[b.id] {
		l.inMark[s] = b.id
	}
	for n, op := range b.operations {
		l.view.definitions(l.f, l.slots, op, func(s int32) {
			if l.inMark[s] != b.id && l.writeMark[s] != b.id {
				l.writeMark[s], l.firstWrite[s] = b.id, int32(n)
			}
		})
	}
	for n := len(b.operations) - 1; n >= 0; n-- {
		op := b.operations[n]
		at(n, op, live)
		live.clock++
		l.view.definitions(l.f, l.slots, op, func(s int32) {
			if op.overwrites() || l.writeMark[s] == b.id && l.firstWrite[s] == int32(n) {
				live.remove(s)
			}
		})
		l.view.uses(l.f, l.slots, op, func(s int32) {
			if l.inMark[s] == b.id || l.writeMark[s] == b.id && l.firstWrite[s] < int32(n) {
				live.add(s)
			}
		})
	}
	if live.length != nil {
		live.clear()
	}
}
