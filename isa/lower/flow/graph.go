package flow

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Graph is what passes need of the control flow: who dominates whom, and the loops. Blocks are named by their ids.
type Graph struct {
	Order     []*Block      // reverse postorder
	Number    []int32       // by block: its place in order, -1 where the entry does not lead
	dominator []isa.BlockID // by block: immediate; the entry's is itself
	Loops     []*Loop       // inner ones after the loops that hold them
	Inner     []*Loop       // by block: the innermost loop around it, nil for none
	// span is, by block, when a walk over the tree of dominators enters and leaves it, counted from 1; zero where the entry does not lead.
	span []span
}

type span struct{ enter, leave int32 }

// Loop is a natural loop: the blocks that reach the header again without leaving through it. Two loops lie one in the other or apart.
type Loop struct {
	header isa.BlockID
	Outer  *Loop // the next loop around it, nil for none
	known  *Loop // one around it, while loops are found
	depth  int   // loops around it, itself included
	span   span  // when a walk over the tree of loops enters and leaves it
}

// Graph analyses the function's control flow and sets each block's loop depth.
func (f Blocks) Graph() *Graph {
	g := &Graph{}
	if len(f.Layout) == 0 {
		return g
	}
	g.Order = f.reversePostorder()
	g.Number = make([]int32, len(f.ByID))
	for id := range g.Number {
		g.Number[id] = -1
	}
	for n, b := range g.Order {
		g.Number[b.ID] = int32(n)
	}
	g.dominators(len(f.ByID))
	g.walk()
	g.findLoops(f)
	return g
}

func (f Blocks) reversePostorder() []*Block {
	type visit struct {
		block *Block
		next  int // successor
	}
	seen := make([]bool, len(f.ByID))
	order := make([]*Block, 0, len(f.Layout))
	seen[f.Layout[0].ID] = true
	stack := []visit{{block: f.Layout[0]}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.block.Successors) {
			order = append(order, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.block.Successors[top.next]
		top.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, visit{block: f.ByID[s]})
		}
	}
	slices.Reverse(order)
	return order
}

// walk numbers the tree of dominators: a block's whole subtree lies between entering and leaving it.
func (g *Graph) walk() {
	g.span = make([]span, len(g.Number))
	children := g.Children()
	time := int32(0)
	next := make([]int, len(g.Number))
	stack := []isa.BlockID{g.Order[0].ID}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		if g.span[id].enter == 0 {
			time++
			g.span[id].enter = time
		}
		if next[id] < len(children[id]) {
			stack = append(stack, children[id][next[id]].ID)
			next[id]++
			continue
		}
		g.span[id].leave = time
		stack = stack[:len(stack)-1]
	}
}

// Children are, by block, those that it dominates immediately, in reverse postorder.
func (g *Graph) Children() [][]*Block {
	count := make([]int32, len(g.Number))
	for _, b := range g.Order[1:] {
		count[g.dominator[b.ID]]++
	}
	children, all := make([][]*Block, len(g.Number)), make([]*Block, len(g.Order))
	for id, n := range count {
		children[id], all = all[:0:n], all[n:]
	}
	for _, b := range g.Order[1:] {
		parent := g.dominator[b.ID]
		children[parent] = append(children[parent], b)
	}
	return children
}

// Dominates reports that every path to b passes a.
func (g *Graph) Dominates(a, b isa.BlockID) bool {
	return g.span[b].enter != 0 && g.span[a].enter != 0 && g.span[a].enter <= g.span[b].enter && g.span[b].leave <= g.span[a].leave
}

// findLoops collects each loop's blocks from its branches back, inner loops first; a loop that lies in another is passed as one.
func (g *Graph) findLoops(f Blocks) {
	g.Inner = make([]*Loop, len(g.Number))
	for n := len(g.Order) - 1; n >= 0; n-- {
		g.Order[n].Depth = 0
		g.findLoop(f, g.Order[n])
	}
	slices.Reverse(g.Loops) // by the places of their headers
	g.nest()
	for _, b := range g.Order {
		if l := g.Inner[b.ID]; l != nil {
			b.Depth = l.depth
		}
	}
}

// findLoop finds the loop of a header, if it is one.
func (g *Graph) findLoop(f Blocks, header *Block) {
	var work []isa.BlockID
	for _, p := range header.Predecessors {
		if g.Dominates(header.ID, p) {
			work = append(work, p)
		}
	}
	if len(work) == 0 {
		return
	}
	l := &Loop{header: header.ID}
	g.Loops = append(g.Loops, l)
	g.Inner[header.ID] = l
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		switch inside := g.Inner[id]; {
		case g.Number[id] < 0:
			continue
		case inside == nil:
			g.Inner[id] = l
		default:
			top := inside.outermost()
			if top == l {
				continue
			}
			top.Outer, top.known = l, l
			id = top.header
		}
		work = append(work, f.ByID[id].Predecessors...)
	}
}

// Header returns the block that control enters the loop by.
func (l *Loop) Header() isa.BlockID { return l.header }

// outermost returns the largest loop known so far that holds the loop.
func (l *Loop) outermost() *Loop {
	for l.known != nil {
		if l.known.known != nil {
			l.known = l.known.known
		}
		l = l.known
	}
	return l
}

// nest numbers the loops so that contains can tell which lie inside which.
func (g *Graph) nest() {
	inside := map[*Loop][]*Loop{}
	for _, l := range g.Loops {
		inside[l.Outer] = append(inside[l.Outer], l)
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
		if l.Outer != nil {
			l.depth = l.Outer.depth + 1
		}
		stack = append(stack, inside[l]...)
	}
}

// Contains reports a block of the loop.
func (g *Graph) Contains(l *Loop, b isa.BlockID) bool {
	other := g.Inner[b]
	return other != nil && l.span.enter <= other.span.enter && other.span.leave <= l.span.leave
}

// Entries returns the blocks outside the loop from which control comes into it.
func (g *Graph) Entries(f Blocks, l *Loop) []*Block {
	var list []*Block
	for _, p := range f.ByID[l.header].Predecessors {
		if !g.Contains(l, p) {
			list = append(list, f.ByID[p])
		}
	}
	return list
}
