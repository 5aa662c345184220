package flow

import "github.com/keplersim/keplersim/isa"

// dominators finds the immediate dominators by Lengauer and Tarjan's algorithm with path compression: m log n time for every shape of
// graph. Blocks are numbered in depth-first order.
func (g *Graph) dominators(blocks int) {
	d := newDominance(g, blocks)
	for n := len(d.block) - 1; n > 0; n-- {
		v := int32(n)
		for _, p := range d.block[v].Predecessors {
			if u := d.number[p]; u >= 0 {
				d.semi[v] = min(d.semi[v], d.semi[d.eval(u)])
			}
		}
		d.bucket[d.semi[v]] = append(d.bucket[d.semi[v]], v)
		parent := d.parent[v]
		d.ancestor[v] = parent
		for _, w := range d.bucket[parent] {
			if u := d.eval(w); d.semi[u] < d.semi[w] {
				d.dominator[w] = u
			} else {
				d.dominator[w] = parent
			}
		}
		d.bucket[parent] = nil
	}
	g.dominator = make([]isa.BlockID, blocks)
	for id := range g.dominator {
		g.dominator[id] = NoBlock
	}
	for n := range d.block {
		if n > 0 && d.dominator[n] != d.semi[n] {
			d.dominator[n] = d.dominator[d.dominator[n]]
		}
		g.dominator[d.block[n].ID] = d.block[d.dominator[n]].ID
	}
}

// dominance is the state of the algorithm, indexed by depth-first number unless stated otherwise.
type dominance struct {
	block     []*Block
	number    []int32 // by block id; -1 if the block is unreachable
	parent    []int32 // in the depth-first tree
	semi      []int32 // the semidominator
	dominator []int32
	ancestor  []int32   // in the forest of finished blocks; -1 for a root
	lowest    []int32   // on the path to the forest's root, the block of least semidominator
	bucket    [][]int32 // the blocks that have it as semidominator
	path      []int32
}

func newDominance(g *Graph, blocks int) *dominance {
	n := len(g.Order)
	d := &dominance{
		number: make([]int32, blocks), parent: make([]int32, n), semi: make([]int32, n), dominator: make([]int32, n),
		ancestor: make([]int32, n), lowest: make([]int32, n), bucket: make([][]int32, n),
	}
	byID := make([]*Block, blocks)
	for _, b := range g.Order {
		byID[b.ID] = b
	}
	for id := range d.number {
		d.number[id] = -1
	}
	type reached struct {
		id     isa.BlockID
		parent int32
	}
	stack := []reached{{id: g.Order[0].ID}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.number[top.id] >= 0 {
			continue
		}
		v := int32(len(d.block))
		d.number[top.id], d.parent[v] = v, top.parent
		d.semi[v], d.lowest[v], d.ancestor[v] = v, v, -1
		d.block = append(d.block, byID[top.id])
		for _, s := range byID[top.id].Successors {
			stack = append(stack, reached{s, v})
		}
	}
	return d
}

// eval returns the block of least semidominator on the path from v to the root of its tree in the forest, root excluded.
func (d *dominance) eval(v int32) int32 {
	if d.ancestor[v] < 0 {
		return v
	}
	d.path = d.path[:0]
	for u := v; d.ancestor[d.ancestor[u]] >= 0; u = d.ancestor[u] {
		d.path = append(d.path, u)
	}
	for k := len(d.path) - 1; k >= 0; k-- {
		u := d.path[k]
		above := d.ancestor[u]
		if d.semi[d.lowest[above]] < d.semi[d.lowest[u]] {
			d.lowest[u] = d.lowest[above]
		}
		d.ancestor[u] = d.ancestor[above]
	}
	return d.lowest[v]
}
