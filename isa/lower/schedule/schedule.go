package schedule

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// unit is what the scheduler moves as one: an operation, or the operations of a slow path.
type unit struct {
	operations []*machine.Operation // none for a join, which stands for units that others wait for
	position   int                  // in PTX order
	before     int                  // of a join: the position of the unit ahead of which it stands
	after      []edge
	waits      int     // units that must come first
	height     int     // core cycles from its issue to the block's end, along the longest chain
	urgency    int     // of ready units the most urgent comes first, of equally urgent ones the first in PTX order
	ready      int     // cycle at which its operands are there
	uses, sets []int32 // values
	segment    int     // barriers before it in PTX order
	chain      int     // of carries, from 1; 0 for none
	feeds      bool    // it is a load, or gives one of its segment the address
	far        bool    // what it waits for longest is device memory
	unfenced   bool    // it is a load that no barrier holds back, or gives one the address
	grow       count   // by how many the live values grow if it comes next
	list       *openList
}

// edge says that a unit must come so many core cycles later; 0 only orders.
type edge struct {
	to      *unit
	latency int
}

// scheduler orders the operations of a function's blocks.
type scheduler struct {
	*machine.Function
	slots        *machine.Slots
	room         *room
	carryCrosses bool // some block takes a carry over from another
	frugal       bool // no choice so far would be another with Options.Frugal
}

func newScheduler(f *machine.Function, s *machine.Slots) *scheduler {
	return &scheduler{Function: f, slots: s, room: newRoom(len(f.Registers), s.Size), carryCrosses: carryCrosses(f)}
}

// Blocks orders the operations of each block: what others wait for first, as long as registers last.
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

// Register pressure up to which the scheduler looks at latencies alone, in registers. The figures are chosen so that registers
// come out as those that compilers give: nvcc's of the measured kernels on Kepler, which take little more than they need in PTX
// order, and those of ptxas for sm_75, which has 64 registers a thread at full occupancy.
const (
	relaxedPressure = 16 // every kernel may have so many
	slack           = 4  // what it gets over what it needs in PTX order
	slackShare      = 16 // of the free registers, the part that it gets besides
	loadShare       = 3  // of the free registers, the part that loads get beyond that
	roomForPairs    = 4  // registers of the share that alignment may cost
	roomForLoads    = 2  // and of a step of occupancy, where code would wait for device memory otherwise
	roomUnderCap    = 10 // and of a cap, where it would cost spills
)

// predicateLimit is the number of live predicates up to which the scheduler hides latencies. One of the seven stays free, since
// values that live across blocks do not always fill them without a gap.
const predicateLimit = machine.PredicateColour - 1

// limits are the numbers of live registers up to which the scheduler hides latencies: those of arithmetic, and those of loads, which
// gain most from an early start. Step is the number up to which no more warps are lost: what is ready may use so many where all that fits
// below would wait; loads come two registers nearer to it.
type limits struct {
	arithmetic, loads, step, stepOfLoads int
	frugal                               bool
}

// of is the limit that holds for a unit when so many barriers have been placed.
func (l limits) of(u *unit, segment int) int {
	if u.unfenced || u.feeds && u.segment <= segment {
		return l.loads
	}
	return l.arithmetic
}

// pressureLimits follow from what the kernel needs in PTX order and from what a thread has at full occupancy.
func (f *scheduler) pressureLimits(l *machine.Liveness) limits {
	most := 0
	for _, b := range f.Blocks {
		l.Walk(b, func(_ int, _ *machine.Operation, live *machine.LiveSet) { most = max(most, live.Registers) })
	}
	share := f.Options.Share()
	arithmetic := max(relaxedPressure, most+slack+f.Options.Free()/slackShare)
	loads := arithmetic + f.Options.Free()/loadShare
	if top := share - roomForPairs; most < top { // else the kernel costs resident warps as it is
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

// scheduleBlock orders one block as long as registers last.
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

// blockUnits are those of dependentUnits, with what the choice among them asks for.
func (f *scheduler) blockUnits(b *machine.Block) (units []*unit, tail []*machine.Operation, all []*unit) {
	units, tail, all = f.dependentUnits(b)
	for k := len(all) - 1; k >= 0; k-- {
		u := all[k]
		for _, e := range u.after {
			step := max(e.latency, 1)
			if len(u.operations) == 0 {
				step = 0 // who waits for the join's units waits for them
			}
			u.height = max(u.height, e.to.height+step)
			u.feeds = u.feeds || e.latency > 0 && e.to.feeds && e.to.segment == u.segment
			u.unfenced = u.unfenced || e.latency > 0 && e.to.unfenced
		}
	}
	f.setUrgency(units)
	return units, tail, all
}

// setUrgency has the longest chain come first in a block that takes a warp as long as its longest chain does. A block with more operations
// than that chain has cycles, such as an unrolled loop, takes as long as its operations in any order in which little waits: there PTX order
// goes first, so that what has begun ends soon and gives its registers back, and what is next fills the time in which it waits. Where a
// thread has registers to spare, compilers have chains first all the same.
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

// dependentUnits are the units of a block, the control operations behind them, and the units with their joins in an order in which nothing
// stands before what it waits for.
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

// askEvery is after how many units the scheduler asks whether anybody still waits for the result.
const askEvery = 4096

// inOrder places units one after the other as choose picks them from those that may come next. p, if any, counts registers.
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

// Spills orders blocks with spill code anew, so that loads from local memory overlap with other work. Registers are given
// by now: operations keep their order where they meet in a physical one.
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

// pick chooses among units that may come next: of those whose operands are there, the most urgent; if
// none is ready, the one that is soonest. If that one finds no registers, one that needs no more comes in its stead, so that
// what has less need of an early start takes them neither; then what the chain of carries that has begun needs for its end, since all
// other chains wait for that; and else the one that PTX has first, whose order is known to fit. Where that one would wait, one that is
// ready may have registers up to the step; where the wait is for device memory, a load too, and what is ready before its end, as an
// address.
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
		instead = p.endsChain(open)
	}
	if instead == nil {
		instead = open.first()
	}
	if instead.ready <= open.cycle {
		return instead
	}
	ready := open.bestOf(func(l *openList) bool { return l.grows.predicates == 0 }, func(u *unit) bool {
		limit := most.step
		if u.feeds {
			limit = most.stepOfLoads
		}
		r, q := p.exceeds(u, limit)
		if instead.far && !most.frugal {
			p.frugal = p.frugal && (r || q || u.ready <= open.cycle || u.ready >= instead.ready)
			return u.ready < instead.ready && !r && !q
		}
		return u.ready <= open.cycle && !r && !q && (instead.far || !u.feeds)
	})
	if ready != nil {
		return ready
	}
	return instead
}

// unitsOf groups the operations of slow paths.
func (f *scheduler) unitsOf(operations []*machine.Operation) []*unit {
	all := make([]unit, len(operations)) // in one piece, with room for the first edges of each
	edges := make([]edge, firstEdges*len(operations))
	units := make([]*unit, 0, len(operations))
	segment, begin := 0, 0 // where the operations of the last unit begin
	for k, op := range operations {
		if n := len(units) - 1; n >= 0 && op.Path != nil && operations[begin].Path == op.Path {
			units[n].operations = operations[begin : k+1 : k+1]
			continue
		}
		begin = k
		u := &all[len(units)]
		*u = unit{
			operations: operations[k : k+1 : k+1], position: len(units), segment: segment,
			after: edges[:0:firstEdges],
			feeds: op.Effect != nil && op.Effect.Op == isa.OpLd && op.Class.Memory(),
		}
		edges = edges[firstEdges:]
		u.unfenced = u.feeds && op.Effect.Memory.Cache == isa.CacheReadOnly
		if u.fence() {
			segment++
		}
		units = append(units, u)
	}
	return units
}

// firstEdges is how many units most have at most that wait for them.
const firstEdges = 3

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
	left      []int32 // by value: reads that are still to come, one more if it is live behind the block
	present   []bool
	predicate []bool
	// The units that write a value, and the sum of the positions of those that are still to read it: of the last one, its position.
	setters [][]*unit
	readers []int
	units   []*unit
	inOrder *orderedPressure
	placed  []bool  // by position of units
	first   int     // position of the first unit that is not placed
	all     []*unit // units and joins, in an order in which nothing stands before what it waits for
	ending  chainEnd
	frugal  bool // as the scheduler's
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
// where the units stand that come before it in PTX order and are still to be placed, which need what they need there, and over which it
// holds its values.
func (p *pressure) exceeds(u *unit, limit int) (registers, predicates bool) {
	most := p.live.registers
	if first := p.first; u.position > first {
		most = max(most, p.inOrder.most(first+1, u.position+1)+max(most-int(p.inOrder.after[first]), 0))
	}
	return u.grow.registers > 0 && most+u.grow.registers > limit, u.grow.predicates > 0 &&
		p.live.predicates+u.grow.predicates > predicateLimit
}

// blockValues numbers the values of a block: each slot that comes into it or that it writes, and each time it writes one anew.
type blockValues struct {
	p      *pressure
	slots  *machine.Slots
	now    []int32 // by slot; 0 where none is numbered, else one more than its value
	origin []*isa.Instruction
	used   []int32
}

// of is the value that a slot holds.
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

// write begins a new value, unless lanes keep the old one or the slot belongs to the expansion that writes it already.
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
	if f.room.now == nil {
		f.room.now, f.room.origin = make([]int32, s.Size), make([]*isa.Instruction, s.Size)
	}
	values := &blockValues{p: p, slots: s, now: f.room.now, origin: f.room.origin}
	for _, slot := range l.In[b.ID] {
		value := values.of(slot)
		p.present[value] = true
		p.add(&p.live, value, 1)
	}
	for _, u := range units {
		f.valuesOf(u, values)
	}
	for _, op := range tail {
		f.room.slots = machine.FunctionalView.Uses(s, op, f.room.slots[:0])
		for _, slot := range f.room.slots {
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

// valuesOf notes the values that a unit reads and writes.
func (f *scheduler) valuesOf(u *unit, values *blockValues) {
	p, r := values.p, f.room
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

// place counts a unit as placed, and what that changes for others among the open ones.
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

// setPresent notes that a value is live now, or no more, for the units that write it and for the last one to read it.
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

// lastRead notes for the last unit that reads a value, if one is left, that the value ends there.
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
