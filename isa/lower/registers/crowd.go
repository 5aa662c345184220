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
	if err := f.spillCrowdOf(true, machine.PredicateColour, machine.PredicateColour-crowdRoom/2+1, excess, spilled); err != nil {
		return err
	}
	return f.spillCrowdOf(false, limit, limit-crowdRoom, excess, spilled)
}

// spillCrowdOf does so for predicates or for registers, down to so many.
func (f *allocator) spillCrowdOf(predicates bool, limit, kept, excess int, spilled map[isa.Register]bool) error {
	s := f.NewSlots()
	l := f.NewLiveness(s, machine.FunctionalView)
	live := func() int {
		if predicates {
			return len(l.Live.List) - l.Live.Registers
		}
		return l.Live.Registers
	}
	most := 0
	l.Live.Length, l.Live.Since = make([]int, s.Size), make([]int, s.Size)
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return err
		}
		l.Walk(b, func(int, *machine.Operation, *machine.LiveSet) { most = max(most, live()) })
	}
	if most <= limit+excess {
		return nil
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
			s.Visit(f.Function, r, 1, func(slot int32) {
				l.Live.Remove(slot)
				l.Live.Ignored[slot] = true
			})
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
	f.spillAll(slices.Sorted(maps.Keys(chosen)), spilled)
	return nil
}
