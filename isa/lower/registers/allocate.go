package registers

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// patientRounds is after how many rounds, each of which colours the whole function, capacities fall faster.
const patientRounds = 8

// Allocate gives every virtual register a physical one, and spills what finds no place.
//
// It ends: each round lowers the capacity somewhere, and where none is left it gives up.
func Allocate(function *machine.Function) (*machine.Allocated, error) {
	f := &allocator{Function: function}
	colours, err := f.allocate()
	if err != nil {
		return nil, err
	}
	return &machine.Allocated{Function: function, Colours: colours, Spills: f.spills}, nil
}

// allocator gives the virtual registers of a function physical ones.
type allocator struct {
	*machine.Function
	spills machine.Spills
	// Of the operations as they are now.
	slots              *machine.Slots
	functional, timing *machine.Liveness
}

// changed forgets what is known of the operations.
func (f *allocator) changed() { f.slots, f.functional, f.timing = nil, nil, nil }

// look finds what is live where, unless nothing has changed since it was found.
func (f *allocator) look() {
	if f.slots == nil {
		f.slots = f.NewSlots()
		f.functional, f.timing = f.NewLiveness(f.slots, machine.FunctionalView), f.NewLiveness(f.slots, machine.TimingView)
	}
}

func (f *allocator) allocate() ([]isa.Register, error) {
	limit := f.Options.RegisterLimit(f.Kernel.Limits)
	s := spilling{f: f, limit: limit}
	if err := s.crowded(); err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		if err := f.Stopped(); err != nil {
			return nil, err
		}
		f.look()
		c, err := f.newClasses()
		if err != nil {
			return nil, err
		}
		c.coalesce(round > patientRounds)
		colours, failed := c.colour(limit)
		if len(failed) == 0 {
			c.settle(colours, limit)
			return colours.registers, nil
		}
		if again, err := s.more(c, failed, 1+round/patientRounds); again || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		// What finds no place at last may share one, if only timing touches it.
		if colours, ok := c.squeeze(limit); ok {
			return colours.registers, nil
		}
		return nil, f.ErrorAt(f.Kernel.Line, "the kernel needs more than %d registers at once: allow more (--maxrregcount, .maxnreg)",
			limit)
	}
}

// spilling has the spillers of both files: that of predicates, whose places are registers, is done before that of registers begins.
type spilling struct {
	f                     *allocator
	limit                 int
	predicates, registers *spiller
	settled               bool // no more predicates can be spilled
}

// crowded spills what cannot find a place, as more is live at once than there are registers.
func (s *spilling) crowded() error {
	_, predicates := s.f.mostLive()
	if predicates > machine.PredicateColour {
		if err := s.begin(true); err != nil {
			return err
		}
	}
	if registers, _ := s.f.mostLive(); registers >= s.limit {
		return s.begin(false)
	}
	return nil
}

// begin spills down to what there is.
func (s *spilling) begin(predicates bool) error {
	if predicates {
		s.predicates = s.f.newSpiller(true, machine.PredicateColour)
		return s.predicates.decide()
	}
	s.registers = s.f.newSpiller(false, s.limit-1) // R1 is the stack pointer
	return s.registers.decide()
}

// more spills more where classes found no place. It reports false where all is spilled that can be.
func (s *spilling) more(c *classes, failed []*class, by int) (bool, error) {
	predicates := slices.ContainsFunc(failed, func(k *class) bool { return k.predicate })
	if predicates && !s.settled {
		switch {
		case s.registers != nil:
			s.registers.undo()
			s.registers = nil
			return true, nil
		case s.predicates == nil:
			return true, s.begin(true)
		case s.predicates.tighten(c, failed, by):
			s.predicates.undo()
			return true, s.predicates.decide()
		}
		s.settled = true // those that are left are an operation's own
	}
	switch {
	case !slices.ContainsFunc(failed, func(k *class) bool { return !k.predicate }):
		return false, nil
	case s.registers == nil:
		return true, s.begin(false)
	case s.registers.tighten(c, failed, by):
		s.registers.undo()
		return true, s.registers.decide()
	}
	return false, nil
}

// mostLive returns how many registers and predicates are live at once where most are.
func (f *allocator) mostLive() (registers, predicates int) {
	f.look()
	for _, b := range f.Blocks {
		f.functional.Walk(b, func(_ int, _ *machine.Operation, live *machine.LiveSet) {
			registers, predicates = max(registers, live.Registers), max(predicates, len(live.List)-live.Registers)
		})
	}
	return registers, predicates
}

// squeeze colours what holds values first, and lets registers that only timing touches, as those inside a division, share a place with
// others if they find none: no value can be lost there. It is the last way out under a small cap; not ok says that it fails too.
func (c *classes) squeeze(limit int) (colours *colouring, ok bool) {
	valued := c.f.valued()
	holds := func(k *class) bool {
		return slices.ContainsFunc(k.members, func(m member) bool { return valued[m.register] })
	}
	for _, order := range orders {
		slices.SortStableFunc(c.list, func(a, b *class) int {
			if h := holds(a); h != holds(b) {
				if h {
					return -1
				}
				return 1
			}
			return order(a, b)
		})
		colours, _, failed := c.colourInOrder(limit)
		if slices.ContainsFunc(failed, holds) {
			continue
		}
		for _, k := range failed {
			colours.put(k, c.leastShared(k, colours, limit))
		}
		return colours, true
	}
	return nil, false
}

// leastShared returns the place at which the fewest registers of the class's neighbours lie.
func (c *classes) leastShared(k *class, colours *colouring, limit int) int {
	if k.predicate {
		limit = machine.PredicateColour
	}
	shared := make([]int, limit+k.width)
	for _, m := range k.members {
		for w := range c.slots.Words(m.register) {
			for _, slot := range c.graph.of(c.slots.First[m.register] + int32(w)) {
				if at := int(colours.slots[slot].at); at >= 0 && at < limit {
					shared[at/k.width*k.width]++
				}
			}
		}
	}
	best := -1
	for base := 0; base+k.width <= limit; base += k.width {
		if (k.predicate || base > machine.StackPointer || base+k.width <= machine.StackPointer) &&
			(best < 0 || shared[base] < shared[best]) {
			best = base
		}
	}
	return best
}

// orders are the orders in which classes are coloured; the one that needs the fewest registers wins. Along the program
// is optimal for 32-bit values of straight code; wide ones first leaves no gaps beside pairs.
var orders = []func(a, b *class) int{
	func(a, b *class) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.width, a.width))
	},
	func(a, b *class) int {
		return cmp.Or(cmp.Compare(b.width, a.width), cmp.Compare(a.start, b.start))
	},
}

// colour gives each class its first register, at most limit registers in all. It returns the registers by virtual
// register and the classes that found none.
func (c *classes) colour(limit int) (colours *colouring, failed []*class) {
	best := 1 << 30
	tried := orders
	if c.f.Options.Room() > 0 {
		tried = orders[:1] // the registers that wide ones first would save are for banks
	}
	for _, order := range tried {
		slices.SortStableFunc(c.list, order)
		candidate, used, without := c.colourInOrder(limit)
		if score := used + 1000*len(without); score < best {
			best, colours, failed = score, candidate, without
		}
	}
	return colours, failed
}

func (c *classes) colourInOrder(limit int) (colours *colouring, used int, failed []*class) {
	colours = c.newColouring()
	taken, resting := bitset.New(limit+8), bitset.New(limit+8)
	for _, k := range c.list {
		top := limit
		if k.predicate {
			top = machine.PredicateColour
		}
		c.mark(k, c.graph, colours, taken, limit)
		base := -1
		resting.CopyFrom(taken)
		for n := 0; n < len(c.rests) && base < 0; n++ {
			c.mark(k, c.rests[n].slots, colours, resting, limit)
			resting.Union(taken)
			base = c.firstFree(k, resting, min(top, c.rests[n].top))
		}
		if base < 0 {
			base = c.firstFree(k, taken, top)
		}
		if base >= 0 && !k.predicate {
			base = c.calmest(k, resting, base, max(used, base+k.width, min(c.f.Options.Room(), limit)), colours)
		}
		if base < 0 {
			failed = append(failed, k)
			continue
		}
		colours.put(k, base)
		if !k.predicate {
			used = max(used, base+k.width)
		}
	}
	return colours, used, failed
}

// mark sets the registers at which the class cannot begin because of slots that are neighbours of its own.
func (c *classes) mark(k *class, neighbours *adjacency, colours *colouring, taken bitset.Set, limit int) {
	clear(taken)
	for _, m := range k.members {
		for w := range c.slots.Words(m.register) {
			for _, other := range neighbours.of(c.slots.First[m.register] + int32(w)) {
				at := colours.slots[other].at
				if base := at - m.offset - int32(w); at >= 0 && base >= 0 && base < int32(limit) {
					taken.Add(base)
				}
			}
		}
	}
}

// firstFree returns the lowest register where the class fits, -1 for none.
func (c *classes) firstFree(k *class, taken bitset.Set, top int) int {
	for base := 0; base+k.width <= top; base += k.width {
		if taken.Has(int32(base)) || !k.predicate && base <= machine.StackPointer && machine.StackPointer < base+k.width {
			continue
		}
		return base
	}
	return -1
}

// valued says, by register, which hold values: timing alone touches the others.
func (f *allocator) valued() []bool {
	valued := make([]bool, len(f.Registers))
	for _, b := range f.Blocks {
		for n := range b.Operations {
			for _, list := range [2][]int32{f.functional.Uses(b, n), f.functional.Definitions(b, n)} {
				for _, slot := range list {
					valued[f.slots.Owner[slot]] = true
				}
			}
		}
	}
	return valued
}
