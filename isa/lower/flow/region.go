package flow

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Regions finds a block's region: the blocks between its branch and the meeting point of the branch's paths.
type Regions struct {
	f         Blocks
	graph     *Graph
	span      []span  // by block: in the tree whose parents are meeting points; zero outside the tree
	component []int32 // by block: the cycle (strongly connected component) that it is in; 0 if it does not reach itself
	inside    []int32 // by block: the cycle among blocks with the same meeting point, along paths that do not pass it; nil if unknown
	visited   []isa.BlockID
	seen      []bool
	work      []isa.BlockID
}

// Regions returns the regions of a control-flow graph.
func (f Blocks) Regions(g *Graph) *Regions {
	r := &Regions{f: f, graph: g, seen: make([]bool, len(f.ByID))}
	r.walk()
	r.component = components(len(f.ByID), func(b isa.BlockID) []isa.BlockID {
		if f.ByID[b] == nil {
			return nil
		}
		return f.ByID[b].Successors
	})
	if ways := r.edgesBetweenSiblings(); ways != nil {
		r.inside = components(len(f.ByID), func(b isa.BlockID) []isa.BlockID { return ways[b] })
	}
	return r
}

// walk numbers the tree of meeting points.
func (r *Regions) walk() {
	n := len(r.f.ByID)
	r.span = make([]span, n)
	below := make([][]isa.BlockID, n)
	var stack []isa.BlockID
	for _, b := range r.f.Layout {
		if b.Reconverge == NoBlock {
			stack = append(stack, b.ID)
		} else {
			below[b.Reconverge] = append(below[b.Reconverge], b.ID)
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

// beyond reports that paths that meet at b have passed a, or that both are the same block.
func (r *Regions) beyond(b, a isa.BlockID) bool {
	switch {
	case b == NoBlock || a == b:
		return true
	case a == NoBlock:
		return false
	}
	x, y := r.span[b], r.span[a]
	return x.enter > 0 && y.enter > 0 && x.enter <= y.enter && y.leave <= x.leave
}

// Marks records the visited blocks of regions, each with the farthest meeting point up to which its paths were followed.
type Marks struct {
	done []bool
	stop []isa.BlockID
}

// NewMarks returns marks with no block visited.
func (r *Regions) NewMarks() *Marks {
	return &Marks{done: make([]bool, len(r.f.ByID)), stop: make([]isa.BlockID, len(r.f.ByID))}
}

// Visit calls visit for each block of b's region that no earlier call visited. It skips paths that an earlier call followed as far or
// farther.
func (r *Regions) Visit(b *Block, m *Marks, visit func(b *Block)) {
	r.work = append(r.work[:0], b.Successors...)
	for len(r.work) > 0 {
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		if id == b.Reconverge || m.done[id] && r.beyond(m.stop[id], b.Reconverge) {
			continue
		}
		if !m.done[id] {
			visit(r.f.ByID[id])
		}
		m.done[id], m.stop[id] = true, b.Reconverge
		r.work = append(r.work, r.f.ByID[id].Successors...)
	}
}

// InOwnRegion reports that a block is in its own region: one of its paths returns to it before the paths meet.
func (r *Regions) InOwnRegion(b *Block) bool {
	if r.component[b.ID] == 0 {
		return false
	}
	if r.inside != nil {
		return r.inside[b.ID] != 0
	}
	if l := r.graph.Inner[b.ID]; l != nil && (b.Reconverge == NoBlock || !r.graph.Contains(l, b.Reconverge)) {
		return true
	}
	found := false
	r.visited = r.visited[:0]
	r.work = append(r.work[:0], b.Successors...)
	for len(r.work) > 0 && !found {
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		found = id == b.ID
		if r.seen[id] || id == b.Reconverge || r.component[id] != r.component[b.ID] {
			continue
		}
		r.seen[id] = true
		r.visited = append(r.visited, id)
		r.work = append(r.work, r.f.ByID[id].Successors...)
	}
	for _, id := range r.visited {
		r.seen[id] = false
	}
	return found
}

// edgesBetweenSiblings returns the edges between siblings, blocks with the same meeting point: from one to another without passing that
// point. A block returns to itself before its paths meet if these edges form a cycle through it. The result is nil if an edge leads out of
// the part of the tree below a block's meeting point, as when lanes exit in the middle of a path.
func (r *Regions) edgesBetweenSiblings() [][]isa.BlockID {
	siblings := map[isa.BlockID][]isa.BlockID{} // by meeting point, in the order in which the tree walk enters them
	for _, b := range r.f.Layout {
		siblings[b.Reconverge] = append(siblings[b.Reconverge], b.ID)
	}
	for _, list := range siblings {
		slices.SortFunc(list, func(a, b isa.BlockID) int { return int(r.span[a].enter - r.span[b].enter) })
	}
	ways := make([][]isa.BlockID, len(r.f.ByID))
	for _, b := range r.f.Layout {
		list := siblings[b.Reconverge]
		for _, s := range b.Successors {
			if s == b.Reconverge {
				continue
			}
			// The sibling above s in the tree is the last one that the walk enters before s.
			n, found := slices.BinarySearchFunc(list, r.span[s].enter,
				func(id isa.BlockID, enter int32) int { return int(r.span[id].enter - enter) })
			if !found {
				n--
			}
			if n < 0 || r.span[list[n]].leave < r.span[s].leave {
				return nil
			}
			ways[b.ID] = append(ways[b.ID], list[n])
		}
	}
	return ways
}

// components numbers the sets of blocks that reach each other from 1, by Tarjan's algorithm; 0 for blocks that do not reach themselves.
func components(blocks int, successors func(isa.BlockID) []isa.BlockID) []int32 {
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
						circle[id] = -1 // a cycle of one block
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
