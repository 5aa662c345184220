package lower

import "github.com/keplersim/keplersim/isa"

// slots numbers the 32-bit words of all virtual registers, and the predicates, from 0.
type slots struct {
	first []int32 // by virtual register
	owner []isa.Register
}

func (f *function) newSlots() *slots {
	s := &slots{first: make([]int32, len(f.registers))}
	for r := range f.registers {
		s.first[r] = int32(len(s.owner))
		for range f.words(isa.Register(r)) {
			s.owner = append(s.owner, isa.Register(r))
		}
	}
	return s
}

// physicalSlots numbers words by their physical registers, and predicates behind those: registers that share a place share slots.
func (f *function) physicalSlots() *slots {
	s := &slots{first: make([]int32, len(f.registers))}
	for r := range f.registers {
		s.first[r] = int32(f.colours[r])
		if f.predicate(isa.Register(r)) {
			s.first[r] += 1 << 8
		}
	}
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

// liveness is which slots are live where, in one view.
type liveness struct {
	f     *function
	slots *slots
	view  view
	// in, out by block: slots live at its start and end. definedIn: slots that some path to the block has written.
	in, out, definedIn map[isa.BlockID]bitset
}

func (f *function) newLiveness(s *slots, v view) *liveness {
	l := &liveness{f: f, slots: s, view: v, in: map[isa.BlockID]bitset{}, out: map[isa.BlockID]bitset{}, definedIn: map[isa.BlockID]bitset{}}
	n := s.count()
	generated, killed, written := map[isa.BlockID]bitset{}, map[isa.BlockID]bitset{}, map[isa.BlockID]bitset{}
	for _, b := range f.blocks {
		g, k, w := newBitset(n), newBitset(n), newBitset(n)
		for _, op := range b.operations {
			v.uses(f, s, op, func(slot int32) {
				if !k.has(slot) {
					g.add(slot)
				}
			})
			v.definitions(f, s, op, func(slot int32) {
				w.add(slot)
				if op.overwrites() {
					k.add(slot)
				}
			})
		}
		generated[b.id], killed[b.id], written[b.id] = g, k, w
		l.in[b.id], l.out[b.id], l.definedIn[b.id] = newBitset(n), newBitset(n), newBitset(n)
	}
	scratch := newBitset(n)
	for changed := true; changed; {
		changed = false
		for k := len(f.blocks) - 1; k >= 0; k-- {
			b := f.blocks[k]
			for _, next := range b.successors {
				l.out[b.id].union(l.in[next])
			}
			for w := range scratch {
				scratch[w] = l.out[b.id][w]&^killed[b.id][w] | generated[b.id][w]
			}
			changed = l.in[b.id].union(scratch) || changed
		}
	}
	definedOut := map[isa.BlockID]bitset{}
	for _, b := range f.blocks {
		definedOut[b.id] = newBitset(n)
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.blocks {
			for _, before := range b.predecessors {
				l.definedIn[b.id].union(definedOut[before])
			}
			scratch.copyFrom(l.definedIn[b.id])
			scratch.union(written[b.id])
			changed = definedOut[b.id].union(scratch) || changed
		}
	}
	for _, b := range f.blocks {
		l.in[b.id].intersect(l.definedIn[b.id])
		l.out[b.id].intersect(definedOut[b.id])
	}
	return l
}

// walk goes through a block backwards and calls at for each operation with the slots live after it.
func (l *liveness) walk(b *block, at func(index int, op *operation, liveAfter bitset)) {
	live := newBitset(l.slots.count())
	live.copyFrom(l.out[b.id])
	firstWrite := map[int32]int{}
	for n, op := range b.operations {
		l.view.definitions(l.f, l.slots, op, func(s int32) {
			if _, seen := firstWrite[s]; !seen && !l.definedIn[b.id].has(s) {
				firstWrite[s] = n
			}
		})
	}
	for n := len(b.operations) - 1; n >= 0; n-- {
		op := b.operations[n]
		at(n, op, live)
		l.view.definitions(l.f, l.slots, op, func(s int32) {
			if first, mine := firstWrite[s]; op.overwrites() || mine && first == n {
				live.remove(s)
			}
		})
		l.view.uses(l.f, l.slots, op, func(s int32) {
			if first, mine := firstWrite[s]; l.definedIn[b.id].has(s) || mine && first < n {
				live.add(s)
			}
		})
	}
}
