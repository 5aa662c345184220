package schedule

import (
	"container/heap"

	"github.com/keplersim/keplersim/isa/lower/target"
)

// openUnits are the units with no pending dependence. Lists by the registers and predicates that they need in addition find the best unit
// that needs no more without a search. Carry chains are apart: a chain may begin only after the previous one has ended.
type openUnits struct {
	cycle           int
	n               int
	lists           [3][grownRegisters][grownPredicates]openList
	order           [3]positionHeap
	chain           int   // the carry chain in progress, 0 for none
	left            []int // unplaced units, by chain
	countsRegisters bool  // registers count
	tried           []*unit
}

// Parts: units outside chains, units that begin one, and units of the chain in progress.
const (
	outsideChains = iota
	beginsChain
	insideChain
)

// Lists distinguish units that need more registers or not, and by the number of further predicates; four or more is one list.
const (
	grownRegisters  = 2
	grownPredicates = 5
)

// triedUnits is how many units of a list are checked for registers, best first.
const triedUnits = 64

// openList is the units with one need. Entries that have moved to another list, or are placed, are dropped when they reach the top.
type openList struct {
	grows   count // the least that its units need more
	ready   urgencyHeap
	pending readyHeap
}

func newOpenUnits(units []*unit, p *pressure) *openUnits {
	o := &openUnits{left: unitsOfChains(units), countsRegisters: p != nil}
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

// open adds a unit with no pending dependence.
func (o *openUnits) open(u *unit) {
	o.n++
	part := o.part(u)
	heap.Push(&o.order[part], u)
	o.enlist(u, part)
}

func (o *openUnits) enlist(u *unit, part int) {
	l := &o.lists[part][0][0]
	if o.countsRegisters {
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

// moved moves a unit whose need has changed to its list.
func (o *openUnits) moved(u *unit) {
	if u.list != nil {
		o.enlist(u, o.part(u))
	}
}

// take removes a unit that has been placed.
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

// release opens the units that waited only for u, which issued at a cycle.
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

// better orders units by latencies alone: first the soonest ready, then the most urgent, then PTX order.
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

// best returns the best unit by latencies alone.
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

// bestOf returns the best unit that fits, among the lists that accepts selects; nil for none.
func (o *openUnits) bestOf(accepts func(*openList) bool, fits func(*unit) bool) *unit {
	var best *unit
	o.allowed(func(part int) {
		for r := range grownRegisters {
			for q := range grownPredicates {
				l := &o.lists[part][r][q]
				if !accepts(l) {
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

// firstThatFits returns the best unit of a list that fits, nil if none of the first triedUnits does.
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

// first returns the first unit in PTX order.
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

// drop removes the unit that top returned.
func (l *openList) drop() {
	if len(l.ready.units) > 0 {
		heap.Pop(&l.ready)
	} else {
		heap.Pop(&l.pending)
	}
}

// urgencyHeap has the most urgent unit on top, readyHeap the soonest ready, positionHeap the first in PTX order.
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
