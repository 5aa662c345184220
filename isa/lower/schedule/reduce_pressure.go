package schedule

import (
	"container/heap"
	"slices"

	"github.com/keplersim/keplersim/isa/lower/machine"
)

// ReducePressure reorders blocks that need more registers than there are. An operation that can wait moves to just before the first
// operation that reads its result. So loads that a program puts before all arithmetic are spread out, as ptxas does. The scheduler then
// decides how far they run ahead.
//
// It works backwards. Each step takes, among the operations with all users placed, the one that leaves the fewest registers live before it.
// Among equals it takes the last in PTX order (after Sethi and Ullman; bottom-up list scheduling). A block keeps its order if that needs no
// more registers.
func ReducePressure(f *machine.Function) error {
	if f.Options.NoSchedule {
		return nil
	}
	limit := f.Options.RegisterLimit(f.Kernel.Limits) - roomForPairs
	s := newScheduler(f, f.NewSlots())
	l := f.NewLiveness(s.slots, machine.FunctionalView)
	for _, b := range f.Blocks {
		most := 0
		l.Walk(b, func(_ int, _ *machine.Operation, live *machine.LiveSet) { most = max(most, live.Registers) })
		if most <= limit {
			continue
		}
		order, known := f.ReducedPressure[b.ID]
		if !known {
			var err error
			if order, err = s.relieveBlock(b, l); err != nil {
				return err
			}
			if f.ReducedPressure != nil {
				f.ReducedPressure[b.ID] = order
			}
		}
		operations := make([]*machine.Operation, 0, len(b.Operations))
		for _, from := range order {
			operations = append(operations, b.Operations[from])
		}
		b.Operations = append(operations, b.Operations[len(order):]...)
	}
	return nil
}

// relieveBlock returns the order of a block: which operation comes next. Those that no other may pass stay behind them; all, where no order
// needs fewer registers.
func (f *scheduler) relieveBlock(b *machine.Block, l *machine.Liveness) (order []int32, err error) {
	units, tail, all := f.dependentUnits(b)
	if len(units) < 2 {
		return nil, nil
	}
	p := f.newPressure(units, tail, l, b)
	r := newBackwardOrder(units, all, p)
	for n := 0; n < len(units); n++ {
		if n%askEvery == 0 {
			if err := f.Stopped(); err != nil {
				return nil, err
			}
		}
		u := r.next()
		if u == nil {
			return nil, nil
		}
		r.place(u)
	}
	if r.most >= int(slices.Max(p.inOrder.after)) {
		return nil, nil
	}
	first := make([]int32, len(units)+1) // by unit: its first operation
	for n, u := range units {
		first[n+1] = first[n] + int32(len(u.operations))
	}
	order = make([]int32, 0, len(b.Operations))
	for _, u := range slices.Backward(r.placed) {
		for at := first[u.position]; at < first[u.position+1]; at++ {
			order = append(order, at)
		}
	}
	return order, nil
}

// backwardOrder is the state of a block, from its end to its start. Values are numbered as in pressure.
type backwardOrder struct {
	p      *pressure
	placed []*unit
	// By unit and join: what it depends on, how many unplaced units depend on it, and how many live registers it adds.
	before [][]*unit
	waits  []int
	grow   []int
	open   cheapestHeap
	isOpen []bool // the unit is open
	// By value: whether it is live behind the next unit; how many unplaced units write it; how many, and which, read it; whether it is live
	// at the block's start.
	live      []bool
	setters   []int
	readers   []int
	users     [][]*unit
	fromStart []bool
	now, most int
	chain     int   // the carry chain in progress, 0 for none
	left      []int // unplaced units, by chain
	deferred  []openUnit
}

func newBackwardOrder(units, all []*unit, p *pressure) *backwardOrder {
	n, values := len(all), len(p.left)
	r := &backwardOrder{
		p: p, before: make([][]*unit, n), waits: make([]int, n), grow: make([]int, n), isOpen: make([]bool, n), live: make([]bool, values),
		setters: make([]int, values), readers: make([]int, values), users: make([][]*unit, values), fromStart: p.present,
		left: unitsOfChains(units),
	}
	for _, u := range all {
		r.waits[u.position] = len(u.after)
		for _, e := range u.after {
			r.before[e.to.position] = append(r.before[e.to.position], u)
		}
	}
	for _, u := range units {
		for _, value := range u.uses {
			r.readers[value]++
			r.users[value] = append(r.users[value], u)
		}
	}
	for value := range values {
		r.setters[value] = len(p.setters[value])
		if int(p.left[value]) > r.readers[value] {
			r.live[value] = true
			r.count(int32(value), 1)
		}
	}
	for _, u := range slices.Backward(all) {
		if r.waits[u.position] == 0 {
			r.release(u)
		}
	}
	return r
}

func (r *backwardOrder) count(value int32, n int) {
	if !r.p.predicate[value] {
		r.now += n
		r.most = max(r.most, r.now)
	}
}

// release opens a unit whose users are all placed. A join is placed at once.
func (r *backwardOrder) release(u *unit) {
	if len(u.operations) == 0 {
		for _, b := range r.before[u.position] {
			if r.waits[b.position]--; r.waits[b.position] == 0 {
				r.release(b)
			}
		}
		return
	}
	r.enlist(u)
}

// registerCost is the cost of one register: a multiple of many small numbers, so that it can be divided among readers.
const registerCost = 5040

func (r *backwardOrder) enlist(u *unit) {
	if grow := min(r.growth(u), 0); !r.isOpen[u.position] || r.grow[u.position] != grow {
		r.isOpen[u.position], r.grow[u.position] = true, grow
		heap.Push(&r.open, openUnit{u, grow})
	}
}

// growth returns by how much the live registers grow if the unit comes next, before those placed, in units of 1/shared. A register with
// several readers, such as the address of a row of loads, counts by its share.
func (r *backwardOrder) growth(u *unit) int {
	n := 0
	for _, value := range u.uses {
		if !r.live[value] && !r.p.predicate[value] {
			n += registerCost / max(r.readers[value], 1)
		}
	}
	for _, value := range u.sets {
		if r.live[value] && r.setters[value] == 1 && !r.fromStart[value] && !r.p.predicate[value] && !slices.Contains(u.uses, value) {
			n -= registerCost
		}
	}
	return n
}

// next returns the open unit that adds the fewest live registers, nil if none may come.
func (r *backwardOrder) next() *unit {
	var found *unit
	r.deferred = r.deferred[:0]
	for found == nil && len(r.open) > 0 {
		o := heap.Pop(&r.open).(openUnit)
		switch {
		case !r.isOpen[o.position] || r.grow[o.position] != o.grow: // the unit is placed, or has a newer entry
		case o.chain > 0 && r.chain > 0 && o.chain != r.chain:
			r.deferred = append(r.deferred, o)
		default:
			found = o.unit
		}
	}
	for _, o := range r.deferred {
		heap.Push(&r.open, o)
	}
	return found
}

// place places a unit before those placed so far.
func (r *backwardOrder) place(u *unit) {
	r.isOpen[u.position] = false
	r.placed = append(r.placed, u)
	if u.chain > 0 {
		r.chain = u.chain
		if r.left[u.chain]--; r.left[u.chain] == 0 {
			r.chain = 0
		}
	}
	for _, value := range u.sets {
		r.setters[value]--
		switch {
		case r.setters[value] == 0 && !r.fromStart[value] && r.live[value]:
			r.live[value] = false
			r.count(value, -1)
			r.changed(value)
		case r.setters[value] == 1:
			r.changed(value)
		}
	}
	for _, value := range u.uses {
		r.readers[value]--
		if !r.live[value] {
			r.live[value] = true
			r.count(value, 1)
			r.changed(value)
		}
	}
	for _, b := range r.before[u.position] {
		if r.waits[b.position]--; r.waits[b.position] == 0 {
			r.release(b)
		}
	}
}

// changed updates the entries of open units that read or write a value.
func (r *backwardOrder) changed(value int32) {
	for _, list := range [2][]*unit{r.users[value], r.p.setters[value]} {
		for _, u := range list {
			if r.isOpen[u.position] {
				r.enlist(u)
			}
		}
	}
}

// openUnit is a unit that may come next, and the live registers that it adds.
type openUnit struct {
	*unit
	grow int
}

// cheapestHeap has the unit that adds the least on top; the last in PTX order of equals.
type cheapestHeap []openUnit

func (h cheapestHeap) Len() int      { return len(h) }
func (h cheapestHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h cheapestHeap) Less(i, j int) bool {
	if h[i].grow != h[j].grow {
		return h[i].grow < h[j].grow
	}
	return h[i].position > h[j].position
}
func (h *cheapestHeap) Push(u any) { *h = append(*h, u.(openUnit)) }
func (h *cheapestHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
