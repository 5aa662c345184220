package registers

import (
	"cmp"
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// crowd is how many registers more than there are may be live at once before any is spilled with a look at who is live beside whom: that
// costs time for each two.
const crowd = 512

// crowdRoom is how many of the registers are left for what the operations themselves need; of predicates, half as many less one.
const crowdRoom = 6

// spillCrowd spills registers where more than limit and excess are live at once, until few enough are: at each place those whose loads and
// stores cost least for the places at which they are live. Predicates come first, since those that are spilled lie in registers.
func (f *allocator) spillCrowd(limit, excess int, spilled map[isa.Register]bool) error {
	_, predicates, err := f.mostLive()
	if err != nil {
		return err
	}
	if predicates > machine.PredicateColour+excess {
		if err := f.spillCrowdOf(true, machine.PredicateColour-crowdRoom/2+1, spilled); err != nil {
			return err
		}
	}
	registers, _, err := f.mostLive()
	if err != nil || registers <= limit+excess {
		return err
	}
	return f.spillCrowdOf(false, limit-crowdRoom, spilled)
}

// mostLive returns how many registers and predicates are live at once where most are.
func (f *allocator) mostLive() (registers, predicates int, err error) {
	f.look()
	if f.most != nil {
		return f.most.registers, f.most.predicates, nil
	}
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return 0, 0, err
		}
		f.functional.Walk(b, func(_ int, _ *machine.Operation, live *machine.LiveSet) {
			registers, predicates = max(registers, live.Registers), max(predicates, len(live.List)-live.Registers)
		})
	}
	f.most = &mostLive{registers, predicates}
	return registers, predicates, nil
}

// mostLive is how many registers and predicates are live at once where most are.
type mostLive struct{ registers, predicates int }

// spillCrowdOf does so for predicates or for registers, down to so many.
func (f *allocator) spillCrowdOf(predicates bool, kept int, spilled map[isa.Register]bool) error {
	f.look()
	s, l := f.slots, f.functional
	live := func() int {
		if predicates {
			return len(l.Live.List) - l.Live.Registers
		}
		return l.Live.Registers
	}
	l.Live.Measure()
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return err
		}
		l.Walk(b, func(int, *machine.Operation, *machine.LiveSet) {}) // which measures
	}
	length := l.Live.Length
	l.Live.Length, l.Live.Ignored = nil, make([]bool, s.Size)
	cost := f.spillCosts()
	chosen := map[isa.Register]bool{}
	choose := func() {
		var candidates []isa.Register
		for _, slot := range l.Live.List {
			if r := s.Owner[slot]; s.Predicate[slot] == predicates && !chosen[r] && !spilled[r] && cost[r] > 0 {
				candidates = append(candidates, r)
			}
		}
		slices.SortFunc(candidates, func(a, b isa.Register) int {
			return cmp.Or(cmp.Compare(cost[a]*float64(length[s.First[b]]), cost[b]*float64(length[s.First[a]])), cmp.Compare(a, b))
		})
		for _, r := range candidates {
			if live() <= kept {
				return
			}
			chosen[r] = true
			for slot, end := s.Span(r, 1); slot < end; slot++ {
				l.Live.Remove(slot)
				l.Live.Ignored[slot] = true
			}
		}
	}
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return err
		}
		l.Walk(b, func(int, *machine.Operation, *machine.LiveSet) {
			if live() > kept {
				choose()
			}
		})
	}
	l.Live.Ignored = nil
	f.spillAll(slices.Sorted(maps.Keys(chosen)), spilled)
	return nil
}
