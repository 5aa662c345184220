package schedule

import (
	"container/heap"

	"github.com/keplersim/keplersim/isa/lower/target"
)

// openUnits are the units that wait for no other, in lists by how many registers and predicates they need more: the best of those that
// need no more is then found without looking at all. Chains of carries stand apart, since none begins before another has ended.
type openUnits struct {
	cycle  int
	n      int
	lists  [3][grownRegisters][grownPredicates]openList
	order  [3]positionHeap
	chain  int   // of carries, the current one; 0 for none
	left   []int // units still to be placed, by chain
	counts bool  // registers count
	tried  []*unit
}

// The units outside chains, those that begin one, and those of the current chain.
const (
	outsideChains = iota
	beginsChain
	insideChain
)

// Lists tell units apart by whether they need more registers, and by how many more predicates they need, four or more as one.
const (
	grownRegisters  = 2
	grownPredicates = 5
)

// triedUnits is how many units of a list are asked whether they find registers, in the order in which they would come.
const triedUnits = 64

// openList is the units that need as much; those that have moved to another list, or are placed, are dropped when they are met.
type openList struct {
	grows   count // the least that they need more
	ready   urgencyHeap
	pending readyHeap
}

func newOpenUnits(units []*unit, p *pressure) *openUnits {
	o := &openUnits{left: unitsOfChains(units), counts: p != nil}
	for part := range o.lists {
		for r := range grownRegisters {
			for q := range grownPredicates {
				o.lists[part][r][q].grows = count{r, q}
			}
		}
	}
	for _, u := range units {
		if u.waits == 0 {
			o.open(u)
		}
	}
	return o
}

func (o *openUnits) empty() bool { return o.n == 0 }

func (o *openUnits) part(u *unit) int {
	switch u.chain {
	case 0:
		return outsideChains
	case o.chain:
		return insideChain
	}
	return beginsChain
}

// open adds a unit that waits for no other.
func (o *openUnits) open(u *unit) {
	o.n++
	part := o.part(u)
	heap.Push(&o.order[part], u)
	o.enlist(u, part)
}

func (o *openUnits) enlist(u *unit, part int) {
	l := &o.lists[part][0][0]
	if o.counts {
		l = &o.lists[part][min(max(u.grow.registers, 0), grownRegisters-1)][min(max(u.grow.predicates, 0), grownPredicates-1)]
	}
	if u.list == l {
		return
	}
	u.list = l
	if u.ready <= o.cycle {
		heap.Push(&l.ready, u)
	} else {
		heap.Push(&l.pending, u)
	}
}

// moved puts a unit whose need has changed where it belongs.
func (o *openUnits) moved(u *unit) {
	if u.list != nil {
		o.enlist(u, o.part(u))
	}
}

// take removes a unit, which is placed.
func (o *openUnits) take(u *unit) {
	o.n--
	u.list = nil
	if u.chain == 0 {
		return
	}
	o.chain = u.chain
	if o.left[u.chain]--; o.left[u.chain] == 0 {
		o.chain = 0
	}
}

func (o *openUnits) advance(cycle int) { o.cycle = cycle }

// release opens the units that waited for a unit, which was issued at a cycle, as the last.
func (o *openUnits) release(u *unit, issued int) {
	for _, e := range u.after {
		next := e.to
		if at := issued + e.latency; at > next.ready {
			next.ready, next.far = at, e.latency > 1 && target.FarClass[u.operations[len(u.operations)-1].Class]
		}
		if next.waits--; next.waits > 0 {
			continue
		}
		if len(next.operations) == 0 {
			o.release(next, next.ready)
		} else {
			o.open(next)
		}
	}
}

// allowed calls visit for each part whose units may come next.
func (o *openUnits) allowed(visit func(part int)) {
	visit(outsideChains)
	if o.chain == 0 {
		visit(beginsChain)
	} else {
		visit(insideChain)
	}
}

// better reports that a comes before b where latencies alone count: what is ready soonest, then what is most urgent, then what PTX has
// first.
func (o *openUnits) better(a, b *unit) bool {
	if x, y := max(a.ready-o.cycle, 0), max(b.ready-o.cycle, 0); x != y {
		return x < y
	}
	return moreUrgent(a, b)
}

func moreUrgent(a, b *unit) bool {
	if a.urgency != b.urgency {
		return a.urgency > b.urgency
	}
	return a.position < b.position
}

// best returns the unit that comes first where latencies alone count.
func (o *openUnits) best() *unit {
	var best *unit
	o.allowed(func(part int) {
		for r := range grownRegisters {
			for q := range grownPredicates {
				if u := o.lists[part][r][q].top(o.cycle); u != nil && (best == nil || o.better(u, best)) {
					best = u
				}
			}
		}
	})
	return best
}

// bestOf returns the best unit that fits, of the lists asked for, nil for none.
func (o *openUnits) bestOf(asked func(*openList) bool, fits func(*unit) bool) *unit {
	var best *unit
	o.allowed(func(part int) {
		for r := range grownRegisters {
			for q := range grownPredicates {
				l := &o.lists[part][r][q]
				if !asked(l) {
					continue
				}
				if u := o.firstThatFits(l, fits); u != nil && (best == nil || o.better(u, best)) {
					best = u
				}
			}
		}
	})
	return best
}

// firstThatFits returns the best unit of a list that fits, nil where none of the first ones does.
func (o *openUnits) firstThatFits(l *openList, fits func(*unit) bool) *unit {
	o.tried = o.tried[:0]
	var found *unit
	for range triedUnits {
		u := l.top(o.cycle)
		if u == nil || fits(u) {
			found = u
			break
		}
		o.tried = append(o.tried, u)
		l.drop()
	}
	for _, u := range o.tried {
		u.list = nil
		o.enlist(u, o.part(u))
	}
	return found
}

// first returns the unit that PTX has first.
func (o *openUnits) first() *unit {
	var first *unit
	o.allowed(func(part int) {
		h := &o.order[part]
		for len(h.units) > 0 && (h.units[0].list == nil || o.part(h.units[0]) != part) {
			heap.Pop(h)
		}
		if len(h.units) > 0 && (first == nil || h.units[0].position < first.position) {
			first = h.units[0]
		}
	})
	return first
}

// top returns the list's best unit, nil if it is empty.
func (l *openList) top(cycle int) *unit {
	for len(l.pending.units) > 0 && (l.pending.units[0].list != l || l.pending.units[0].ready <= cycle) {
		if u := heap.Pop(&l.pending).(*unit); u.list == l {
			heap.Push(&l.ready, u)
		}
	}
	for len(l.ready.units) > 0 && l.ready.units[0].list != l {
		heap.Pop(&l.ready)
	}
	switch {
	case len(l.ready.units) > 0:
		return l.ready.units[0]
	case len(l.pending.units) > 0:
		return l.pending.units[0]
	}
	return nil
}

// drop takes the unit that top gave off the list.
func (l *openList) drop() {
	if len(l.ready.units) > 0 {
		heap.Pop(&l.ready)
	} else {
		heap.Pop(&l.pending)
	}
}

// urgencyHeap has the most urgent unit on top, readyHeap the one that is ready soonest, positionHeap the first in PTX.
type (
	units        []*unit
	urgencyHeap  struct{ units }
	readyHeap    struct{ units }
	positionHeap struct{ units }
)

func (h *units) Len() int      { return len(*h) }
func (h *units) Swap(i, j int) { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }
func (h *units) Push(u any)    { *h = append(*h, u.(*unit)) }
func (h *units) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (h *urgencyHeap) Less(i, j int) bool { return moreUrgent(h.units[i], h.units[j]) }

func (h *readyHeap) Less(i, j int) bool {
	a, b := h.units[i], h.units[j]
	if a.ready != b.ready {
		return a.ready < b.ready
	}
	return moreUrgent(a, b)
}

func (h *positionHeap) Less(i, j int) bool { return h.units[i].position < h.units[j].position }
