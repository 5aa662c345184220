package isa

// Connect computes the control-flow graph of f from its blocks' last instructions: Successors (branch targets first, fall-through
// last), Predecessors and Reconverge. Block IDs are set to the blocks' positions.
func (f *Function) Connect() {
	for i, b := range f.Blocks {
		b.ID = BlockID(i)
		b.Predecessors = b.Predecessors[:0]
	}
	for i, b := range f.Blocks {
		b.Successors = successors(b, i+1 < len(f.Blocks))
		for _, s := range b.Successors {
			f.Blocks[s].Predecessors = append(f.Blocks[s].Predecessors, b.ID)
		}
	}
	for i, r := range postDominators(f.Blocks) {
		f.Blocks[i].Reconverge = r
	}
}

// successors lists where control goes after b, each block once.
func successors(b *Block, hasNext bool) []BlockID {
	var out []BlockID
	add := func(id BlockID) {
		for _, have := range out {
			if have == id {
				return
			}
		}
		out = append(out, id)
	}
	falls := true
	if n := len(b.Instructions); n > 0 && b.Instructions[n-1].Terminator() {
		last := b.Instructions[n-1]
		for _, t := range last.Targets {
			add(t)
		}
		falls = last.Guard.Present
	}
	if falls && hasNext {
		add(b.ID + 1)
	}
	return out
}

// postDominators returns each block's immediate post-dominator, or -1 when its paths meet only at the exit or never
// reach it. The algorithm is Cooper, Harvey and Kennedy's "A Simple, Fast Dominance Algorithm" on the reversed graph.
func postDominators(blocks []*Block) []BlockID {
	exit := len(blocks)
	order, number := reversePostorder(blocks)
	const unknown = -2
	parent := make([]int, exit+1)
	for i := range parent {
		parent[i] = unknown
	}
	parent[exit] = exit
	intersect := func(a, b int) int {
		for a != b {
			for number[a] > number[b] {
				a = parent[a]
			}
			for number[b] > number[a] {
				b = parent[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, id := range order {
			meet := unknown
			if leaves(blocks[id]) {
				meet = exit
			}
			for _, s := range blocks[id].Successors {
				switch {
				case parent[s] == unknown:
				case meet == unknown:
					meet = int(s)
				default:
					meet = intersect(meet, int(s))
				}
			}
			if meet != parent[id] {
				parent[id], changed = meet, true
			}
		}
	}
	out := make([]BlockID, exit)
	for i := range out {
		out[i] = -1
		if parent[i] != unknown && parent[i] != exit {
			out[i] = BlockID(parent[i])
		}
	}
	return out
}

// leaves reports a block that ends the function for the lanes that execute its last instruction.
func leaves(b *Block) bool {
	if len(b.Successors) == 0 {
		return true
	}
	last := b.Instructions[len(b.Instructions)-1]
	return last.Op == OpRet || last.Op == OpExit || last.Op == OpTrap
}

// reversePostorder numbers the blocks that reach the exit in reverse postorder of the reversed graph: the exit first.
func reversePostorder(blocks []*Block) (order []int, number []int) {
	exit := len(blocks)
	number = make([]int, exit+1)
	seen := make([]bool, exit)
	var post []int
	type frame struct {
		block int
		next  int
	}
	for root := range blocks {
		if seen[root] || !leaves(blocks[root]) {
			continue
		}
		seen[root] = true
		stack := []frame{{block: root}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			predecessors := blocks[top.block].Predecessors
			if top.next == len(predecessors) {
				post = append(post, top.block)
				stack = stack[:len(stack)-1]
				continue
			}
			p := int(predecessors[top.next])
			top.next++
			if !seen[p] {
				seen[p] = true
				stack = append(stack, frame{block: p})
			}
		}
	}
	for i := len(post) - 1; i >= 0; i-- {
		order = append(order, post[i])
		number[post[i]] = len(order)
	}
	return order, number
}
