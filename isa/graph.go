package isa

// Connect computes the control-flow graph of f, a function of p, from its blocks' last instructions: Successors (branch targets first,
// fall-through last), Predecessors and Reconverge. Block IDs are set to the blocks' positions.
func (f *Function) Connect(p *Program) {
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
	f.findReconvergence(p)
}

// successors lists the blocks that control may reach directly from b, each once.
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
