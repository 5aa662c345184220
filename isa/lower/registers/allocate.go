package registers

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// patientRounds: each round colours the whole function. After this many, classes that find no place are split; after twice as many,
// capacities fall faster.
const patientRounds = 8

// Allocate gives every virtual register a physical one, and spills values that find none.
//
// It terminates: each round lowers a capacity somewhere or splits a class. When none can fall further, it tries a lower limit, and at last
// returns an error.
func Allocate(function *machine.Function) (*machine.Allocated, error) {
	f := &allocator{Function: function}
	limit := f.Options.RegisterLimit(f.Kernel.Limits)
	for lower := range lowerLimits {
		colours, found, err := f.allocate(limit - lower)
		if found || err != nil {
			return &machine.Allocated{Function: function, Colours: colours, Spills: f.spills}, err
		}
	}
	return nil, f.ErrorAt(f.Kernel.Line, "the kernel needs more than %d registers at once: allow more (--maxrregcount, .maxnreg)", limit)
}

// lowerLimits are how many limits are tried. Rarely the spiller's choices under a limit leave a pair without a place, and those under a
// lower one do not.
const lowerLimits = 4

// allocator gives a function's virtual registers physical ones.
type allocator struct {
	*machine.Function
	spills machine.Spills
	apart  map[*machine.Operation]bool // moves that are not coalesced
	// For the present operations; nil after a change.
	slots              *machine.Slots
	functional, timing *machine.Liveness
}

// forgetLiveness discards the analyses of the operations.
func (f *allocator) forgetLiveness() { f.slots, f.functional, f.timing = nil, nil, nil }

// ensureLiveness computes the slots and their liveness unless they are known.
func (f *allocator) ensureLiveness() {
	if f.slots == nil {
		f.slots = f.NewSlots()
		f.functional, f.timing = f.NewLiveness(f.slots, machine.FunctionalView), f.NewLiveness(f.slots, machine.TimingView)
	}
}

// allocate returns the place of each register. If some find none it says so and restores the operations.
func (f *allocator) allocate(limit int) (places []isa.Register, found bool, err error) {
	s := spilling{f: f, limit: limit}
	f.apart = map[*machine.Operation]bool{}
	if err := s.crowded(); err != nil {
		return nil, false, err
	}
	for round := 0; ; round++ {
		if err := f.Stopped(); err != nil {
			return nil, false, err
		}
		f.ensureLiveness()
		c, err := f.newClasses()
		if err != nil {
			return nil, false, err
		}
		c.coalesce()
		colours, failed := c.colour(limit)
		if len(failed) == 0 {
			c.settle(colours, limit)
			return colours.registers, true, nil
		}
		if round >= patientRounds && c.split(failed) {
			continue
		}
		if again, err := s.more(c, failed, max(1, round/patientRounds)); again || err != nil {
			if err != nil {
				return nil, false, err
			}
			continue
		}
		// As a last resort, registers that only the timing view touches may share a place.
		if colours, ok := c.squeeze(limit); ok {
			return colours.registers, true, nil
		}
		for _, spiller := range []*spiller{s.registers, s.predicates} {
			if spiller != nil {
				spiller.undo()
			}
		}
		return nil, false, nil
	}
}

// spilling has the spillers of both files. Predicates are spilled into registers, so their spiller finishes before that of registers
// begins.
type spilling struct {
	f                     *allocator
	limit                 int
	predicates, registers *spiller
	settled               bool // no more predicates can be spilled
}

// crowded spills if more values are live at once than there are registers or predicates.
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

// begin spills until the values fit the file.
func (s *spilling) begin(predicates bool) error {
	if predicates {
		s.predicates = s.f.newSpiller(true, machine.PredicateColour)
		return s.predicates.decide()
	}
	s.registers = s.f.newSpiller(false, s.limit-1) // R1 is the stack pointer
	return s.registers.decide()
}

// more spills more where classes found no place; by is how much capacity falls. It returns false if nothing more can be spilled.
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
		s.settled = true // the rest belongs to single operations
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

// mostLive returns the most registers and predicates that are live at once.
func (f *allocator) mostLive() (registers, predicates int) {
	f.ensureLiveness()
	for _, b := range f.Blocks {
		f.functional.Walk(b, func(_ int, _ *machine.Operation, live *machine.LiveSet) {
			registers, predicates = max(registers, live.Registers), max(predicates, len(live.List)-live.Registers)
		})
	}
	return registers, predicates
}

// squeeze colours registers with values first. Registers that only the timing view touches, such as those inside a division, may share a
// place with others, as no value can be lost there. It is the last resort under a low limit; ok is false if it fails too.
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

// leastShared returns the place that the fewest registers of the class's neighbours occupy.
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

// orders are the orders in which classes are coloured; the order that needs the fewest registers wins. Program order is optimal for 32-bit
// values of straight-line code; wide classes first leaves no gaps next to pairs.
var orders = []func(a, b *class) int{
	func(a, b *class) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.width, a.width))
	},
	func(a, b *class) int {
		return cmp.Or(cmp.Compare(b.width, a.width), cmp.Compare(a.start, b.start))
	},
}

// colour gives each class its first register, below limit. It returns the registers by virtual register, and the classes that found none.
func (c *classes) colour(limit int) (colours *colouring, failed []*class) {
	best := 1 << 30
	tried := orders
	if c.f.Options.Room() > 0 {
		tried = orders[:1] // the registers that the other order could save are for banks
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
	taken, delayed := bitset.New(limit+8), bitset.New(limit+8)
	for _, k := range c.list {
		top := limit
		if k.predicate {
			top = machine.PredicateColour
		}
		c.mark(k, c.graph, colours, taken, limit)
		base := -1
		delayed.CopyFrom(taken)
		for n := 0; n < len(c.reuseDelays) && base < 0; n++ {
			c.mark(k, c.reuseDelays[n].slots, colours, delayed, limit)
			delayed.Union(taken)
			base = c.firstFree(k, delayed, min(top, c.reuseDelays[n].top))
		}
		if base < 0 {
			base = c.firstFree(k, taken, top)
		}
		if base >= 0 && !k.predicate {
			base = c.leastConflicts(k, delayed, base, max(used, base+k.width, min(c.f.Options.Room(), limit)), colours)
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

// mark adds to taken the registers at which the class cannot begin because neighbours of its slots are there.
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

// firstFree returns the lowest free place for the class, -1 for none.
func (c *classes) firstFree(k *class, taken bitset.Set, top int) int {
	for base := 0; base+k.width <= top; base += k.width {
		if taken.Has(int32(base)) || !k.predicate && base <= machine.StackPointer && machine.StackPointer < base+k.width {
			continue
		}
		return base
	}
	return -1
}

// valued returns, by register, whether it holds values: only the timing view touches the others.
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
