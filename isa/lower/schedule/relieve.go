package schedule

import (
	"container/heap"
	"slices"

	"github.com/keplersim/keplersim/isa/lower/machine"
)

// Relieve orders for few registers the operations of blocks that need more than there are in the order that they have: what can wait comes
// just ahead of the first operation that reads it. Loads that a program puts in front of all arithmetic are spread so, as ptxas spreads
// them; how far they run ahead again is then the scheduler's choice.
//
// It goes backwards, and places at each step, of what nothing unplaced waits for, the operation that leaves the fewest registers live ahead
// of it; the last in PTX order of several (after Sethi and Ullman; bottom-up list scheduling). A block keeps its order where that needs no
// more.
func Relieve(f *machine.Function) error {
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
		order, known := f.Relieved[b.ID]
		if !known {
			var err error
			if order, err = s.relieveBlock(b, l); err != nil {
				return err
			}
			if f.Relieved != nil {
				f.Relieved[b.ID] = order
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
	r := newRelief(units, all, p)
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

// relief is a block on its way from its end to its start. Values are those of pressure.
type relief struct {
	p      *pressure
	placed []*unit
	// By unit and join: those that it waits for, how many that wait for it are still to be placed, and what it adds to the live registers.
	before [][]*unit
	waits  []int
	grow   []int
	open   cheapestHeap
	in     []bool // open units
	// By value: whether it is live behind the units to come, how many of those write it, which read it, and whether it comes into the
	// block.
	live      []bool
	setters   []int
	readers   []int
	users     [][]*unit
	fromStart []bool
	now, most int
	chain     int   // of carries, the current one; 0 for none
	left      []int // units still to be placed, by chain
	aside     []openUnit
}

func newRelief(units, all []*unit, p *pressure) *relief {
	n, values := len(all), len(p.left)
	r := &relief{
		p: p, before: make([][]*unit, n), waits: make([]int, n), grow: make([]int, n), in: make([]bool, n), live: make([]bool, values),
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

func (r *relief) count(value int32, n int) {
	if !r.p.predicate[value] {
		r.now += n
		r.most = max(r.most, r.now)
	}
}

// release opens a unit for which nothing unplaced waits. A join is placed at once.
func (r *relief) release(u *unit) {
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

// shared is a number that many small ones divide: what a register costs that so many share.
const shared = 5040

func (r *relief) enlist(u *unit) {
	if grow := min(r.growth(u), 0); !r.in[u.position] || r.grow[u.position] != grow {
		r.in[u.position], r.grow[u.position] = true, grow
		heap.Push(&r.open, openUnit{u, grow})
	}
}

// growth is by how much the live registers grow if the unit comes next, ahead of what is placed, in parts of a register. One that others
// will read as well, as the address of a row of loads, counts by its share.
func (r *relief) growth(u *unit) int {
	n := 0
	for _, value := range u.uses {
		if !r.live[value] && !r.p.predicate[value] {
			n += shared / max(r.readers[value], 1)
		}
	}
	for _, value := range u.sets {
		if r.live[value] && r.setters[value] == 1 && !r.fromStart[value] && !r.p.predicate[value] && !slices.Contains(u.uses, value) {
			n -= shared
		}
	}
	return n
}

// next is the open unit that adds the fewest live registers; nil if none may come.
func (r *relief) next() *unit {
	var found *unit
	r.aside = r.aside[:0]
	for found == nil && len(r.open) > 0 {
		o := heap.Pop(&r.open).(openUnit)
		switch {
		case !r.in[o.position] || r.grow[o.position] != o.grow: // it is placed, or another entry stands for it
		case o.chain > 0 && r.chain > 0 && o.chain != r.chain:
			r.aside = append(r.aside, o)
		default:
			found = o.unit
		}
	}
	for _, o := range r.aside {
		heap.Push(&r.open, o)
	}
	return found
}

// place puts a unit ahead of those that are placed.
func (r *relief) place(u *unit) {
	r.in[u.position] = false
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

// changed puts the open units that read or write a value where they belong now.
func (r *relief) changed(value int32) {
	for _, list := range [2][]*unit{r.users[value], r.p.setters[value]} {
		for _, u := range list {
			if r.in[u.position] {
				r.enlist(u)
			}
		}
	}
}

// openUnit is a unit that may come next, and what it adds.
type openUnit struct {
	*unit
	grow int
}

// cheapestHeap has the unit on top that adds least; the last in PTX order of several.
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
