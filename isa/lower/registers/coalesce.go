package registers

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// class is a group of virtual registers that share physical ones: the first word of member m is at its offset in the group.
type class struct {
	members   []member
	width     int // 1, 2 or 4 words; also the alignment
	predicate bool
	start     int   // the first operation that touches it, in layout order
	index     int   // in list, during coalescing
	number    int32 // in all
}

type member struct {
	register isa.Register
	offset   int32
}

// classes are the classes of all registers that operations touch.
type classes struct {
	f           *allocator
	slots       *machine.Slots
	graph       *adjacency
	reuseDelays []reuseDelay
	// readPartners has, by slot, the slots that operations read with it.
	readPartners readPartners
	// takesPlaceOf is, by slot, the last source of the operation that writes it: the slot may take its register; -1 for none.
	takesPlaceOf []int32
	of           []*class // by virtual register; nil if nothing touches it
	offset       []int32
	list         []*class
	all          []*class // by number, after coalescing
	// For the class that looks for a better place, by place: the class that blocks it, the loss there, and the saving from a shared
	// register.
	holders []holder
	losses  []int
	shared  []sharedRegister
	bank    [physicalRegisters]uint8 // by physical register
}

// physicalRegisters exceeds any chip's registers per thread, by as much as a class may extend beyond the last.
const physicalRegisters = 1 << 9

// roundedWidth rounds a number of words up to a power of two, the alignment of such a register.
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
		f: f, slots: f.slots, graph: graph, reuseDelays: f.reuseDelays(), readPartners: f.findReadPartners(),
		takesPlaceOf: f.takesPlaceOf(graph), of: make([]*class, n), offset: make([]int32, n), list: make([]*class, 0, n),
	}
	for r := range c.bank {
		c.bank[r] = uint8(f.Options.Bank(isa.Register(r)))
	}
	all, members := make([]class, n), make([]member, n) // each in one allocation
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

// coalesce joins the two sides of moves where possible, deepest loops first.
func (c *classes) coalesce() {
	type move struct {
		to, from int32
		depth    int
	}
	var moves []move
	for _, b := range c.f.Blocks {
		for _, op := range b.Operations {
			if to, from, ok := c.f.Copied(c.slots, op); ok && !c.f.apart[op] {
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

// split keeps the moves within classes that found no place from being coalesced again. A value that waits to be moved into a row of four
// needs a place in the row all the while. It reports whether there are such moves.
func (c *classes) split(failed []*class) (any bool) {
	for _, b := range c.f.Blocks {
		for _, op := range b.Operations {
			if to, _, ok := c.f.Copied(c.slots, op); ok && !c.f.apart[op] && slices.Contains(failed, c.of[c.slots.Owner[to]]) {
				c.f.apart[op], any = true, true
			}
		}
	}
	return any
}

// place returns a slot's class and its position in it.
func (c *classes) place(slot int32) (*class, int) {
	r := c.slots.Owner[slot]
	return c.of[r], int(c.offset[r] + slot - c.slots.First[r])
}

// join makes two slots share a register, if their classes can overlap that way. It reports whether they share one.
func (c *classes) join(x, y int32) bool {
	a, p := c.place(x)
	b, q := c.place(y)
	if a == b {
		return p == q
	}
	if a.width < b.width {
		a, b, p, q = b, a, q, p
	}
	shift := p - q // of b within a, in words
	if shift < 0 || shift+b.width > a.width {
		// Neither contains the other: two pairs cannot form a quad in which both are aligned.
		return false
	}
	if shift%b.width != 0 {
		return false
	}
	if c.interfere(a, b, shift) {
		return false
	}
	a.start = min(a.start, b.start)
	if len(a.members) < len(b.members) && a.width == b.width { // the smaller one goes, and the larger one takes its place in the list
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

// interfere reports that words of two classes that would share a register are live at once; b is shift words inside a. It searches the
// neighbours of the smaller class.
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
