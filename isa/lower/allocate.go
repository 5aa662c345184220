package lower

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Physical registers that the allocation does not give away.
const (
	stackPointer    = 1 // R1, which Kepler's compilers keep for the stack
	predicateColour = 7 // P0 to P6
	maximumRounds   = 64
)

// allocateRegisters gives every virtual register a physical one, and spills what finds no place.
func allocateRegisters(f *function) error {
	limit := f.options.registerLimit(f.kernel.Limits)
	spilled := map[isa.Register]bool{}
	for range maximumRounds {
		s := f.newSlots()
		g := f.newInterferenceOf(s)
		c := f.newClasses(s, g)
		c.coalesce()
		colours, failed := c.colour(limit)
		if len(failed) == 0 {
			f.colours = colours
			return nil
		}
		if !f.spill(c, failed, spilled) {
			return f.errorAt(f.kernel.Line, "the kernel needs more than %d registers at once: allow more (--maxrregcount, .maxnreg)", limit)
		}
	}
	return f.errorAt(f.kernel.Line, "register allocation found no end after %d rounds", maximumRounds)
}

// orders are the orders in which classes are coloured; the one that needs the fewest registers wins. Along the program
// is optimal for 32-bit values of straight code; wide ones first leaves no gaps beside pairs.
var orders = []func(a, b *class) int{
	func(a, b *class) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.width, a.width))
	},
	func(a, b *class) int {
		return cmp.Or(cmp.Compare(b.width, a.width), cmp.Compare(a.start, b.start))
	},
}

// colour gives each class its first register, at most limit registers in all. It returns the registers by virtual
// register and the classes that found none.
func (c *classes) colour(limit int) (colours []isa.Register, failed []*class) {
	best := 1 << 30
	for _, order := range orders {
		slices.SortStableFunc(c.list, order)
		candidate, used, without := c.colourInOrder(limit)
		if score := used + 1000*len(without); score < best {
			best, colours, failed = score, candidate, without
		}
	}
	return colours, failed
}

func (c *classes) colourInOrder(limit int) (colours []isa.Register, used int, failed []*class) {
	const none = isa.Register(-1)
	colours = make([]isa.Register, len(c.f.registers))
	for r := range colours {
		colours[r] = none
	}
	taken, resting := newBitset(limit+8), newBitset(limit+8)
	for _, k := range c.list {
		top := limit
		if k.predicate {
			top = predicateColour
		}
		c.mark(k, c.graph.neighbours, colours, taken, limit)
		base := -1
		for n := 0; n < len(c.rests) && base < 0; n++ {
			c.mark(k, c.rests[n].pairs, colours, resting, limit)
			resting.union(taken)
			base = c.firstFree(k, resting, min(top, c.rests[n].top))
		}
		if base < 0 {
			base = c.firstFree(k, taken, top)
		}
		if base >= 0 && !k.predicate {
			base = c.calmest(k, resting, base, max(used, base+k.width), colours)
		}
		if base < 0 {
			failed = append(failed, k)
			continue
		}
		for _, m := range k.members {
			colours[m.register] = isa.Register(base + m.offset)
		}
		if !k.predicate {
			used = max(used, base+k.width)
		}
	}
	return colours, used, failed
}

// calmest is, among the free places below top, the one where the class's registers meet the fewest others of their bank in an
// operation, weighed by loops; the first of equals. base is one that is free.
func (c *classes) calmest(k *class, taken bitset, base, top int, colours []isa.Register) int {
	best, least := base, c.conflicts(k, base, colours)
	for other := 0; other+k.width <= top && least > 0; other += k.width {
		if taken.has(int32(other)) || other <= stackPointer && stackPointer < other+k.width {
			continue
		}
		if n := c.conflicts(k, other, colours); n < least {
			best, least = other, n
		}
	}
	return best
}

// conflicts counts the bank conflicts that the class would have at a place with what has one.
func (c *classes) conflicts(k *class, base int, colours []isa.Register) int {
	n := 0
	for _, m := range k.members {
		for w := range c.f.words(m.register) {
			mine := isa.Register(base + m.offset + w)
			for _, other := range c.together[c.slots.first[m.register]+int32(w)] {
				r := c.slots.owner[other.slot]
				theirs := colours[r] + isa.Register(other.slot-c.slots.first[r])
				if c.of[r] == k {
					theirs = isa.Register(base+c.offset[r]) + isa.Register(other.slot-c.slots.first[r])
				} else if colours[r] < 0 {
					continue
				}
				if mine != theirs && Bank(mine) == Bank(theirs) {
					n += other.weight
				}
			}
		}
	}
	return n
}

// readTogether is a slot that an operation reads with another, and how much that matters.
type readTogether struct {
	slot   int32
	weight int
}

// readTogetherBy finds, for each slot, those that some operation reads in the same cycle.
func (f *function) readTogetherBy(s *slots) [][]readTogether {
	pairs := make([][]readTogether, s.count())
	for _, b := range f.blocks {
		weight := 1 << min(3*b.depth, 12)
		for _, op := range b.operations {
			if op.Class.Memory() {
				continue
			}
			var read []int32
			for _, r := range op.reads {
				s.visit(f, r, 1, func(slot int32) {
					if !f.predicate(s.owner[slot]) {
						read = append(read, slot)
					}
				})
			}
			for _, x := range read {
				for _, y := range read {
					if x != y {
						pairs[x] = append(pairs[x], readTogether{y, weight})
					}
				}
			}
		}
	}
	return pairs
}

// mark sets the registers at which the class cannot begin because of slots that are neighbours of its own.
func (c *classes) mark(k *class, neighbours [][]int32, colours []isa.Register, taken bitset, limit int) {
	clear(taken)
	for _, m := range k.members {
		for w := range c.f.words(m.register) {
			for _, other := range neighbours[c.slots.first[m.register]+int32(w)] {
				r := c.slots.owner[other]
				if colours[r] < 0 {
					continue
				}
				if base := int(colours[r]) + int(other-c.slots.first[r]) - m.offset - w; base >= 0 && base < limit {
					taken.add(int32(base))
				}
			}
		}
	}
}

// firstFree is the lowest register where the class fits, -1 for none.
func (c *classes) firstFree(k *class, taken bitset, top int) int {
	for base := 0; base+k.width <= top; base += k.width {
		if taken.has(int32(base)) || !k.predicate && base <= stackPointer && stackPointer < base+k.width {
			continue
		}
		return base
	}
	return -1
}
