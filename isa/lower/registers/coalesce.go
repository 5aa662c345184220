package registers

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// class is a group of virtual registers that share physical ones: member m's first word lies at offset in the group.
type class struct {
	members   []member
	width     int // 1, 2 or 4 words; also the alignment
	predicate bool
	start     int   // position of the first operation that touches it, in layout order
	index     int   // in the list, while classes are joined
	number    int32 // in all
}

type member struct {
	register isa.Register
	offset   int32
}

// classes are the groups of all registers that operations touch.
type classes struct {
	f     *allocator
	slots *machine.Slots
	graph *adjacency
	rests []rest
	// together has, by slot, those that operations read with it.
	together readings
	// takesPlaceOf is, by slot, the last source of the operation that writes it, whose place it may take; -1 for none.
	takesPlaceOf []int32
	of           []*class // by virtual register; nil for those that nothing touches
	offset       []int32
	list         []*class
	all          []*class // by number, once they are joined
	// Of the class that looks for a better place: who holds each, what it would lose there, and where it would share
	// registers with those it is read with.
	holders []holder
	losses  []int
	shared  []sharedRegister
	bank    [physicalRegisters]uint8 // of each physical register
}

// physicalRegisters is more than any chip has for a thread, by what a class may reach beyond the last.
const physicalRegisters = 1 << 9

// roundedWidth returns the number of registers, a power of two, that a register of so many words is aligned to.
func roundedWidth(words int) int {
	width := 1
	for width < words {
		width *= 2
	}
	return width
}

// newClasses gives every register its own class.
func (f *allocator) newClasses() (*classes, error) {
	graph, err := f.interference()
	if err != nil {
		return nil, err
	}
	n := len(f.Registers)
	c := &classes{
		f: f, slots: f.slots, graph: graph, rests: f.rests(), together: f.readTogether(), takesPlaceOf: f.takesPlaceOf(graph),
		of: make([]*class, n), offset: make([]int32, n), list: make([]*class, 0, n),
	}
	for r := range c.bank {
		c.bank[r] = uint8(f.Options.Bank(isa.Register(r)))
	}
	all, members := make([]class, n), make([]member, n) // in one piece each
	position := 0
	touch := func(slots []int32) {
		for _, slot := range slots {
			r := f.slots.Owner[slot]
			if c.of[r] != nil {
				continue
			}
			members[r] = member{r, 0}
			all[r] = class{
				members: members[r : r+1 : r+1], width: roundedWidth(f.slots.Words(r)), predicate: f.slots.Predicate[slot], start: position,
				index: len(c.list),
			}
			c.of[r] = &all[r]
			c.list = append(c.list, &all[r])
		}
	}
	for _, b := range f.Blocks {
		for n := range b.Operations {
			position++
			for _, l := range [2]*machine.Liveness{f.functional, f.timing} {
				touch(l.Uses(b, n))
				touch(l.Definitions(b, n))
			}
		}
	}
	return c, nil
}

// coalesce joins the two sides of moves where nothing forbids it, those of the deepest loops first. Where registers are short, it joins
// nothing: a value that waits to be moved into a row of four would take the whole row.
func (c *classes) coalesce(short bool) {
	type move struct {
		to, from int32
		depth    int
	}
	var moves []move
	for _, b := range c.f.Blocks {
		for _, op := range b.Operations {
			if to, from, ok := c.f.Copied(c.slots, op); ok && !short {
				moves = append(moves, move{to, from, b.Depth})
			}
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return b.depth - a.depth })
	for _, m := range moves {
		c.join(m.to, m.from)
	}
	c.list = slices.DeleteFunc(c.list, func(k *class) bool { return k.members == nil })
	c.all = slices.Clone(c.list)
	for n, k := range c.all {
		k.number = int32(n)
	}
}

// place returns a slot's class and position in it.
func (c *classes) place(slot int32) (*class, int) {
	r := c.slots.Owner[slot]
	return c.of[r], int(c.offset[r] + slot - c.slots.First[r])
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
	if shift < 0 || shift+b.width > a.width {
		// Neither lies inside the other: two pairs can form no quad that both are aligned in.
		return false
	}
	if shift%b.width != 0 {
		return false
	}
	if c.interfere(a, b, shift) {
		return false
	}
	a.start = min(a.start, b.start)
	if len(a.members) < len(b.members) && a.width == b.width { // the smaller one moves, whose place in the list is the larger one's now
		c.list[a.index], c.list[b.index] = b, a
		a.index, b.index = b.index, a.index
		b.start = a.start
		a, b = b, a
	}
	for _, n := range b.members {
		offset := n.offset + int32(shift)
		c.of[n.register], c.offset[n.register] = a, offset
		a.members = append(a.members, member{n.register, offset})
	}
	b.members = nil
	return true
}

// interfere reports that words of two classes that would lie on each other, b's shift words inside a, are live at once. It looks through
// the neighbours of the smaller one.
func (c *classes) interfere(a, b *class, shift int) bool {
	small, large, move := a, b, -shift
	if len(b.members) < len(a.members) {
		small, large, move = b, a, shift
	}
	for _, m := range small.members {
		for k := range c.slots.Words(m.register) {
			for _, slot := range c.graph.of(c.slots.First[m.register] + int32(k)) {
				if other, at := c.place(slot); other == large && at == int(m.offset)+k+move {
					return true
				}
			}
		}
	}
	return false
}
