package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// graph is what passes need of the control flow: who dominates whom, and the loops.
type graph struct {
	order     []*block // reverse postorder
	number    map[isa.BlockID]int
	dominator map[isa.BlockID]isa.BlockID // immediate; the entry's is itself
	loops     []*loop                     // inner ones after the loops that hold them
	// span is, by block, when a walk over the tree of dominators enters and leaves it, counted from 1; zero where the entry does not lead.
	span []span
}

type span struct{ enter, leave int32 }

// loop is a natural loop: the blocks that reach the header again without leaving through it.
type loop struct {
	header isa.BlockID
	blocks map[isa.BlockID]bool
}

// newGraph analyses the function's control flow and sets each block's loop depth.
func (f *function) newGraph() *graph {
	g := &graph{number: map[isa.BlockID]int{}, dominator: map[isa.BlockID]isa.BlockID{}}
	if len(f.blocks) == 0 {
		return g
	}
	seen := map[isa.BlockID]bool{}
	var visit func(b *block)
	visit = func(b *block) {
		seen[b.id] = true
		for _, s := range b.successors {
			if !seen[s] {
				visit(f.byID[s])
			}
		}
		g.order = append(g.order, b)
	}
	visit(f.blocks[0])
	slices.Reverse(g.order)
	for n, b := range g.order {
		g.number[b.id] = n
	}
	g.dominators()
	g.walk()
	g.findLoops(f)
	return g
}

// dominators is Cooper, Harvey and Kennedy's algorithm.
func (g *graph) dominators() {
	entry := g.order[0].id
	g.dominator[entry] = entry
	meet := func(a, b isa.BlockID) isa.BlockID {
		for a != b {
			for g.number[a] > g.number[b] {
				a = g.dominator[a]
			}
			for g.number[b] > g.number[a] {
				b = g.dominator[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, b := range g.order[1:] {
			idom := noBlock
			for _, p := range b.predecessors {
				if _, known := g.dominator[p]; !known {
					continue
				}
				if idom == noBlock {
					idom = p
				} else {
					idom = meet(idom, p)
				}
			}
			if old, known := g.dominator[b.id]; idom != noBlock && (!known || old != idom) {
				g.dominator[b.id] = idom
				changed = true
			}
		}
	}
}

// walk numbers the tree of dominators: a block's whole subtree lies between entering and leaving it.
func (g *graph) walk() {
	last := isa.BlockID(0)
	children := map[isa.BlockID][]isa.BlockID{}
	for n, b := range g.order {
		last = max(last, b.id)
		if n > 0 {
			parent := g.dominator[b.id]
			children[parent] = append(children[parent], b.id)
		}
	}
	g.span = make([]span, last+1)
	time := int32(0)
	var visit func(id isa.BlockID)
	visit = func(id isa.BlockID) {
		time++
		g.span[id].enter = time
		for _, child := range children[id] {
			visit(child)
		}
		g.span[id].leave = time
	}
	visit(g.order[0].id)
}

// dominates reports that every path to b passes a.
func (g *graph) dominates(a, b isa.BlockID) bool {
	if int(max(a, b)) >= len(g.span) || g.span[b].enter == 0 {
		return false
	}
	return g.span[a].enter <= g.span[b].enter && g.span[b].leave <= g.span[a].leave
}

func (g *graph) findLoops(f *function) {
	byHeader := map[isa.BlockID]*loop{}
	for _, b := range g.order {
		b.depth = 0
		for _, s := range b.successors {
			if !g.dominates(s, b.id) {
				continue
			}
			l := byHeader[s]
			if l == nil {
				l = &loop{header: s, blocks: map[isa.BlockID]bool{s: true}}
				byHeader[s] = l
				g.loops = append(g.loops, l)
			}
			work := []isa.BlockID{b.id}
			for len(work) > 0 {
				id := work[len(work)-1]
				work = work[:len(work)-1]
				if _, reachable := g.number[id]; l.blocks[id] || !reachable {
					continue
				}
				l.blocks[id] = true
				work = append(work, f.byID[id].predecessors...)
			}
		}
	}
	slices.SortStableFunc(g.loops, func(a, b *loop) int { return g.number[a.header] - g.number[b.header] })
	for _, l := range g.loops {
		for id := range l.blocks {
			f.byID[id].depth++
		}
	}
}

// entries are the blocks outside the loop from which control comes into it.
func (l *loop) entries(f *function) []*block {
	var list []*block
	for _, p := range f.byID[l.header].predecessors {
		if !l.blocks[p] {
			list = append(list, f.byID[p])
		}
	}
	return list
}
