package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// regions tells what lies between a block's branch and where its paths meet: its region.
type regions struct {
	f       *function
	graph   *graph
	span    []span  // by block: of the tree in which each block hangs below the one where its paths meet; zero outside it
	circle  []int32 // by block: of the blocks that reach each other, which it belongs to; 0 where it does not reach itself
	inside  []int32 // by block, of those that meet at one place: the same of the ways that do not pass it; nil where it is unknown
	visited []isa.BlockID
	seen    []bool
	work    []isa.BlockID
}

func (f *function) newRegions() *regions {
	r := &regions{f: f, graph: f.flow(), seen: make([]bool, len(f.byID))}
	r.walk()
	r.circle = circles(len(f.byID), func(b isa.BlockID) []isa.BlockID {
		if f.byID[b] == nil {
			return nil
		}
		return f.byID[b].successors
	})
	if ways := r.waysBetweenSiblings(); ways != nil {
		r.inside = circles(len(f.byID), func(b isa.BlockID) []isa.BlockID { return ways[b] })
	}
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
	if r.inside != nil {
		return r.inside[b.id] != 0
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

// waysBetweenSiblings are the ways between blocks whose paths meet at the same place: from one to another without passing that place. A
// block comes back to itself before its paths meet if it does so along these. They are nil where blocks do not lie below the places where
// their paths meet, as where lanes end in the middle of a path.
func (r *regions) waysBetweenSiblings() [][]isa.BlockID {
	siblings := map[isa.BlockID][]isa.BlockID{} // by where their paths meet, as the tree is walked
	for _, b := range r.f.blocks {
		if r.span[b.id].enter == 0 || b.reconverge != noBlock && len(b.successors) == 0 {
			return nil
		}
		siblings[b.reconverge] = append(siblings[b.reconverge], b.id)
	}
	for _, list := range siblings {
		slices.SortFunc(list, func(a, b isa.BlockID) int { return int(r.span[a].enter - r.span[b].enter) })
	}
	ways := make([][]isa.BlockID, len(r.f.byID))
	for _, b := range r.f.blocks {
		list := siblings[b.reconverge]
		for _, s := range b.successors {
			if s == b.reconverge {
				continue
			}
			// The sibling below which s lies is the last that the walk enters before it.
			n, found := slices.BinarySearchFunc(list, r.span[s].enter, func(id isa.BlockID, enter int32) int { return int(r.span[id].enter - enter) })
			if !found {
				n--
			}
			if n < 0 || r.span[list[n]].leave < r.span[s].leave {
				return nil
			}
			ways[b.id] = append(ways[b.id], list[n])
		}
	}
	return ways
}

// circles finds the sets of blocks that reach each other, numbered from 1, by Tarjan's algorithm; 0 for blocks that do not reach themselves.
func circles(blocks int, successors func(isa.BlockID) []isa.BlockID) []int32 {
	circle := make([]int32, blocks)
	number, low, next, open := make([]int32, blocks), make([]int32, blocks), make([]int, blocks), make([]bool, blocks)
	var path, stack []isa.BlockID
	time, found := int32(0), int32(0)
	enter := func(id isa.BlockID) {
		time++
		number[id], low[id], open[id] = time, time, true
		path, stack = append(path, id), append(stack, id)
	}
	for root := range isa.BlockID(blocks) {
		if number[root] == 0 {
			enter(root)
		}
		for len(path) > 0 {
			id := path[len(path)-1]
			if list := successors(id); next[id] < len(list) {
				s := list[next[id]]
				next[id]++
				switch {
				case number[s] == 0:
					enter(s)
				case open[s]:
					low[id] = min(low[id], number[s])
					if s == id {
						circle[id] = -1 // alone, but a circle
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
			alone := stack[len(stack)-1] == id && circle[id] == 0
			found++
			for done := false; !done; {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[last], done = false, last == id
				if !alone {
					circle[last] = found
				}
			}
		}
	}
	return circle
}
