package flow

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Graph is a function's dominator tree and its loops. Blocks are named by their ids.
type Graph struct {
	Order     []*Block      // reverse postorder
	Number    []int32       // by block: its index in Order, -1 if unreachable
	dominator []isa.BlockID // by block: the immediate one; the entry is its own
	Loops     []*Loop       // outer loops first
	Inner     []*Loop       // by block: the innermost loop around it, nil if none
	// span is, by block, when a walk of the dominator tree enters and leaves it, counted from 1; zero if unreachable.
	span []span
}

type span struct{ enter, leave int32 }

// Loop is a natural loop: the blocks that can reach the header again without leaving the loop. Two loops are nested or disjoint.
type Loop struct {
	header isa.BlockID
	Outer  *Loop // the next loop around it, nil if none
	known  *Loop // a loop around it, while loops are being found
	depth  int   // loops around it, itself included
	span   span  // when a walk of the loop tree enters and leaves it
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

// walk numbers the dominator tree: a block's subtree has the numbers between entering and leaving the block.
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

// Children returns, by block, the blocks that it immediately dominates, in reverse postorder.
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

// Dominates reports that every path from the entry to b passes a.
func (g *Graph) Dominates(a, b isa.BlockID) bool {
	return g.span[b].enter != 0 && g.span[a].enter != 0 && g.span[a].enter <= g.span[b].enter && g.span[b].leave <= g.span[a].leave
}

// findLoops collects each loop's blocks backwards from its back edges, inner loops first. An inner loop is then one step of an outer one.
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

// findLoop finds the loop with the given header, if there is one.
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

// Header returns the block through which control enters the loop.
func (l *Loop) Header() isa.BlockID { return l.header }

// outermost returns the outermost loop known so far that contains the loop.
func (l *Loop) outermost() *Loop {
	for l.known != nil {
		if l.known.known != nil {
			l.known = l.known.known
		}
		l = l.known
	}
	return l
}

// nest numbers the loops so that Contains can tell which are nested in which.
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

// Contains reports that block b is in the loop.
func (g *Graph) Contains(l *Loop, b isa.BlockID) bool {
	other := g.Inner[b]
	return other != nil && l.span.enter <= other.span.enter && other.span.leave <= l.span.leave
}

// Entries returns the predecessors of the header that are outside the loop.
func (g *Graph) Entries(f Blocks, l *Loop) []*Block {
	var list []*Block
	for _, p := range f.ByID[l.header].Predecessors {
		if !g.Contains(l, p) {
			list = append(list, f.ByID[p])
		}
	}
	return list
}
