package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// class is a group of virtual registers that share physical ones: member m's first word lies at offset in the group.
type class struct {
	members   []member
	width     int // 1, 2 or 4 words; also the alignment
	predicate bool
	start     int // position of the first operation that touches it, in layout order
}

type member struct {
	register isa.Register
	offset   int
}

// classes are the groups of all registers that operations touch.
type classes struct {
	f     *function
	slots *slots
	graph *interference
	rests []rest
	// together has, by slot, those that operations read with it.
	together [][]readTogether
	// takesPlaceOf is, by slot, the last source of the operation that writes it, whose place it may take; -1 for none.
	takesPlaceOf []int32
	of           []*class // by virtual register; nil for those that nothing touches
	offset       []int
	list         []*class
}

// roundedWidth is the number of registers, a power of two, that a register of so many words is aligned to.
func roundedWidth(words int) int {
	width := 1
	for width < words {
		width *= 2
	}
	return width
}

// newClasses gives every register its own class.
func (f *function) newClasses(s *slots, g *interference) *classes {
	c := &classes{f: f, slots: s, graph: g, rests: f.rests(s), together: f.readTogetherBy(s), takesPlaceOf: f.takesPlaceOf(s, g), of: make([]*class, len(f.registers)), offset: make([]int, len(f.registers))}
	position := 0
	touch := func(slot int32) {
		r := s.owner[slot]
		if c.of[r] == nil {
			k := &class{members: []member{{r, 0}}, width: roundedWidth(f.words(r)), predicate: f.predicate(r), start: position}
			c.of[r] = k
			c.list = append(c.list, k)
		}
	}
	for _, b := range f.blocks {
		for _, op := range b.operations {
			position++
			for _, v := range []view{functionalView, timingView} {
				v.uses(f, s, op, touch)
				v.definitions(f, s, op, touch)
			}
		}
	}
	return c
}

// coalesce joins the two sides of moves where nothing forbids it, those of the deepest loops first.
func (c *classes) coalesce() {
	type move struct {
		to, from int32
		depth    int
	}
	var moves []move
	for _, b := range c.f.blocks {
		for _, op := range b.operations {
			if to, from, ok := c.f.copied(c.slots, op); ok {
				moves = append(moves, move{to, from, b.depth})
			}
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return b.depth - a.depth })
	for _, m := range moves {
		c.join(m.to, m.from)
	}
	c.list = slices.DeleteFunc(c.list, func(k *class) bool { return k.members == nil })
}

// place is a slot's class and position in it.
func (c *classes) place(slot int32) (*class, int) {
	r := c.slots.owner[slot]
	return c.of[r], c.offset[r] + int(slot-c.slots.first[r])
}

// join makes two slots share a register, if their classes can be laid over each other.
func (c *classes) join(x, y int32) bool {
	a, p := c.place(x)
	b, q := c.place(y)
	if a == b {
		return p == q
	}
	if a.width < b.width {
		a, b, p, q = b, a, q, p
	}
	shift := p - q // of b's words inside a
	width := a.width
	if shift < 0 || shift+b.width > a.width {
		// Neither lies inside the other: two pairs can form no quad that both are aligned in.
		return false
	}
	if shift%b.width != 0 {
		return false
	}
	for _, m := range a.members {
		for _, n := range b.members {
			if c.overlapInterferes(m, n, shift) {
				return false
			}
		}
	}
	for _, n := range b.members {
		c.of[n.register], c.offset[n.register] = a, n.offset+shift
		a.members = append(a.members, member{n.register, n.offset + shift})
	}
	a.width, a.start = width, min(a.start, b.start)
	b.members = nil
	return true
}

func (c *classes) overlapInterferes(m, n member, shift int) bool {
	for k := range c.f.words(m.register) {
		j := m.offset + k - shift - n.offset
		if j >= 0 && j < c.f.words(n.register) && c.graph.has(c.slots.first[m.register]+int32(k), c.slots.first[n.register]+int32(j)) {
			return true
		}
	}
	return false
}
