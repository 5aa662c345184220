package lower

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// unit is what the scheduler moves as one: an operation, or the operations of a slow path.
type unit struct {
	operations []*operation
	position   int // in PTX order
	after      []edge
	waits      int     // units that must come first
	height     int     // core cycles from its issue to the block's end, along the longest chain
	ready      int     // cycle at which its operands are there
	uses, sets []int32 // values
	segment    int     // barriers before it in PTX order
	chain      int     // of carries, from 1; 0 for none
	feeds      bool    // it is a load, or gives one of its segment the address
	unfenced   bool    // it is a load that no barrier holds back, or gives one the address
}

// edge says that a unit must come so many core cycles later; 0 only orders.
type edge struct {
	to      int
	latency int
}

// schedule orders the operations of each block: what others wait for first, as long as registers last.
func schedule(f *function) error {
	if f.options.NoSchedule {
		return nil
	}
	s := f.newSlots()
	l := f.newLiveness(s, functionalView)
	limits, crosses := f.pressureLimits(l), f.flagCrosses()
	for _, b := range f.blocks {
		f.scheduleBlock(b, s, l, limits, crosses)
	}
	return nil
}

// Register pressure up to which the scheduler looks at latencies alone, in registers. The figures are chosen so that registers
// come out as those that compilers give: nvcc's of the measured kernels on Kepler, which take little more than they need in PTX
// order, and those of ptxas for sm_75, which has 64 registers a thread at full occupancy.
const (
	relaxedPressure = 16 // every kernel may have so many
	slack           = 4  // what it gets over what it needs in PTX order
	slackShare      = 16 // of the free registers, the part that it gets besides
	loadShare       = 3  // of the free registers, the part that loads get beyond that
	roomForPairs    = 4  // registers of the share that alignment may cost
	roomUnderCap    = 10 // and of a cap, where it would cost spills
)

// predicateLimit is the number of live predicates up to which the scheduler hides latencies. One of the seven stays free, since
// values that live across blocks do not always fill them without a gap.
const predicateLimit = predicateColour - 1

// limits are the numbers of live registers up to which the scheduler hides latencies: those of arithmetic, and those of loads, which
// gain most from an early start.
type limits struct{ arithmetic, loads int }

// of is the limit that holds for a unit when so many barriers have been placed.
func (l limits) of(u *unit, segment int) int {
	if u.unfenced || u.feeds && u.segment <= segment {
		return l.loads
	}
	return l.arithmetic
}

// pressureLimits follow from what the kernel needs in PTX order and from what a thread has at full occupancy.
func (f *function) pressureLimits(l *liveness) limits {
	most := 0
	for _, b := range f.blocks {
		l.walk(b, func(_ int, _ *operation, live bitset) {
			n := 0
			live.each(func(slot int32) {
				if !f.predicate(l.slots.owner[slot]) {
					n++
				}
			})
			most = max(most, n)
		})
	}
	share := f.options.share()
	arithmetic := max(relaxedPressure, most+slack+f.options.free()/slackShare)
	loads := arithmetic + f.options.free()/loadShare
	if top := share - roomForPairs; most < top { // else the kernel costs resident warps as it is
		arithmetic, loads = min(arithmetic, top), min(loads, top)
	}
	top := max(f.options.registerLimit(f.kernel.Limits)-roomUnderCap, most)
	return limits{min(arithmetic, top), min(loads, top)}
}

// scheduleBlock orders one block as long as registers last.
func (f *function) scheduleBlock(b *block, s *slots, l *liveness, most limits, carryCrosses bool) {
	units, tail := f.blockUnits(b, s, carryCrosses)
	if len(units) < 2 {
		return
	}
	p := f.newPressure(units, tail, s, l, b)
	segment := 0
	b.operations = append(f.inOrder(units, func(open []*unit, cycle int) *unit {
		best := pick(open, cycle, segment, p, most)
		if best.fence() {
			segment++
		}
		p.place(best)
		return best
	}), tail...)
}

// blockUnits are the units of a block with who must come before whom, and the control operations at its end, which stay there.
func (f *function) blockUnits(b *block, s *slots, carryCrosses bool) (units []*unit, tail []*operation) {
	n := len(b.operations)
	for n > 0 && b.operations[n-1].Control != isa.ControlNone && b.operations[n-1].Control != isa.ControlBarrier && b.operations[n-1].Control != isa.ControlSync {
		n--
	}
	units = f.unitsOf(b.operations[:n])
	f.addEdges(units, s, carryCrosses)
	for k := len(units) - 1; k >= 0; k-- {
		u := units[k]
		for _, e := range u.after {
			next := units[e.to]
			u.height = max(u.height, next.height+max(e.latency, 1))
			u.feeds = u.feeds || e.latency > 0 && next.feeds && next.segment == u.segment
			u.unfenced = u.unfenced || e.latency > 0 && next.unfenced
		}
	}
	return units, b.operations[n:]
}

// inOrder places units one after the other as choose picks them from those that may come next.
func (f *function) inOrder(units []*unit, choose func(open []*unit, cycle int) *unit) []*operation {
	var ordered []*operation
	cycle := 0
	open := []*unit{}
	for _, u := range units {
		if u.waits == 0 {
			open = append(open, u)
		}
	}
	carry := newChainUnderWay(units)
	for len(open) > 0 {
		best := choose(carry.allowed(open), cycle)
		carry.place(best)
		cycle = max(cycle, best.ready) + len(best.operations)*f.options.IssueCycles
		open = slices.DeleteFunc(open, func(u *unit) bool { return u == best })
		ordered = append(ordered, best.operations...)
		for _, e := range best.after {
			next := units[e.to]
			next.ready = max(next.ready, cycle-f.options.IssueCycles+e.latency)
			if next.waits--; next.waits == 0 {
				open = append(open, next)
			}
		}
	}
	return ordered
}

// rescheduleSpills orders blocks with spill code anew, so that loads from local memory overlap with other work. Registers are given
// by now: operations keep their order where they meet in a physical one.
func rescheduleSpills(f *function) error {
	if f.options.NoSchedule || f.spills == (spillCounts{}) {
		return nil
	}
	s, crosses := f.physicalSlots(), f.flagCrosses()
	for _, b := range f.blocks {
		if !slices.ContainsFunc(b.operations, func(op *operation) bool { return op.Spill }) {
			continue
		}
		if units, tail := f.blockUnits(b, s, crosses); len(units) > 1 {
			b.operations = append(f.inOrder(units, soonest), tail...)
		}
	}
	return nil
}

// soonest is the unit that comes next where latencies alone count.
func soonest(open []*unit, cycle int) *unit {
	return slices.MinFunc(open, func(a, b *unit) int {
		if better(a, b, cycle) {
			return -1
		}
		return 1
	})
}

// pick chooses among units that may come next: of those whose operands are there, the one with the longest chain behind it; if
// none is ready, the one that is soonest. If that one finds no registers, one that needs no more comes in its stead, so that
// what has less need of an early start takes them neither; and else the one that PTX has first, whose order is known to fit.
func pick(open []*unit, cycle, segment int, p *pressure, most limits) *unit {
	best, first := open[0], open[0]
	for _, u := range open[1:] {
		if better(u, best, cycle) {
			best = u
		}
		if u.position < first.position {
			first = u
		}
	}
	noRegisters, noPredicates := p.exceeds(best, most.of(best, segment))
	if !noRegisters && !noPredicates {
		return best
	}
	var instead *unit
	for _, u := range open {
		grow := p.growth(u)
		if noRegisters && grow.registers > 0 || noPredicates && grow.predicates > 0 || instead != nil && !better(u, instead, cycle) {
			continue
		}
		if r, q := p.exceeds(u, most.of(u, segment)); !r && !q {
			instead = u
		}
	}
	if instead != nil {
		return instead
	}
	return first
}

func better(a, b *unit, cycle int) bool {
	return cmp.Or(cmp.Compare(max(a.ready-cycle, 0), max(b.ready-cycle, 0)), cmp.Compare(b.height, a.height), cmp.Compare(a.position, b.position)) < 0
}

// unitsOf groups the operations of slow paths.
func (f *function) unitsOf(operations []*operation) []*unit {
	var units []*unit
	segment := 0
	for _, op := range operations {
		if n := len(units) - 1; n >= 0 && op.slow != nil && units[n].operations[0].slow == op.slow {
			units[n].operations = append(units[n].operations, op)
			continue
		}
		u := &unit{operations: []*operation{op}, position: len(units), segment: segment, feeds: op.Effect != nil && op.Effect.Op == isa.OpLd && op.Class.Memory()}
		u.unfenced = u.feeds && op.Effect.Memory.Cache == isa.CacheReadOnly
		if u.fence() {
			segment++
		}
		units = append(units, u)
	}
	return units
}

// fence reports a unit that no access to memory passes.
func (u *unit) fence() bool {
	switch u.operations[0].Control {
	case isa.ControlBarrier, isa.ControlSync, isa.ControlSystem:
		return true
	}
	return false
}

// pressure counts live registers while a block is scheduled. What it counts are values: a slot that is overwritten holds another.
type pressure struct {
	live      count
	left      map[int32]int // reads of a value that are still to come, one more if it is live behind the block
	present   map[int32]bool
	predicate map[int32]bool // values that are predicates
	inOrder   *orderedPressure
	placed    []bool // by position of units
	first     int    // position of the first unit that is not placed
}

// count is a number of registers and one of predicates.
type count struct{ registers, predicates int }

// add counts a value n times.
func (p *pressure) add(c *count, value int32, n int) {
	if p.predicate[value] {
		c.predicates += n
	} else {
		c.registers += n
	}
}

// exceeds reports that the unit needs more registers than limit, and more predicates than there are for the scheduler: where it stands, or
// where the units stand that come before it in PTX order and are still to be placed, which need what they need there, and over which it holds
// its values.
func (p *pressure) exceeds(u *unit, limit int) (registers, predicates bool) {
	grow := p.growth(u)
	most := p.live.registers
	if first := p.first; u.position > first {
		most = max(most, p.inOrder.most(first+1, u.position+1)+max(most-p.inOrder.after[first], 0))
	}
	return grow.registers > 0 && most+grow.registers > limit, grow.predicates > 0 && p.live.predicates+grow.predicates > predicateLimit
}

// blockValues numbers the values of a block's slots: a value that comes into the block has its slot's number.
type blockValues struct {
	now    map[int32]int32 // by slot
	origin map[int32]*isa.Instruction
	next   int32
}

func (v *blockValues) of(slot int32) int32 {
	if n, ok := v.now[slot]; ok {
		return n
	}
	return slot
}

// write begins a new value, unless lanes keep the old one or the slot belongs to the expansion that writes it already.
func (v *blockValues) write(slot int32, op *operation) int32 {
	if op.overwrites() && (op.origin == nil || v.origin[slot] != op.origin) {
		v.now[slot], v.origin[slot] = v.next, op.origin
		v.next++
	}
	return v.of(slot)
}

func (f *function) newPressure(units []*unit, tail []*operation, s *slots, l *liveness, b *block) *pressure {
	p := &pressure{left: map[int32]int{}, present: map[int32]bool{}, predicate: map[int32]bool{}}
	values := &blockValues{now: map[int32]int32{}, origin: map[int32]*isa.Instruction{}, next: int32(s.count())}
	mark := func(slot, value int32) {
		if f.predicate(s.owner[slot]) {
			p.predicate[value] = true
		}
	}
	for _, u := range units {
		used, set := map[int32]bool{}, map[int32]bool{}
		for _, op := range u.operations {
			for _, v := range []view{functionalView, timingView} {
				v.uses(f, s, op, func(slot int32) {
					if value := values.of(slot); !used[value] {
						used[value] = true
						mark(slot, value)
						u.uses = append(u.uses, value)
						p.left[value]++
					}
				})
			}
			for _, v := range []view{functionalView, timingView} {
				v.definitions(f, s, op, func(slot int32) {
					if value := values.write(slot, op); !set[value] {
						set[value] = true
						mark(slot, value)
						u.sets = append(u.sets, value)
					}
				})
			}
		}
	}
	for _, op := range tail {
		functionalView.uses(f, s, op, func(slot int32) { p.left[values.of(slot)]++ })
	}
	l.out[b.id].each(func(slot int32) { p.left[values.of(slot)]++ })
	l.in[b.id].each(func(slot int32) {
		mark(slot, slot)
		p.present[slot] = true
		p.add(&p.live, slot, 1)
	})
	p.placed = make([]bool, len(units))
	p.inOrder = p.orderedPressure(units)
	return p
}

// growth is by how many the live registers and predicates grow if the unit comes next.
func (p *pressure) growth(u *unit) (grow count) {
	for _, value := range u.sets {
		if !p.present[value] {
			p.add(&grow, value, 1)
		}
	}
	for _, value := range u.uses {
		if p.present[value] && p.left[value] == 1 {
			p.add(&grow, value, -1)
		}
	}
	return grow
}

func (p *pressure) place(u *unit) {
	p.placed[u.position] = true
	for p.first < len(p.placed) && p.placed[p.first] {
		p.first++
	}
	for _, value := range u.uses {
		if p.left[value]--; p.left[value] == 0 && p.present[value] {
			delete(p.present, value)
			p.add(&p.live, value, -1)
		}
	}
	for _, value := range u.sets {
		if !p.present[value] && p.left[value] > 0 {
			p.present[value] = true
			p.add(&p.live, value, 1)
		}
	}
}
