package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// graph is what passes need of the control flow: who dominates whom, and the loops. Blocks are named by their ids.
type graph struct {
	order     []*block      // reverse postorder
	number    []int32       // by block: its place in order, -1 where the entry does not lead
	dominator []isa.BlockID // by block: immediate; the entry's is itself
	loops     []*loop       // inner ones after the loops that hold them
	inner     []*loop       // by block: the innermost loop around it, nil for none
	// span is, by block, when a walk over the tree of dominators enters and leaves it, counted from 1; zero where the entry does not lead.
	span []span
}

type span struct{ enter, leave int32 }

// loop is a natural loop: the blocks that reach the header again without leaving through it. Two loops lie one in the other or apart.
type loop struct {
	header isa.BlockID
	outer  *loop // the next loop around it, nil for none
	known  *loop // one around it, while loops are found
	depth  int   // loops around it, itself included
	span   span  // when a walk over the tree of loops enters and leaves it
}

// newGraph analyses the function's control flow and sets each block's loop depth.
func (f *function) newGraph() *graph {
	g := &graph{}
	if len(f.blocks) == 0 {
		return g
	}
	g.order = f.reversePostorder()
	g.number = make([]int32, len(f.byID))
	for id := range g.number {
		g.number[id] = -1
	}
	for n, b := range g.order {
		g.number[b.id] = int32(n)
	}
	g.dominators(len(f.byID))
	g.walk()
	g.findLoops(f)
	return g
}

func (f *function) reversePostorder() []*block {
	type visit struct {
		block *block
		next  int // successor
	}
	seen := make([]bool, len(f.byID))
	order := make([]*block, 0, len(f.blocks))
	seen[f.blocks[0].id] = true
	stack := []visit{{block: f.blocks[0]}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.block.successors) {
			order = append(order, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.block.successors[top.next]
		top.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, visit{block: f.byID[s]})
		}
	}
	slices.Reverse(order)
	return order
}

// walk numbers the tree of dominators: a block's whole subtree lies between entering and leaving it.
func (g *graph) walk() {
	g.span = make([]span, len(g.number))
	children := g.children()
	time := int32(0)
	next := make([]int, len(g.number))
	stack := []isa.BlockID{g.order[0].id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		if g.span[id].enter == 0 {
			time++
			g.span[id].enter = time
		}
		if next[id] < len(children[id]) {
			stack = append(stack, children[id][next[id]].id)
			next[id]++
			continue
		}
		g.span[id].leave = time
		stack = stack[:len(stack)-1]
	}
}

// children are, by block, those that it dominates immediately, in reverse postorder.
func (g *graph) children() [][]*block {
	children := make([][]*block, len(g.number))
	for _, b := range g.order[1:] {
		parent := g.dominator[b.id]
		children[parent] = append(children[parent], b)
	}
	return children
}

// dominates reports that every path to b passes a.
func (g *graph) dominates(a, b isa.BlockID) bool {
	return g.span[b].enter != 0 && g.span[a].enter != 0 && g.span[a].enter <= g.span[b].enter && g.span[b].leave <= g.span[a].leave
}

// findLoops collects each loop's blocks from its branches back, inner loops first; a loop that lies in another is passed as one.
func (g *graph) findLoops(f *function) {
	g.inner = make([]*loop, len(g.number))
	for n := len(g.order) - 1; n >= 0; n-- {
		g.order[n].depth = 0
		g.findLoop(f, g.order[n])
	}
	slices.Reverse(g.loops) // by the places of their headers
	g.nest()
	for _, b := range g.order {
		if l := g.inner[b.id]; l != nil {
			b.depth = l.depth
		}
	}
}

// findLoop finds the loop of a header, if it is one.
func (g *graph) findLoop(f *function, header *block) {
	var work []isa.BlockID
	for _, p := range header.predecessors {
		if g.dominates(header.id, p) {
			work = append(work, p)
		}
	}
	if len(work) == 0 {
		return
	}
	l := &loop{header: header.id}
	g.loops = append(g.loops, l)
	g.inner[header.id] = l
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		switch inside := g.inner[id]; {
		case g.number[id] < 0:
			continue
		case inside == nil:
			g.inner[id] = l
		default:
			top := inside.outermost()
			if top == l {
				continue
			}
			top.outer, top.known = l, l
			id = top.header
		}
		work = append(work, f.byID[id].predecessors...)
	}
}

// outermost is the largest loop known so far that holds the loop.
func (l *loop) outermost() *loop {
	for l.known != nil {
		if l.known.known != nil {
			l.known = l.known.known
		}
		l = l.known
	}
	return l
}

// nest numbers the loops so that contains can tell which lie inside which.
func (g *graph) nest() {
	inside := map[*loop][]*loop{}
	for _, l := range g.loops {
		inside[l.outer] = append(inside[l.outer], l)
	}
	time := int32(0)
	stack := slices.Clone(inside[nil])
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		time++
		if l.depth > 0 { // all inside it are numbered
			l.span.leave = time
			stack = stack[:len(stack)-1]
			continue
		}
		l.depth, l.span.enter = 1, time
		if l.outer != nil {
			l.depth = l.outer.depth + 1
		}
		stack = append(stack, inside[l]...)
	}
}

// contains reports a block of the loop.
func (g *graph) contains(l *loop, b isa.BlockID) bool {
	other := g.inner[b]
	return other != nil && l.span.enter <= other.span.enter && other.span.leave <= l.span.leave
}

// entries are the blocks outside the loop from which control comes into it.
func (g *graph) entries(f *function, l *loop) []*block {
	var list []*block
	for _, p := range f.byID[l.header].predecessors {
		if !g.contains(l, p) {
			list = append(list, f.byID[p])
		}
	}
	return list
}
