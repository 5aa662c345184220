package registers

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// calmest is, among the free places below top, the one where the class's registers meet the fewest others of their bank in an
// operation, weighed by loops; the first of equals. base is one that is free.
func (c *classes) calmest(k *class, taken bitset.Set, base, top int, colours []isa.Register) int {
	best, least := base, c.conflicts(k, base, colours)
	for other := 0; other+k.width <= top && least > 0; other += k.width {
		if taken.Has(int32(other)) || other <= machine.StackPointer && machine.StackPointer < other+k.width {
			continue
		}
		if n := c.conflicts(k, other, colours); n < least {
			best, least = other, n
		}
	}
	return best
}

// conflicts weighs the bank conflicts that the class would have at a place with what has one.
func (c *classes) conflicts(k *class, base int, colours []isa.Register) int {
	return c.weigh(k, base, colours, false)
}

// weigh is conflicts, or only those of loops that wait for no memory.
func (c *classes) weigh(k *class, base int, colours []isa.Register, bound bool) int {
	n := 0
	for _, m := range k.members {
		for w := range c.f.Words(m.register) {
			mine := isa.Register(base + m.offset + w)
			for _, other := range c.together[c.slots.First[m.register]+int32(w)] {
				if bound && !other.bound {
					continue
				}
				r := c.slots.Owner[other.slot]
				theirs := colours[r] + isa.Register(other.slot-c.slots.First[r])
				if c.of[r] == k {
					theirs = isa.Register(base+c.offset[r]) + isa.Register(other.slot-c.slots.First[r])
				} else if colours[r] < 0 {
					if theirs = c.expected(other.slot, colours); theirs < 0 {
						continue
					}
				}
				if mine != theirs && c.f.Options.Bank(mine) == c.f.Options.Bank(theirs) {
					n += other.weight
				}
			}
		}
	}
	return n
}

// bankPeriod is after how many registers the banks are the same again.
const bankPeriod = 8

// weights is weigh for all places: what the class would lose at a place depends on the banks there, which come again, and on the very
// registers of those it is read with.
func (c *classes) weights(k *class, colours []isa.Register, bound bool) func(base int) int {
	var banks [bankPeriod]int
	c.shared = c.shared[:0]
	for _, m := range k.members {
		for w := range c.f.Words(m.register) {
			for _, other := range c.together[c.slots.First[m.register]+int32(w)] {
				if bound && !other.bound {
					continue
				}
				r := c.slots.Owner[other.slot]
				theirs := colours[r] + isa.Register(other.slot-c.slots.First[r])
				if c.of[r] == k {
					mine, its := m.offset+w, c.offset[r]+int(other.slot-c.slots.First[r])
					for base := range banks {
						if mine != its && c.f.Options.Bank(isa.Register(base+mine)) == c.f.Options.Bank(isa.Register(base+its)) {
							banks[base] += other.weight
						}
					}
					continue
				}
				if colours[r] < 0 {
					if theirs = c.expected(other.slot, colours); theirs < 0 {
						continue
					}
				}
				for base := range banks {
					if c.f.Options.Bank(isa.Register(base+m.offset+w)) == c.f.Options.Bank(theirs) {
						banks[base] += other.weight
					}
				}
				c.shared = append(c.shared, sharedRegister{int(theirs) - m.offset - w, other.weight})
			}
		}
	}
	return func(base int) int {
		n := banks[base%bankPeriod]
		for _, s := range c.shared {
			if s.base == base {
				n -= s.weight
			}
		}
		return n
	}
}

// sharedRegister is a place of a class at which it would have a register of one that it is read with, and how much that spares.
type sharedRegister struct{ base, weight int }

// expected returns the register that a slot without one is likely to get: that of the sum which it continues. It is negative where nothing
// is known.
func (c *classes) expected(slot int32, colours []isa.Register) isa.Register {
	for range c.takesPlaceOf {
		slot = c.takesPlaceOf[slot]
		if slot < 0 {
			return -1
		}
		if r := c.slots.Owner[slot]; colours[r] >= 0 {
			return colours[r] + isa.Register(slot-c.slots.First[r])
		}
	}
	return -1
}

// takesPlaceOf finds, for each slot, the last source of the operation that writes it, where the two are never live at once.
func (f *allocator) takesPlaceOf(s *machine.Slots, g *interference) []int32 {
	sums := make([]int32, s.Count())
	for slot := range sums {
		sums[slot] = -1
	}
	for _, b := range f.Blocks {
		for _, op := range b.Operations {
			if op.Class.Memory() || len(op.Uses) < 2 || len(op.Defines) != 1 {
				continue
			}
			var to, from []int32
			s.Visit(f.Function, op.Defines[0], 1, func(slot int32) { to = append(to, slot) })
			s.Visit(f.Function, op.Uses[len(op.Uses)-1], 1, func(slot int32) { from = append(from, slot) })
			if len(to) == 1 && len(from) == 1 && to[0] != from[0] && !g.has(to[0], from[0]) &&
				f.IsPredicate(s.Owner[to[0]]) == f.IsPredicate(s.Owner[from[0]]) {
				sums[to[0]] = from[0]
			}
		}
	}
	return sums
}

// readTogether is a slot that an operation reads with another, and how much that matters. Bound says that the block is a loop's that
// waits for no memory: there each conflict costs time.
type readTogether struct {
	slot   int32
	weight int
	bound  bool
}

// readTogetherBy finds, for each slot, those that some operation reads in the same cycle.
func (f *allocator) readTogetherBy(s *machine.Slots) [][]readTogether {
	pairs := make([][]readTogether, s.Count())
	for _, b := range f.Blocks {
		weight := depthWeight(b.Depth)
		bound := b.Depth > 0 && !slices.ContainsFunc(b.Operations, func(op *machine.Operation) bool { return op.Class.Memory() })
		for _, op := range b.Operations {
			if op.Class.Memory() && !f.readsDataWithAddress(op) {
				continue
			}
			var read []int32
			for _, r := range op.Uses {
				first := true
				s.Visit(f.Function, r, 1, func(slot int32) {
					if !f.IsPredicate(s.Owner[slot]) && (first || !op.Class.Memory()) {
						read = append(read, slot)
					}
					first = false
				})
			}
			for _, x := range read {
				for _, y := range read {
					if x != y {
						pairs[x] = append(pairs[x], readTogether{y, weight, bound})
					}
				}
			}
		}
	}
	return pairs
}

// readsDataWithAddress reports a store of a chip with two banks: ptxas puts data and address apart in 95 of 100 (nvdisasm of the workloads
// for sm_75), by the first register of each.
func (f *allocator) readsDataWithAddress(op *machine.Operation) bool {
	return f.Options.RegisterBanks == 2 && op.Effect != nil && op.Effect.Op == isa.OpSt
}

// depthWeight returns how much an operation inside so many loops counts.
func depthWeight(depth int) int { return 1 << min(3*depth, 12) }

// settlingRounds is how often all classes are looked at for a better bank; a few bring nearly everything.
const settlingRounds = 6

// exchangedReadings is the most readings of a class that gives up its place for another's sake: to weigh what it would lose takes time
// for each.
const exchangedReadings = 1 << 10

// settle moves classes to places where their registers meet fewer others of their bank, or lets two change places. The number
// of registers stays, but for loops that wait for no memory: those may have what a thread has at full occupancy.
func (c *classes) settle(colours []isa.Register, limit int) {
	used := 0
	for _, k := range c.list {
		if !k.predicate {
			used = max(used, c.base(k, colours)+k.width)
		}
	}
	c.improve(colours, used, false)
	if top := min(limit, c.f.Options.Share()); top > used {
		c.improve(colours, top, true)
	}
}

// base returns the class's first register.
func (c *classes) base(k *class, colours []isa.Register) int {
	return int(colours[k.members[0].register]) - k.members[0].offset
}

func (c *classes) put(k *class, base int, colours []isa.Register) {
	for _, m := range k.members {
		colours[m.register] = isa.Register(base + m.offset)
	}
}

// improve looks for better places below top until nothing changes; bound looks at loops that wait for no memory alone.
func (c *classes) improve(colours []isa.Register, top int, bound bool) {
	for range settlingRounds {
		changed := false
		for _, k := range c.list {
			if !k.predicate && c.weigh(k, c.base(k, colours), colours, bound) > 0 {
				changed = c.improvePlace(k, colours, top, bound) || changed
			}
		}
		if !changed {
			return
		}
	}
}

// improvePlace moves one class to the first place of those that are best.
func (c *classes) improvePlace(k *class, colours []isa.Register, top int, bound bool) bool {
	from := c.base(k, colours)
	weight := c.weights(k, colours, bound)
	now := weight(from)
	best, gain := -1, 0
	var partner *class
	c.findHolders(k, top, colours)
	for to := 0; to+k.width <= top; to += k.width {
		if to == from || to <= machine.StackPointer && machine.StackPointer < to+k.width {
			continue
		}
		saved := now - weight(to)
		if saved <= gain {
			continue
		}
		h := c.holders[to]
		if h.several || h.class != nil && (h.class.width != k.width || c.base(h.class, colours) != to) {
			continue
		}
		if h.class != nil {
			if c.readings(h.class) > exchangedReadings {
				continue
			}
			if saved = c.exchange(k, h.class, from, to, gain, colours, bound); saved <= gain {
				continue
			}
		}
		best, gain, partner = to, saved, h.class
	}
	if best < 0 {
		return false
	}
	c.put(k, best, colours)
	if partner != nil {
		c.put(partner, from, colours)
	}
	return true
}

// holder is the one class that keeps another from a place, nil if the place is free; or several do.
type holder struct {
	class   *class
	several bool
}

// findHolders finds who keeps a class from each place.
func (c *classes) findHolders(k *class, top int, colours []isa.Register) {
	if len(c.holders) < top {
		c.holders = make([]holder, top)
	}
	clear(c.holders)
	for _, m := range k.members {
		for w := range c.f.Words(m.register) {
			for _, slot := range c.graph.neighbours[c.slots.First[m.register]+int32(w)] {
				r := c.slots.Owner[slot]
				at := int(colours[r]) + int(slot-c.slots.First[r]) - m.offset - w
				if at < 0 || at >= top {
					continue
				}
				h := &c.holders[at]
				h.several = h.several || c.of[r] == k || h.class != nil && h.class != c.of[r]
				h.class = c.of[r]
			}
		}
	}
}

// readings is with how many others operations read the class's registers.
func (c *classes) readings(k *class) int {
	n := 0
	for _, m := range k.members {
		for w := range c.f.Words(m.register) {
			n += len(c.together[c.slots.First[m.register]+int32(w)])
		}
	}
	return n
}

// exchange returns what two classes save by changing places; 0 if that is no more than gain, or if the second cannot lie where the first
// does.
func (c *classes) exchange(k, other *class, from, to, gain int, colours []isa.Register, bound bool) int {
	before := c.weigh(k, from, colours, bound) + c.weigh(other, to, colours, bound)
	if before <= gain {
		return 0
	}
	c.put(k, to, colours)
	saved := 0
	if !c.blocked(other, from, colours) {
		c.put(other, from, colours)
		saved = before - c.weigh(k, to, colours, bound) - c.weigh(other, from, colours, bound)
	}
	c.put(k, from, colours)
	c.put(other, to, colours)
	return saved
}

// blocked reports that some neighbour keeps a class from a place.
func (c *classes) blocked(k *class, base int, colours []isa.Register) bool {
	for _, m := range k.members {
		for w := range c.f.Words(m.register) {
			for _, slot := range c.graph.neighbours[c.slots.First[m.register]+int32(w)] {
				if r := c.slots.Owner[slot]; colours[r] >= 0 && int(colours[r])+int(slot-c.slots.First[r]) == base+m.offset+w {
					return true
				}
			}
		}
	}
	return false
}
