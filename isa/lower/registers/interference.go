package registers

import (
	"slices"

	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// interference returns the pairs of slots that are live at once in either view, and so need different registers. Registers and predicates
// are separate files.
func (f *allocator) interference() (*adjacency, error) {
	x := &liveBeside{predicate: f.slots.Predicate, seen: make([]int32, f.slots.Count()), found: newPairs(f.slots.Count())}
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return nil, err
		}
		f.functional.Enter(b)
		f.timing.Enter(b)
		for n := len(b.Operations) - 1; n >= 0; n-- {
			to, from, copies := f.Copied(f.slots, b.Operations[n])
			values, registers := f.functional.Definitions(b, n), f.timing.Definitions(b, n)
			most := len(f.functional.Live.List) + len(f.timing.Live.List) + len(values) + len(registers)
			begin := func(d int32) {
				x.begin(d, most)
				if copies && d == to {
					x.seen[from] = x.row // both hold the same value
				}
			}
			for k, d := range values {
				begin(d)
				x.add(f.functional.Live.List, values[:k])
				if k := slices.Index(registers, d); k >= 0 {
					x.add(f.timing.Live.List, registers[:k])
				}
				x.found.end()
			}
			for k, d := range registers {
				if !slices.Contains(values, d) {
					begin(d)
					x.add(f.timing.Live.List, registers[:k])
					x.found.end()
				}
			}
			f.functional.Cross(b, n)
			f.timing.Cross(b, n)
		}
	}
	return x.found.adjacency(), nil
}

// liveBeside collects, row by row, what is live where a slot is written.
type liveBeside struct {
	found     *pairs
	predicate []bool // by slot
	seen      []int32
	row       int32 // the row's number; seen has it for slots in the row, and for slots to leave out
	file      bool  // the row's file: predicates or registers
}

func (x *liveBeside) begin(slot int32, most int) {
	x.row++
	x.seen[slot], x.file = x.row, x.predicate[slot]
	x.found.begin(slot, most)
}

// add adds the slots that are in the row's file.
func (x *liveBeside) add(lists ...[]int32) {
	for _, list := range lists {
		for _, other := range list {
			if x.seen[other] != x.row && x.predicate[other] == x.file {
				x.seen[other] = x.row
				x.found.add(other)
			}
		}
	}
}

// reuseDelay is a rule that keeps a register unused for some operations after its value's last use, if registers up to top suffice. An
// operation that overwrites a register which a load in flight reads or writes would wait for the load.
type reuseDelay struct {
	operations int
	far        bool // only after a last use by an access to device memory
	top        int
	slots      *adjacency // pairs of slots that should not have the same register
}

// Chosen together with the scheduler's figures, so that register counts match those of compilers.
const (
	nearOperations = 2
	nearTop        = 20 // well below the 32 registers of full occupancy
	farOperations  = 16
	farTop         = 26 // the count of ptxas for four loads and four stores at separate addresses
)

// reuseDelays returns the rules in the order in which they are given up; each includes the later ones. ptxas for sm_70 and later leaves
// only registers of addresses unused.
func (f *allocator) reuseDelays() []reuseDelay {
	near := reuseDelay{operations: nearOperations, top: nearTop}
	far := reuseDelay{operations: farOperations, far: true, top: farTop}
	switch {
	case f.Options.Free() == 0:
		near.slots = f.recentUses(near)
		return []reuseDelay{near}
	case f.Options.ReservedRegisters > 0:
		far.slots = f.recentUses(far)
		return []reuseDelay{far}
	}
	near.slots, far.slots = f.recentUses(near, far), f.recentUses(far)
	return []reuseDelay{near, far}
}

// recentUses finds, for each slot, the slots with a last use at most rule.operations before its write, for any of the rules.
func (f *allocator) recentUses(rules ...reuseDelay) *adjacency {
	s, l := f.slots, f.timing
	found := newPairs(s.Count())
	var ended []int32 // slots by their last use, from the block's last operation to the first
	var from []int32  // by operation: where its slots end in ended; they begin at the next operation's end
	for _, b := range f.Blocks {
		ended, from = ended[:0], slices.Grow(from[:0], len(b.Operations)+1)[:len(b.Operations)+1]
		from[len(b.Operations)] = 0
		l.Walk(b, func(n int, op *machine.Operation, live *machine.LiveSet) {
			for _, slot := range l.Uses(b, n) {
				if !live.Has(slot) && !s.Predicate[slot] {
					ended = append(ended, slot)
				}
			}
			from[n] = int32(len(ended))
		})
		for n := range b.Operations {
			for _, d := range l.Definitions(b, n) {
				if s.Predicate[d] {
					continue
				}
				for _, rule := range rules {
					first := max(0, n-rule.operations)
					found.begin(d, int(from[first]-from[n+1]))
					for k := first; k <= n; k++ {
						if rule.far && !target.FarClass[b.Operations[k].Class] {
							continue
						}
						for _, other := range ended[from[k+1]:from[k]] {
							if other != d {
								found.add(other)
							}
						}
					}
					found.end()
				}
			}
		}
	}
	return found.adjacency()
}
