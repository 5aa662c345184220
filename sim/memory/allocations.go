package memory

// allocations are the allocated pieces of device memory, in a search tree by address. Each piece knows the room before it, and the largest
// room in its subtree, so the lowest place for a new piece is found quickly. Priorities hashed from the addresses balance the tree (a
// treap): operations take logarithmic time.
type allocations struct {
	base  uint64 // lowest address of a piece
	root  *piece
	count int
}

// piece is an allocation in the tree.
type piece struct {
	Allocation
	room        uint64 // room before it, behind the guard of the previous piece
	most        uint64 // the largest room in this subtree
	left, right *piece
}

// behind returns where the next piece may begin.
func (p *piece) behind() uint64 { return p.Address + p.Bytes + guardBytes }

// priority is the hashed address. Pieces nearer to the root have a higher priority.
func (p *piece) priority() uint64 {
	x := p.Address
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sum recomputes most.
func (p *piece) sum() *piece {
	p.most = p.room
	if p.left != nil {
		p.most = max(p.most, p.left.most)
	}
	if p.right != nil {
		p.most = max(p.most, p.right.most)
	}
	return p
}

// split splits a tree into the pieces below an address and the others.
func (p *piece) split(at uint64) (below, others *piece) {
	switch {
	case p == nil:
		return nil, nil
	case p.Address < at:
		p.right, others = p.right.split(at)
		return p.sum(), others
	}
	below, p.left = p.left.split(at)
	return below, p.sum()
}

// merge joins two trees; all pieces of a are before those of b.
func merge(a, b *piece) *piece {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority() > b.priority():
		a.right = merge(a.right, b)
		return a.sum()
	}
	b.left = merge(a, b.left)
	return b.sum()
}

// last returns the piece with the highest address up to an address, nil for none.
func (a *allocations) last(address uint64) (found *piece) {
	for p := a.root; p != nil; {
		if p.Address <= address {
			found, p = p, p.right
		} else {
			p = p.left
		}
	}
	return found
}

// next returns the piece with the lowest address above an address, nil for none.
func (a *allocations) next(address uint64) (found *piece) {
	for p := a.root; p != nil; {
		if p.Address > address {
			found, p = p, p.left
		} else {
			p = p.right
		}
	}
	return found
}

// place returns the lowest free address for an allocation.
func (a *allocations) place(bytes, alignment uint64) uint64 {
	if at, ok := a.root.place(bytes, alignment); ok {
		return at
	}
	if p := a.last(^uint64(0)); p != nil {
		return roundUp(p.behind(), alignment)
	}
	return a.base
}

func (p *piece) place(bytes, alignment uint64) (at uint64, ok bool) {
	if p == nil || p.most < bytes+guardBytes {
		return 0, false
	}
	if at, ok = p.left.place(bytes, alignment); ok {
		return at, true
	}
	at = roundUp(p.Address-p.room, alignment)
	if p.room > 0 && roundUp(at+bytes+guardBytes, alignment) <= roundDown(p.Address, alignment) {
		return at, true
	}
	return p.right.place(bytes, alignment)
}

// add adds a piece at a place that is free.
func (a *allocations) add(of Allocation) *piece {
	made := &piece{Allocation: of, room: of.Address - a.base}
	below, others := a.root.split(of.Address)
	for p := below; p != nil; p = p.right {
		made.room = of.Address - p.behind()
	}
	a.root = merge(merge(below, made.sum()), others.after(made.behind()))
	a.count++
	return made
}

// after recomputes the room before the first piece of a tree, when the previous piece ends at end.
func (p *piece) after(end uint64) *piece {
	if p == nil {
		return nil
	}
	if p.left != nil {
		p.left = p.left.after(end)
	} else {
		p.room = p.Address - end
	}
	return p.sum()
}

// remove removes and returns the piece that begins at an address; nil for none.
func (a *allocations) remove(address uint64) *piece {
	p := a.last(address)
	if p == nil || p.Address != address {
		return nil
	}
	below, others := a.root.split(address)
	_, others = others.split(address + 1)
	a.root = merge(below, others.after(address-p.room))
	a.count--
	return p
}

// list returns all pieces by address.
func (a *allocations) list() []Allocation {
	return a.root.list(make([]Allocation, 0, a.count))
}

func (p *piece) list(all []Allocation) []Allocation {
	if p == nil {
		return all
	}
	return p.right.list(append(p.left.list(all), p.Allocation))
}
