package isa

import "slices"

// findReconvergence finds the block where the lanes that part at a block's branch reconverge: the branch's immediate post-dominator, if it
// has one. A path ends only at a return or, in a kernel, an exit. A trap or a function that never returns ends no path, since no lane goes
// on from there to where others wait.
//
// If a path leaves early, which few lanes take as a rule, the branch has no post-dominator. Then the lanes reconverge:
//
//   - at the next barrier at the latest; paths that leave before it do not count, and run first
//   - else at the next shuffle or vote at the latest, by the same rule
//   - else where the paths meet that do not leave under a condition
//
// Kepler allows both: EXIT takes its lanes off the stack of reconvergence points, and the other lanes go on.
func (f *Function) findReconvergence(p *Program) {
	whole := f.postDominators([][]BlockID{f.blocksWhere(f.leaves)})
	var parting []*Block
	for _, b := range f.Blocks {
		b.Reconverge = whole.postDominator(b.ID)
		if len(b.Successors) > 1 && (b.Reconverge < 0 || f.onlyLeaves(f.Blocks[b.Reconverge])) {
			parting = append(parting, b)
		}
	}
	if len(parting) == 0 {
		return
	}
	barriers := f.postDominators([][]BlockID{f.blocksWhere(func(b *Block) bool { return b.Contains(p.MeetsBlock) })})
	together := f.postDominators([][]BlockID{f.blocksWhere(func(b *Block) bool {
		return b.Contains(meetsWarp) || b.Contains(p.MeetsBlock)
	})})
	surviving := f.postDominators(f.lastEnds())
	for _, b := range parting {
		if at, _ := barriers.meeting(b); at >= 0 {
			b.Reconverge = at
		} else if at, _ := together.meeting(b); at >= 0 {
			b.Reconverge = at
		} else if at, ways := surviving.meeting(b); at >= 0 && ways > 1 {
			b.Reconverge = at
		}
	}
}

// Contains reports a block with an instruction that satisfies a predicate.
func (b *Block) Contains(what func(*Instruction) bool) bool {
	return slices.ContainsFunc(b.Instructions, what)
}

// MeetsBlock reports an instruction at which a warp meets the other warps of its block.
func (p *Program) MeetsBlock(i *Instruction) bool {
	return i.Op == OpBar && i.Mod.Select != BarWarp || i.Op == OpCall && i.Call.Function >= 0 && p.Functions[i.Call.Function].HasBarrier
}

// meetsWarp reports an instruction that lanes of a warp execute together.
func meetsWarp(i *Instruction) bool {
	switch i.Op.Facts().Effect {
	case EffectBarrier, EffectShuffle, EffectVote, EffectMatch, EffectWarpReduction:
		return true
	}
	return false
}

// leaves reports a block whose last instruction ends the kernel, or returns from the function, for lanes that execute it.
func (f *Function) leaves(b *Block) bool {
	if b.Contains(func(i *Instruction) bool { return i.Op.Facts().Lowering.Control == ControlTrap && !i.Guard.Present }) {
		return false
	}
	last := b.Instructions[len(b.Instructions)-1].Op
	return last == OpRet || f.Kernel && (last == OpExit || len(b.Successors) == 0)
}

// onlyLeaves reports a block that does nothing but leave: a branch to it is as good as an exit.
func (f *Function) onlyLeaves(b *Block) bool {
	return len(b.Instructions) == 1 && len(b.Successors) == 0 && f.leaves(b)
}

// blocksWhere lists the blocks that satisfy a predicate.
func (f *Function) blocksWhere(holds func(*Block) bool) (list []BlockID) {
	for _, b := range f.Blocks {
		if holds(b) {
			list = append(list, b.ID)
		}
	}
	return list
}

// sortedEnds is the most work, in blocks visited, that ordering the ends may take.
const sortedEnds = 1 << 24

// lastEnds lists the ends of paths by priority. First come the blocks that always leave, led by the one that most instructions lead to: the
// other lanes go on in the code after an early return. Loops without an end count by their last block.
func (f *Function) lastEnds() (ends [][]BlockID) {
	var others [][]BlockID
	for _, b := range slices.Backward(f.Blocks) {
		goesOn := slices.ContainsFunc(b.Successors, func(s BlockID) bool { return !f.onlyLeaves(f.Blocks[s]) })
		switch end := []BlockID{b.ID}; {
		case f.onlyLeaves(b):
		case !goesOn && (f.leaves(b) || len(b.Successors) > 0):
			ends = append(ends, end)
		default:
			others = append(others, end)
		}
	}
	if len(ends)*len(f.Blocks) < sortedEnds {
		lead := make(map[BlockID]int, len(ends))
		for _, end := range ends {
			for _, id := range newDominance(f.Blocks).growTree(nil, 1, end) {
				lead[end[0]] += len(f.Blocks[id].Instructions)
			}
		}
		slices.SortStableFunc(ends, func(a, b []BlockID) int { return lead[b[0]] - lead[a[0]] })
	}
	return append(ends, others...)
}

// dominance is a forest of post-dominators, one tree for each list of ends. A block is in the tree of the first list that it reaches; paths
// to ends of other lists do not count.
type dominance struct {
	blocks []*Block
	tree   []int // by block: the number of its list, from 1; 0 if it reaches no end
	parent []int // by block; len(blocks) is the root behind all ends, unknown means not yet computed
	number []int // in reverse postorder of the reversed graph
}

const unknown = -1

func newDominance(blocks []*Block) *dominance {
	n := len(blocks)
	d := &dominance{blocks: blocks, tree: make([]int, n), parent: slices.Repeat([]int{unknown}, n+1), number: make([]int, n+1)}
	d.parent[n] = n
	return d
}

// postDominators computes the immediate post-dominators for lists of ends. The algorithm is "A Simple, Fast Dominance Algorithm" by Cooper,
// Harvey and Kennedy, on the reversed graph.
func (f *Function) postDominators(ends [][]BlockID) *dominance {
	d := newDominance(f.Blocks)
	var order []int
	for k, list := range ends {
		order = d.growTree(order, k+1, list)
	}
	for again := true; again; {
		again = false
		for _, id := range order {
			if d.parent[id] == len(f.Blocks) {
				continue
			}
			if meet, _ := d.commonPostDominator(f.Blocks[id]); meet != d.parent[id] {
				d.parent[id], again = meet, true
			}
		}
	}
	return d
}

// growTree adds the blocks that reach an end of the list, and no end of an earlier list, to the list's tree. It appends them to order in
// reverse postorder of the reversed graph.
func (d *dominance) growTree(order []int, tree int, ends []BlockID) []int {
	type frame struct{ block, next int }
	var stack []frame
	first := len(order)
	enter := func(id BlockID) {
		if d.tree[id] == 0 {
			d.tree[id] = tree
			stack = append(stack, frame{block: int(id)})
		}
	}
	for _, end := range ends {
		if d.tree[end] == 0 || d.tree[end] == tree { // else the block goes on to an end of an earlier list
			d.parent[end] = len(d.blocks)
		}
		enter(end)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if predecessors := d.blocks[top.block].Predecessors; top.next < len(predecessors) {
				top.next++
				enter(predecessors[top.next-1])
				continue
			}
			order = append(order, top.block)
			stack = stack[:len(stack)-1]
		}
	}
	slices.Reverse(order[first:])
	for k, id := range order[first:] {
		d.number[id] = k + 1
	}
	return order
}

// commonPostDominator returns the common post-dominator of the successors in the earliest tree among them, and the number of these
// successors.
func (d *dominance) commonPostDominator(b *Block) (at, ways int) {
	first := 0
	for _, s := range b.Successors {
		if t := d.tree[s]; t > 0 && (first == 0 || t < first) {
			first = t
		}
	}
	at = unknown
	for _, s := range b.Successors {
		if d.tree[s] != first || d.parent[s] == unknown {
			continue
		}
		if ways++; at == unknown {
			at = int(s)
		}
		at = d.intersect(at, int(s))
	}
	return at, ways
}

func (d *dominance) intersect(a, b int) int {
	for a != b {
		for d.number[a] > d.number[b] {
			a = d.parent[a]
		}
		for d.number[b] > d.number[a] {
			b = d.parent[b]
		}
	}
	return a
}

// meeting returns the block where the paths from a block's branch meet, -1 for none, and how many of the paths count.
func (d *dominance) meeting(b *Block) (BlockID, int) {
	at, ways := d.commonPostDominator(b)
	return d.block(at), ways
}

// postDominator returns a block's immediate post-dominator, -1 for none.
func (d *dominance) postDominator(id BlockID) BlockID { return d.block(d.parent[id]) }

func (d *dominance) block(n int) BlockID {
	if n == len(d.blocks) {
		return -1
	}
	return BlockID(n)
}
