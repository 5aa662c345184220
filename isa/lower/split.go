package lower

import "github.com/keplersim/keplersim/isa"

// splitValues gives each value of a register that holds several in turn a register of its own: writes that no read brings
// together are of different values. Compilers' PTX hardly needs it, people's does: passes that look for values then see more of
// them, and neither the scheduler nor the allocation is bound to one register for all.
func splitValues(f *function) error {
	w := f.newWrites()
	if len(w.register) == 0 {
		return nil
	}
	w.findReaching()
	var reached []int32 // by read, in the order of walk
	w.walk(func(_ *isa.Register, write int32) { reached = append(reached, write) }, func(*isa.Register, int32) {})
	names := make([]isa.Register, len(w.register)) // by the root of the writes of one value
	kept := map[isa.Register]bool{}
	for n, r := range w.register {
		if w.root(int32(n)) != int32(n) {
			continue
		}
		if names[n] = r; kept[r] {
			names[n] = f.temporary(f.registers[r].Type)
		}
		kept[r] = true
	}
	next := 0
	rename := func(r *isa.Register, write int32) { *r = *r&^registerMask | names[w.root(write)] }
	w.walk(func(r *isa.Register, _ int32) {
		rename(r, reached[next])
		next++
	}, rename)
	return nil
}

// writes are the writes to registers that have several, numbered along the program. Each such register has one more, in front of
// all: what it holds when the kernel begins.
type writes struct {
	f        *function
	register []isa.Register
	of       map[isa.Register][]int32
	same     []int32 // of a write: another of the same value, itself if it is the root
	in       map[isa.BlockID]bitset
}

func (f *function) newWrites() *writes {
	count := make([]int, len(f.registers))
	for _, b := range f.blocks {
		for _, i := range b.instructions {
			f.definitions(i, func(r isa.Register, _ int) { count[whole(r)]++ })
		}
	}
	w := &writes{f: f, of: map[isa.Register][]int32{}, in: map[isa.BlockID]bitset{}}
	add := func(r isa.Register) {
		n := int32(len(w.register))
		w.register, w.same = append(w.register, r), append(w.same, n)
		w.of[r] = append(w.of[r], n)
	}
	for r, n := range count {
		if n > 1 {
			add(isa.Register(r))
		}
	}
	for _, b := range f.blocks {
		for _, i := range b.instructions {
			f.definitions(i, func(r isa.Register, _ int) {
				if r = whole(r); count[r] > 1 {
					add(r)
				}
			})
		}
	}
	return w
}

// root is the write that stands for all of a value: the first.
func (w *writes) root(n int32) int32 {
	for w.same[n] != n {
		n = w.same[n]
	}
	return n
}

func (w *writes) join(a, b int32) {
	a, b = w.root(a), w.root(b)
	w.same[max(a, b)] = min(a, b)
}

// findReaching finds the writes that reach each block's start.
func (w *writes) findReaching() {
	n := len(w.register)
	for _, b := range w.f.blocks {
		w.in[b.id] = newBitset(n)
	}
	entry := w.in[w.f.blocks[0].id]
	for _, list := range w.of {
		entry.add(list[0])
	}
	state := newBitset(n)
	for changed := true; changed; {
		changed = false
		w.through(state, nil, func(b *block) {
			for _, next := range b.successors {
				changed = w.in[next].union(state) || changed
			}
		})
	}
}

// walk calls read for every read of a register that has several writes, with one that reaches it, and write for every write.
// Writes that reach one read become one value, and so do those that leave some of a register as it was with what they leave.
func (w *writes) walk(read, write func(r *isa.Register, n int32)) {
	w.through(newBitset(len(w.register)), &accesses{read, write}, func(*block) {})
}

type accesses struct {
	read, write func(r *isa.Register, n int32)
}

// through goes along the program with the writes that reach each place in state, and calls end at each block's end.
func (w *writes) through(state bitset, visit *accesses, end func(b *block)) {
	reaching := func(r isa.Register) int32 {
		one := int32(-1)
		for _, n := range w.of[whole(r)] {
			if !state.has(n) {
				continue
			}
			if one >= 0 {
				w.join(one, n)
			}
			one = n
		}
		return one
	}
	read := func(r *isa.Register) {
		if visit == nil || w.of[whole(*r)] == nil {
			return
		}
		if n := reaching(*r); n >= 0 {
			visit.read(r, n)
		}
	}
	next := int32(len(w.of))
	for _, b := range w.f.blocks {
		state.copyFrom(w.in[b.id])
		for _, i := range b.instructions {
			if i.Guard.Present {
				read(&i.Guard.Register)
			}
			i.Sources(func(o *isa.Operand) {
				if register(o) {
					read(&o.Register)
				}
			})
			i.Destinations(func(o *isa.Operand) {
				if !register(o) || w.of[whole(o.Register)] == nil {
					return
				}
				n := next
				next++
				if _, all := word(o.Register); i.Guard.Present || !all {
					if visit != nil {
						w.join(reaching(o.Register), n)
					}
				} else {
					for _, other := range w.of[o.Register] {
						state.remove(other)
					}
				}
				state.add(n)
				if visit != nil {
					visit.write(&o.Register, n)
				}
			})
		}
		end(b)
	}
}
