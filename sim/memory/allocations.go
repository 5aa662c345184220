package memory

// allocations are the pieces of device memory in use, in a search tree by address. Each knows how much room there is before it, and the
// most that there is in its part of the tree, so that the lowest room for a new piece is found without looking at all of them. The tree
// is balanced by priorities that the addresses give (a treap): calls take logarithmic time.
type allocations struct {
	base  uint64 // where the first may begin
	root  *piece
	count int
}

// piece is an allocation in the tree.
type piece struct {
	Allocation
	room        uint64 // before it, behind the guard of the one before
	most        uint64 // the largest room of the pieces in this part of the tree
	left, right *piece
}

// behind is where the next piece may begin.
func (p *piece) behind() uint64 { return p.Address + p.Bytes + guardBytes }

// priority is greater for pieces nearer to the root: the address, well mixed.
func (p *piece) priority() uint64 {
	x := p.Address
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sum finds most anew.
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

// split divides a tree into the pieces below an address and the others.
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

// merge joins two trees, the pieces of the first before those of the second.
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

// last is the piece with the highest address that is not above one, nil for none.
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

// next is the piece with the lowest address above one, nil for none.
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

// place is the lowest address for so many bytes.
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

// add puts a piece where there is room for it.
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

// after has the first piece of a tree begin behind another end.
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

// remove takes the piece out that begins at an address; nil where none does.
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

// list are all pieces, by address.
func (a *allocations) list() []Allocation {
	return a.root.list(make([]Allocation, 0, a.count))
}

func (p *piece) list(all []Allocation) []Allocation {
	if p == nil {
		return all
	}
	return p.right.list(append(p.left.list(all), p.Allocation))
}
