package lower

import (
	"cmp"
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// crowd is how many registers more than there are may be live at once before any is spilled with a look at who is live beside whom: that
// costs time for each two.
const crowd = 512

// crowdRoom is how many of the registers are left for what the operations themselves need; of predicates, half as many less one.
const crowdRoom = 6

// spillCrowd spills registers where more than limit and excess are live at once, until few enough are: at each place those whose loads and
// stores cost least for the places at which they are live. Predicates come first, since those that are spilled lie in registers.
func (f *function) spillCrowd(limit, excess int, spilled map[isa.Register]bool) error {
	if err := f.spillCrowdOf(true, predicateColour, predicateColour-crowdRoom/2+1, excess, spilled); err != nil {
		return err
	}
	return f.spillCrowdOf(false, limit, limit-crowdRoom, excess, spilled)
}

// spillCrowdOf does so for predicates or for registers, down to so many.
func (f *function) spillCrowdOf(predicates bool, limit, kept, excess int, spilled map[isa.Register]bool) error {
	s := f.newSlots()
	l := f.newLiveness(s, functionalView)
	live := func() int {
		if predicates {
			return len(l.live.list) - l.live.registers
		}
		return l.live.registers
	}
	most := 0
	l.live.length, l.live.since = make([]int, s.size), make([]int, s.size)
	for _, b := range f.blocks {
		if err := f.stopped(); err != nil {
			return err
		}
		l.walk(b, func(int, *operation, *liveSet) { most = max(most, live()) })
	}
	if most <= limit+excess {
		return nil
	}
	length := l.live.length
	l.live.length, l.live.ignored = nil, make([]bool, s.size)
	cost := f.spillCosts()
	chosen := map[isa.Register]bool{}
	choose := func() {
		var candidates []isa.Register
		for _, slot := range l.live.list {
			if r := s.owner[slot]; s.predicate[slot] == predicates && !chosen[r] && !spilled[r] && cost[r] > 0 {
				candidates = append(candidates, r)
			}
		}
		slices.SortFunc(candidates, func(a, b isa.Register) int {
			return cmp.Or(cmp.Compare(cost[a]*float64(length[s.first[b]]), cost[b]*float64(length[s.first[a]])), cmp.Compare(a, b))
		})
		for _, r := range candidates {
			if live() <= kept {
				return
			}
			chosen[r] = true
			s.visit(f, r, 1, func(slot int32) {
				l.live.remove(slot)
				l.live.ignored[slot] = true
			})
		}
	}
	for _, b := range f.blocks {
		if err := f.stopped(); err != nil {
			return err
		}
		l.walk(b, func(int, *operation, *liveSet) {
			if live() > kept {
				choose()
			}
		})
	}
	f.spillAll(slices.Sorted(maps.Keys(chosen)), spilled)
	return nil
}
