package lower

import "github.com/keplersim/keplersim/isa"

// regions tells what lies between a block's branch and where its paths meet: its region.
type regions struct {
	f       *function
	graph   *graph
	span    []span  // by block: of the tree in which each block hangs below the one where its paths meet; zero outside it
	circle  []int32 // by block: of the blocks that reach each other, which it belongs to; 0 where it does not reach itself
	visited []isa.BlockID
	seen    []bool
	work    []isa.BlockID
}

func (f *function) newRegions() *regions {
	r := &regions{f: f, graph: f.flow(), seen: make([]bool, len(f.byID))}
	r.walk()
	r.findCircles()
	return r
}

// walk numbers the tree of meeting points.
func (r *regions) walk() {
	n := len(r.f.byID)
	r.span = make([]span, n)
	below := make([][]isa.BlockID, n)
	var stack []isa.BlockID
	for _, b := range r.f.blocks {
		if b.reconverge == noBlock {
			stack = append(stack, b.id)
		} else {
			below[b.reconverge] = append(below[b.reconverge], b.id)
		}
	}
	time := int32(0)
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		time++
		if r.span[id].enter > 0 {
			r.span[id].leave = time
			stack = stack[:len(stack)-1]
			continue
		}
		r.span[id].enter = time
		stack = append(stack, below[id]...)
	}
}

// beyond reports that paths that meet at b have come there by way of a, or that the two are one.
func (r *regions) beyond(b, a isa.BlockID) bool {
	switch {
	case b == noBlock || a == b:
		return true
	case a == noBlock:
		return false
	}
	x, y := r.span[b], r.span[a]
	return x.enter > 0 && y.enter > 0 && x.enter <= y.enter && y.leave <= x.leave
}

// marks are the blocks of the regions that have been visited, each with the farthest meeting point up to which paths from it were followed.
type marks struct {
	done []bool
	stop []isa.BlockID
}

func (r *regions) newMarks() *marks {
	return &marks{done: make([]bool, len(r.f.byID)), stop: make([]isa.BlockID, len(r.f.byID))}
}

// visit calls visit for each block of a block's region that no earlier call had. Where another region was followed as far or farther, there
// is nothing to find.
func (r *regions) visit(b *block, m *marks, visit func(b *block)) {
	r.work = append(r.work[:0], b.successors...)
	for len(r.work) > 0 {
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		if id == b.reconverge || m.done[id] && r.beyond(m.stop[id], b.reconverge) {
			continue
		}
		if !m.done[id] {
			visit(r.f.byID[id])
		}
		m.done[id], m.stop[id] = true, b.reconverge
		r.work = append(r.work, r.f.byID[id].successors...)
	}
}

// holdsItself reports that a block's region has the block itself: some of its paths come back before they meet.
func (r *regions) holdsItself(b *block) bool {
	if r.circle[b.id] == 0 {
		return false
	}
	if l := r.graph.inner[b.id]; l != nil && (b.reconverge == noBlock || !r.graph.contains(l, b.reconverge)) {
		return true
	}
	found := false
	r.visited = r.visited[:0]
	r.work = append(r.work[:0], b.successors...)
	for len(r.work) > 0 && !found {
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		found = id == b.id
		if r.seen[id] || id == b.reconverge || r.circle[id] != r.circle[b.id] {
			continue
		}
		r.seen[id] = true
		r.visited = append(r.visited, id)
		r.work = append(r.work, r.f.byID[id].successors...)
	}
	for _, id := range r.visited {
		r.seen[id] = false
	}
	return found
}

// findCircles finds the sets of blocks that reach each other: Tarjan's algorithm.
func (r *regions) findCircles() {
	n := len(r.f.byID)
	r.circle = make([]int32, n)
	number, low, next, open := make([]int32, n), make([]int32, n), make([]int, n), make([]bool, n)
	var path, stack []isa.BlockID
	time, circles := int32(0), int32(0)
	enter := func(id isa.BlockID) {
		time++
		number[id], low[id], open[id] = time, time, true
		path, stack = append(path, id), append(stack, id)
	}
	enter(r.f.blocks[0].id)
	for len(path) > 0 {
		id := path[len(path)-1]
		successors := r.f.byID[id].successors
		if k := next[id]; k < len(successors) {
			next[id]++
			switch s := successors[k]; {
			case number[s] == 0:
				enter(s)
			case open[s]:
				low[id] = min(low[id], number[s])
				if s == id {
					r.circle[id] = -1 // alone, but a circle
				}
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			above := path[len(path)-1]
			low[above] = min(low[above], low[id])
		}
		if low[id] != number[id] {
			continue
		}
		alone := stack[len(stack)-1] == id && r.circle[id] == 0
		circles++
		for done := false; !done; {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			open[last], done = false, last == id
			if !alone {
				r.circle[last] = circles
			}
		}
	}
}
