package schedule

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// unit is what the scheduler moves as a whole: an operation, or the operations of a slow path.
type unit struct {
	operations []*machine.Operation // none for a join, which stands for the units it depends on
	position   int                  // in PTX order
	before     int                  // of a join: the position of the unit that it comes before
	after      []edge
	waits      int     // pending dependences
	height     int     // core cycles from its issue to the block's end, along the longest chain
	urgency    int     // the most urgent ready unit comes first; PTX order decides between equals
	ready      int     // cycle in which its operands are ready
	uses, sets []int32 // values that it reads and writes
	segment    int     // barriers before it in PTX order
	chain      int     // carry chain, from 1; 0 for none
	feedsLoad  bool    // it is a load, or computes the address of one in its segment
	far        bool    // the last operand to arrive comes from device memory
	unfenced   bool    // it is a load that no barrier delays, or computes the address of one
	grow       count   // how the live values grow if it comes next
	list       *openList
}

// edge is a dependence: to comes at least latency core cycles later; 0 only orders.
type edge struct {
	to      *unit
	latency int
}

// scheduler orders the operations in a function's blocks.
type scheduler struct {
	*machine.Function
	slots        *machine.Slots
	scratch      *scratch
	carryCrosses bool // some block takes a carry over from another
	frugal       bool // no choice so far would be another with Options.Frugal
}

func newScheduler(f *machine.Function, s *machine.Slots) *scheduler {
	return &scheduler{Function: f, slots: s, scratch: newScratch(len(f.Registers), s.Size), carryCrosses: carryCrosses(f)}
}

// Blocks orders the operations of each block: the most urgent first, as long as registers suffice.
func Blocks(f *machine.Function) error {
	if f.Options.NoSchedule {
		return nil
	}
	s := newScheduler(f, f.NewSlots())
	l := f.NewLiveness(s.slots, machine.FunctionalView)
	limits := s.pressureLimits(l)
	for _, b := range f.Blocks {
		if err := s.scheduleBlock(b, l, limits); err != nil {
			return err
		}
	}
	f.Frugal = s.frugal
	return nil
}

// The register pressure up to which the scheduler hides latencies, in registers. The figures were chosen so that register counts match
// compilers. The counts of nvcc for the measured kernels on Kepler are little more than PTX order needs. Those of ptxas are for sm_75,
// which has 64 registers per thread at full occupancy.
const (
	relaxedPressure = 16 // every kernel may have as many
	slack           = 4  // beyond the need in PTX order
	slackShare      = 16 // divisor: the share of the free registers that is added to that
	loadShare       = 3  // divisor: the share of the free registers that loads get beyond that
	roomForPairs    = 4  // kept free below full occupancy's share, for alignment
	roomForLoads    = 2  // kept free below a step of occupancy, for loads that hide device memory
	roomUnderCap    = 10 // kept free below a limit, to avoid spills
)

// predicateLimit is the number of live predicates up to which the scheduler hides latencies. One of the seven stays free, since values that
// are live across blocks may leave gaps.
const predicateLimit = machine.PredicateColour - 1

// limits are the numbers of live registers up to which the scheduler hides latencies, of arithmetic and of loads, which gain most from an
// early start. The field step is the number up to which no more warps are lost. Ready units may use as many if everything that fits below
// would wait. Loads come two registers nearer to it.
type limits struct {
	arithmetic, loads, step, stepOfLoads int
	frugal                               bool
}

// of returns the limit for a unit, after segment barriers have been placed.
func (l limits) of(u *unit, segment int) int {
	if u.unfenced || u.feedsLoad && u.segment <= segment {
		return l.loads
	}
	return l.arithmetic
}

// pressureLimits computes the limits from the need in PTX order and from what a thread has at full occupancy.
func (f *scheduler) pressureLimits(l *machine.Liveness) limits {
	most := 0
	for _, b := range f.Blocks {
		l.Walk(b, func(_ int, _ *machine.Operation, live *machine.LiveSet) { most = max(most, live.Registers) })
	}
	share := f.Options.Share()
	arithmetic := max(relaxedPressure, most+slack+f.Options.Free()/slackShare)
	loads := arithmetic + f.Options.Free()/loadShare
	if top := share - roomForPairs; most < top { // else the kernel costs resident warps anyway
		arithmetic, loads = min(arithmetic, top), min(loads, top)
	}
	top := max(f.Options.RegisterLimit(f.Kernel.Limits)-roomUnderCap, most)
	step := share - roomForPairs
	for most > step {
		step += f.Options.RegisterGranularity
	}
	stepOfLoads := step + roomForPairs - roomForLoads
	if f.Options.Free() > 0 {
		step, stepOfLoads = arithmetic, arithmetic
	}
	underCap := f.Options.RegisterLimit(f.Kernel.Limits) - roomUnderCap
	f.frugal = most <= underCap || most > underCap+roomUnderCap
	if !f.Options.Frugal && !f.frugal {
		underCap = most // what PTX order needs finds registers
	}
	return limits{min(arithmetic, top), min(loads, top), min(step, underCap), min(stepOfLoads, underCap), f.Options.Frugal}
}

// scheduleBlock orders one block, within the limits on live registers.
func (f *scheduler) scheduleBlock(b *machine.Block, l *machine.Liveness, most limits) error {
	units, tail, all := f.blockUnits(b)
	if len(units) < 2 {
		return nil
	}
	p := f.newPressure(units, tail, l, b)
	p.all, p.frugal = all, f.frugal
	segment := 0
	ordered, err := f.inOrder(units, p, func(open *openUnits) *unit {
		best := p.pick(open, segment, most)
		if best.fence() {
			segment++
		}
		return best
	})
	if err == nil {
		b.Operations = append(ordered, tail...)
	}
	f.frugal = p.frugal
	return err
}

// blockUnits returns dependentUnits, with heights and what else the choice depends on.
func (f *scheduler) blockUnits(b *machine.Block) (units []*unit, tail []*machine.Operation, all []*unit) {
	units, tail, all = f.dependentUnits(b)
	for k := len(all) - 1; k >= 0; k-- {
		u := all[k]
		for _, e := range u.after {
			step := max(e.latency, 1)
			if len(u.operations) == 0 {
				step = 0 // users of the join wait for its units themselves
			}
			u.height = max(u.height, e.to.height+step)
			u.feedsLoad = u.feedsLoad || e.latency > 0 && e.to.feedsLoad && e.to.segment == u.segment
			u.unfenced = u.unfenced || e.latency > 0 && e.to.unfenced
		}
	}
	f.setUrgency(units)
	return units, tail, all
}

// setUrgency makes the longest chain urgent in a block that takes as long as this chain. In a block with more operations than the chain has
// cycles, such as an unrolled loop, the order hardly matters. There PTX order decides: what has begun ends soon and frees its registers,
// and the next work fills its waits. If a thread has registers to spare, compilers prefer chains all the same.
func (f *scheduler) setUrgency(units []*unit) {
	longest := 0
	for _, u := range units {
		longest = max(longest, u.height)
	}
	if longest <= len(units)*f.Options.IssueCycles && f.Options.Free() == 0 {
		return
	}
	for _, u := range units {
		u.urgency = u.height
	}
}

// dependentUnits returns the units of a block, the control operations behind them, and a list of units and joins in which each follows all
// that it depends on.
func (f *scheduler) dependentUnits(b *machine.Block) (units []*unit, tail []*machine.Operation, all []*unit) {
	n := len(b.Operations)
	for n > 0 && b.Operations[n-1].Control != isa.ControlNone && b.Operations[n-1].Control != isa.ControlBarrier &&
		b.Operations[n-1].Control != isa.ControlSync {
		n--
	}
	if units, tail = f.unitsOf(b.Operations[:n]), b.Operations[n:]; len(units) > 1 {
		all = f.addEdges(units).inOrder()
	}
	return units, tail, all
}

// askEvery is how many units the scheduler places between two checks for cancellation.
const askEvery = 4096

// inOrder places units one after another, as choose picks them from those that may come next. p, if not nil, counts registers.
func (f *scheduler) inOrder(units []*unit, p *pressure, choose func(open *openUnits) *unit) ([]*machine.Operation, error) {
	var ordered []*machine.Operation
	open := newOpenUnits(units, p)
	for n := 0; !open.empty(); n++ {
		if n%askEvery == 0 {
			if err := f.Stopped(); err != nil {
				return nil, err
			}
		}
		best := choose(open)
		open.take(best)
		if p != nil {
			p.place(best, open)
		}
		open.advance(max(open.cycle, best.ready) + len(best.operations)*f.Options.IssueCycles)
		open.release(best, open.cycle-f.Options.IssueCycles)
		ordered = append(ordered, best.operations...)
	}
	return ordered, nil
}

// Spills reorders blocks with spill code, so that loads from local memory overlap with other work. Registers are physical by now:
// operations keep their order if they touch the same one.
func Spills(f *machine.Allocated) error {
	if f.Options.NoSchedule || f.Spills == (machine.Spills{}) {
		return nil
	}
	s := newScheduler(f.Function, f.PhysicalSlots())
	for _, b := range f.Blocks {
		if !slices.ContainsFunc(b.Operations, func(op *machine.Operation) bool { return op.Spill }) {
			continue
		}
		if units, tail, _ := s.blockUnits(b); len(units) > 1 {
			ordered, err := s.inOrder(units, nil, (*openUnits).best)
			if err != nil {
				return err
			}
			b.Operations = append(ordered, tail...)
		}
	}
	return nil
}

// pick chooses among the units that may come next:
//   - the best by latencies: the most urgent ready unit, else the soonest;
//   - if it does not fit in the registers, the best unit that needs no more, so that less urgent units do not take them either;
//   - else what the carry chain in progress needs to end, since other chains wait for it;
//   - else the first in PTX order, which is known to fit.
//
// If the last three would have to wait, a ready unit may use registers up to the step. If that wait is for device memory, so may a load, or
// a unit that is ready before the wait ends, such as an address.
func (p *pressure) pick(open *openUnits, segment int, most limits) *unit {
	best := open.best()
	noRegisters, noPredicates := p.exceeds(best, most.of(best, segment))
	if !noRegisters && !noPredicates {
		return best
	}
	instead := open.bestOf(func(l *openList) bool {
		return !(noRegisters && l.grows.registers > 0) && !(noPredicates && l.grows.predicates > 0) &&
			(l.grows.predicates == 0 || p.live.predicates+l.grows.predicates <= predicateLimit)
	}, func(u *unit) bool {
		r, q := p.exceeds(u, most.of(u, segment))
		return !r && !q
	})
	if instead == nil {
		instead = p.nextOfChain(open)
	}
	if instead == nil {
		instead = open.first()
	}
	if instead.ready <= open.cycle {
		return instead
	}
	ready := open.bestOf(func(l *openList) bool { return l.grows.predicates == 0 }, func(u *unit) bool {
		limit := most.step
		if u.feedsLoad {
			limit = most.stepOfLoads
		}
		r, q := p.exceeds(u, limit)
		if instead.far && !most.frugal {
			p.frugal = p.frugal && (r || q || u.ready <= open.cycle || u.ready >= instead.ready)
			return u.ready < instead.ready && !r && !q
		}
		return u.ready <= open.cycle && !r && !q && (instead.far || !u.feedsLoad)
	})
	if ready != nil {
		return ready
	}
	return instead
}

// unitsOf groups operations into units.
func (f *scheduler) unitsOf(operations []*machine.Operation) []*unit {
	all := make([]unit, len(operations)) // in one allocation, with room for the first edges of each
	edges := make([]edge, firstEdges*len(operations))
	units := make([]*unit, 0, len(operations))
	segment, begin := 0, 0 // begin is the first operation of the last unit
	for k, op := range operations {
		if n := len(units) - 1; n >= 0 && op.Path != nil && operations[begin].Path == op.Path {
			units[n].operations = operations[begin : k+1 : k+1]
			continue
		}
		begin = k
		u := &all[len(units)]
		*u = unit{
			operations: operations[k : k+1 : k+1], position: len(units), segment: segment,
			after:     edges[:0:firstEdges],
			feedsLoad: op.Effect != nil && op.Effect.Op == isa.OpLd && op.Class.Memory(),
		}
		edges = edges[firstEdges:]
		u.unfenced = u.feedsLoad && op.Effect.Memory.Cache == isa.CacheReadOnly
		if u.fence() {
			segment++
		}
		units = append(units, u)
	}
	return units
}

// firstEdges is the initial capacity for a unit's edges: most have no more.
const firstEdges = 3

// fence reports a unit that no memory access may cross.
func (u *unit) fence() bool {
	switch u.operations[0].Control {
	case isa.ControlBarrier, isa.ControlSync, isa.ControlSystem:
		return true
	}
	return false
}

// pressure counts live registers while a block is scheduled. It counts values: a slot that is overwritten begins another value.
type pressure struct {
	live      count
	left      []int32 // by value: unplaced reads, plus one if it is live behind the block
	present   []bool
	predicate []bool
	// By value: its writers, and the sum of the positions of its unplaced readers. With one reader left, that is its position.
	setters [][]*unit
	readers []int
	units   []*unit
	inOrder *orderedPressure
	placed  []bool  // by unit position
	first   int     // position of the first unplaced unit
	all     []*unit // units and joins; each follows all that it depends on
	ending  chainEnd
	frugal  bool // as the scheduler's
}

// count is a number of registers and a number of predicates.
type count struct{ registers, predicates int }

// add adds a value n times to a count.
func (p *pressure) add(c *count, value int32, n int) {
	if p.predicate[value] {
		c.predicates += n
	} else {
		c.registers += n
	}
}

// exceeds reports that a unit needs more registers than limit, or more predicates than predicateLimit. The need counts now, and also at the
// unplaced units before it in PTX order: they need their registers while the unit's values are live.
func (p *pressure) exceeds(u *unit, limit int) (registers, predicates bool) {
	most := p.live.registers
	if first := p.first; u.position > first {
		most = max(most, p.inOrder.most(first+1, u.position+1)+max(most-int(p.inOrder.after[first]), 0))
	}
	return u.grow.registers > 0 && most+u.grow.registers > limit, u.grow.predicates > 0 &&
		p.live.predicates+u.grow.predicates > predicateLimit
}

// blockValues numbers the values of a block: each slot that is live at its start, and each new value of a slot.
type blockValues struct {
	p      *pressure
	slots  *machine.Slots
	now    []int32 // by slot: its value plus one; 0 if it has no number
	origin []*isa.Instruction
	used   []int32
}

// of returns the value that a slot holds.
func (v *blockValues) of(slot int32) int32 {
	if v.now[slot] == 0 {
		v.begin(slot)
	}
	return v.now[slot] - 1
}

func (v *blockValues) begin(slot int32) {
	if v.now[slot] == 0 {
		v.used = append(v.used, slot)
	}
	v.p.left, v.p.present, v.p.predicate = append(v.p.left, 0), append(v.p.present, false), append(v.p.predicate, v.slots.Predicate[slot])
	v.p.readers = append(v.p.readers, 0)
	v.now[slot] = int32(len(v.p.left))
}

// write begins a new value, unless lanes keep the old one or the slot already belongs to the expansion that writes it.
func (v *blockValues) write(slot int32, op *machine.Operation) int32 {
	if op.Overwrites() && (op.Origin == nil || v.origin[slot] != op.Origin) {
		v.begin(slot)
		v.origin[slot] = op.Origin
	}
	return v.of(slot)
}

func (f *scheduler) newPressure(units []*unit, tail []*machine.Operation, l *machine.Liveness, b *machine.Block) *pressure {
	s := f.slots
	p := &pressure{units: units, placed: make([]bool, len(units))}
	if f.scratch.now == nil {
		f.scratch.now, f.scratch.origin = make([]int32, s.Size), make([]*isa.Instruction, s.Size)
	}
	values := &blockValues{p: p, slots: s, now: f.scratch.now, origin: f.scratch.origin}
	for _, slot := range l.In[b.ID] {
		value := values.of(slot)
		p.present[value] = true
		p.add(&p.live, value, 1)
	}
	for _, u := range units {
		f.valuesOf(u, values)
	}
	for _, op := range tail {
		f.scratch.slots = machine.FunctionalView.Uses(s, op, f.scratch.slots[:0])
		for _, slot := range f.scratch.slots {
			p.left[values.of(slot)]++
		}
	}
	for _, slot := range l.Out[b.ID] {
		p.left[values.of(slot)]++
	}
	for _, slot := range values.used {
		values.now[slot], values.origin[slot] = 0, nil
	}
	p.findSetters()
	p.inOrder = p.orderedPressure(units)
	for _, u := range units {
		u.grow = p.growth(u)
	}
	return p
}

// valuesOf records the values that a unit reads and writes.
func (f *scheduler) valuesOf(u *unit, values *blockValues) {
	p, r := values.p, f.scratch
	r.uses, r.sets = r.uses[:0], r.sets[:0]
	for _, op := range u.operations {
		for _, v := range [2]machine.View{machine.FunctionalView, machine.TimingView} {
			r.slots = v.Uses(f.slots, op, r.slots[:0])
			for _, slot := range r.slots {
				if value := values.of(slot); !slices.Contains(r.uses, value) {
					r.uses = append(r.uses, value)
					p.left[value]++
					p.readers[value] += u.position
				}
			}
		}
		for _, v := range [2]machine.View{machine.FunctionalView, machine.TimingView} {
			r.slots = v.Definitions(f.slots, op, r.slots[:0])
			for _, slot := range r.slots {
				if value := values.write(slot, op); !slices.Contains(r.sets, value) {
					r.sets = append(r.sets, value)
				}
			}
		}
	}
	u.uses, u.sets = r.keep(r.uses), r.keep(r.sets)
}

// findSetters finds the units that write each value.
func (p *pressure) findSetters() {
	count, total := make([]int32, len(p.left)), 0
	for _, u := range p.units {
		for _, value := range u.sets {
			count[value]++
		}
		total += len(u.sets)
	}
	all := make([]*unit, total)
	p.setters = make([][]*unit, len(p.left))
	for value, n := range count {
		p.setters[value], all = all[:0:n], all[n:]
	}
	for _, u := range p.units {
		for _, value := range u.sets {
			p.setters[value] = append(p.setters[value], u)
		}
	}
}

// growth returns how the live registers and predicates grow if the unit comes next.
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

// place marks a unit as placed, and updates the needs of open units.
func (p *pressure) place(u *unit, open *openUnits) {
	p.placed[u.position] = true
	for p.first < len(p.placed) && p.placed[p.first] {
		p.first++
	}
	for _, value := range u.uses {
		p.left[value]--
		p.readers[value] -= u.position
		switch {
		case !p.present[value]:
		case p.left[value] == 0:
			p.setPresent(value, false, open)
			p.add(&p.live, value, -1)
		case p.left[value] == 1:
			p.lastRead(value, -1, open)
		}
	}
	for _, value := range u.sets {
		if !p.present[value] && p.left[value] > 0 {
			p.setPresent(value, true, open)
			p.add(&p.live, value, 1)
		}
	}
}

// setPresent records that a value is live, or no longer live. That changes the need of its writers and of its last reader.
func (p *pressure) setPresent(value int32, present bool, open *openUnits) {
	p.present[value] = present
	n := 1
	if present {
		n = -1
	}
	for _, u := range p.setters[value] {
		if !p.placed[u.position] {
			p.add(&u.grow, value, n)
			open.moved(u)
		}
	}
	if present && p.left[value] == 1 {
		p.lastRead(value, -1, open)
	}
}

// lastRead adds n to the need of the only unit that still reads a value: the value ends there.
func (p *pressure) lastRead(value int32, n int, open *openUnits) {
	at := p.readers[value]
	if at >= len(p.units) || p.placed[at] {
		return
	}
	u := p.units[at]
	if !slices.Contains(u.uses, value) {
		return // it is live behind the block
	}
	p.add(&u.grow, value, n)
	open.moved(u)
}
