package registers

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// leastConflicts returns the free place below top with the fewest bank conflicts, weighted by loop depth; the first of equals. base is a
// free place.
func (c *classes) leastConflicts(k *class, taken bitset.Set, base, top int, colours *colouring) int {
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

// conflicts returns the weight of the class's bank conflicts at a place, with all registers that have a place.
func (c *classes) conflicts(k *class, base int, colours *colouring) int {
	return c.weigh(k, base, colours, false)
}

// weigh is conflicts; with bound it counts only loops without memory accesses.
func (c *classes) weigh(k *class, base int, colours *colouring, bound bool) int {
	n := 0
	for _, m := range k.members {
		for w := range c.slots.Words(m.register) {
			mine := int32(base+w) + m.offset
			for _, other := range c.readPartners.of(c.slots.First[m.register] + int32(w)) {
				if bound && !other.bound {
					continue
				}
				place := colours.slots[other.slot]
				theirs := place.at
				if place.class == k.number {
					_, at := c.place(other.slot)
					theirs = int32(base + at)
				} else if theirs < 0 {
					if theirs = c.expected(other.slot, colours); theirs < 0 {
						continue
					}
				}
				if mine != theirs && c.bank[mine] == c.bank[theirs] {
					n += int(other.weight)
				}
			}
		}
	}
	return n
}

// bankPeriod is the number of registers after which the pattern of banks repeats.
const bankPeriod = 8

// lossesOf returns weigh for all places below top. A loss depends on the banks at the place, which repeat with bankPeriod, less what the
// class saves by having the same register as a slot that it is read with. The result is valid until the next call.
func (c *classes) lossesOf(k *class, top int, colours *colouring, bound bool) []int {
	var banks [bankPeriod]int
	c.shared = c.shared[:0]
	for _, m := range k.members {
		for w := range c.slots.Words(m.register) {
			mine := int(m.offset) + w
			for _, other := range c.readPartners.of(c.slots.First[m.register] + int32(w)) {
				if bound && !other.bound {
					continue
				}
				place := colours.slots[other.slot]
				if place.class == k.number {
					_, its := c.place(other.slot)
					for base := range banks {
						if mine != its && c.bank[base+mine] == c.bank[base+its] {
							banks[base] += int(other.weight)
						}
					}
					continue
				}
				theirs := place.at
				if theirs < 0 {
					if theirs = c.expected(other.slot, colours); theirs < 0 {
						continue
					}
				}
				for base := range banks {
					if c.bank[base+mine] == c.bank[theirs] {
						banks[base] += int(other.weight)
					}
				}
				c.shared = append(c.shared, sharedRegister{int(theirs) - mine, int(other.weight)})
			}
		}
	}
	if len(c.losses) < top {
		c.losses = make([]int, top)
	}
	losses := c.losses[:top]
	for base := range losses {
		losses[base] = banks[base%bankPeriod]
	}
	for _, s := range c.shared {
		if s.base >= 0 && s.base < top {
			losses[s.base] -= s.weight
		}
	}
	return losses
}

// sharedRegister is a place where a class would have the same register as a slot that it is read with, and the weight that this saves.
type sharedRegister struct{ base, weight int }

// furthestSum limits the search back through sums: otherwise each slot of a chain of tens of thousands would search all of it.
const furthestSum = 1000

// expected returns the register that a slot without one will probably get: that of the sum that it continues. Negative: unknown.
func (c *classes) expected(slot int32, colours *colouring) int32 {
	for range furthestSum {
		slot = c.takesPlaceOf[slot]
		if slot < 0 {
			return -1
		}
		if at := colours.slots[slot].at; at >= 0 {
			return at
		}
	}
	return -1
}

// takesPlaceOf returns, by slot, the last source of the operation that writes it, if the two are never live at once; else -1.
func (f *allocator) takesPlaceOf(g *adjacency) []int32 {
	s := f.slots
	sums := make([]int32, s.Count())
	for slot := range sums {
		sums[slot] = -1
	}
	for _, b := range f.Blocks {
		for _, op := range b.Operations {
			if op.Class.Memory() || len(op.Uses) < 2 || len(op.Defines) != 1 {
				continue
			}
			to, end := s.Span(op.Defines[0], 1)
			from, last := s.Span(op.Uses[len(op.Uses)-1], 1)
			if end == to+1 && last == from+1 && to != from && !g.has(to, from) && s.Predicate[to] == s.Predicate[from] {
				sums[to] = from
			}
		}
	}
	return sums
}

// readPartners lists, by slot, the slots that operations read in the same cycle as it: its read partners.
type readPartners struct {
	first []int // by slot, plus one: start of its list in all
	all   []readPartner
}

// readPartner is a slot that an operation reads in the same cycle as another, with a weight. bound: the operation is in a loop block
// without memory accesses, where each conflict costs time.
type readPartner struct {
	slot   int32
	weight int16
	bound  bool
}

// of returns the slots that are read with a slot.
func (r *readPartners) of(slot int32) []readPartner { return r.all[r.first[slot]:r.first[slot+1]] }

// findReadPartners collects, for each slot, the slots that some operation reads in the same cycle.
func (f *allocator) findReadPartners() readPartners {
	found := readPartners{first: make([]int, f.slots.Count()+1)}
	f.eachReading(func(read []int32, _ int16, _ bool) {
		for _, x := range read {
			for _, y := range read {
				if x != y {
					found.first[x+1]++
				}
			}
		}
	})
	for slot := range f.slots.Count() {
		found.first[slot+1] += found.first[slot]
	}
	next := slices.Clone(found.first)
	found.all = make([]readPartner, next[f.slots.Count()])
	f.eachReading(func(read []int32, weight int16, bound bool) {
		for _, x := range read {
			for _, y := range read {
				if x != y {
					found.all[next[x]] = readPartner{y, weight, bound}
					next[x]++
				}
			}
		}
	})
	return found
}

// eachReading calls visit for each operation with the slots that it reads in the same cycle.
func (f *allocator) eachReading(visit func(read []int32, weight int16, bound bool)) {
	s := f.slots
	var read []int32
	for _, b := range f.Blocks {
		weight := depthWeight(b.Depth)
		bound := b.Depth > 0 && !slices.ContainsFunc(b.Operations, func(op *machine.Operation) bool { return op.Class.Memory() })
		for n, op := range b.Operations {
			read = read[:0]
			if op.Class.Memory() {
				if !f.readsDataWithAddress(op) {
					continue
				}
				for _, r := range op.Uses {
					if first, _ := s.Span(r, 1); !s.Predicate[first] {
						read = append(read, first)
					}
				}
			} else {
				for _, slot := range f.timing.Uses(b, n) {
					if !s.Predicate[slot] {
						read = append(read, slot)
					}
				}
			}
			if len(read) > 1 {
				visit(read, weight, bound)
			}
		}
	}
}

// readsDataWithAddress reports whether an operation is a store on a chip with two banks. By the first register of each, ptxas places data
// and address in different banks in 95 of 100 stores (nvdisasm of the workloads for sm_75).
func (f *allocator) readsDataWithAddress(op *machine.Operation) bool {
	return f.Options.RegisterBanks == 2 && op.Effect != nil && op.Effect.Op == isa.OpSt
}

// depthWeight returns the weight of an operation at a loop depth.
func depthWeight(depth int) int16 { return 1 << min(3*depth, 12) }

// settlingRounds is the most rounds over all classes that look for better banks. A few rounds give almost all of the gain.
const settlingRounds = 6

// exchangedPartners is the most read partners of a class that another may exchange places with: weighing its loss takes time for each.
const exchangedPartners = 1 << 10

// settle reduces bank conflicts: it moves classes, or exchanges two. The number of registers stays, except that loops without memory
// accesses may use what a thread has at full occupancy.
func (c *classes) settle(colours *colouring, limit int) {
	used := 0
	for _, k := range c.list {
		if !k.predicate {
			used = max(used, colours.base(k)+k.width)
		}
	}
	c.improve(colours, used, false)
	if top := min(limit, c.f.Options.Share()); top > used {
		c.improve(colours, top, true)
	}
}

// improve moves classes to better places below top until nothing changes; with bound it counts only loops without memory accesses.
func (c *classes) improve(colours *colouring, top int, bound bool) {
	m := moves{now: 1, near: make([]int32, len(c.all)), tried: make([]int32, len(c.all))}
	for range settlingRounds {
		changed := false
		for _, k := range c.list {
			if k.predicate || m.tried[k.number] > 0 && !c.movedSince(k, &m) || c.weigh(k, colours.base(k), colours, bound) == 0 {
				continue
			}
			m.tried[k.number] = m.now
			if partner, moved := c.improvePlace(k, colours, top, bound); moved {
				changed = true
				m.now++
				c.noteMove(k, &m)
				if partner != nil {
					c.noteMove(partner, &m)
				}
			}
		}
		if !changed {
			return
		}
	}
}

// moves records when classes moved, counted in moves. A class is tried once, and again only after a move that matters to it.
type moves struct {
	now   int32
	near  []int32 // by class: the last move of it, a neighbour, or a class that it is read with
	tried []int32 // by class: when it was last tried, 0 for never
}

// noteMove records that a class has moved.
func (c *classes) noteMove(k *class, m *moves) {
	m.near[k.number] = m.now
	for _, member := range k.members {
		for slot, end := c.slots.Span(member.register, 1); slot < end; slot++ {
			for _, other := range c.graph.of(slot) {
				m.near[c.of[c.slots.Owner[other]].number] = m.now
			}
			for _, other := range c.readPartners.of(slot) {
				m.near[c.of[c.slots.Owner[other.slot]].number] = m.now
			}
		}
	}
}

// movedSince reports a move since the class was last tried that may give it another place: near itself, or near a class that it could
// exchange places with.
func (c *classes) movedSince(k *class, m *moves) bool {
	tried := m.tried[k.number]
	if m.near[k.number] > tried {
		return true
	}
	for _, member := range k.members {
		for slot, end := c.slots.Span(member.register, 1); slot < end; slot++ {
			for _, other := range c.graph.of(slot) {
				if m.near[c.of[c.slots.Owner[other]].number] > tried {
					return true
				}
			}
		}
	}
	return false
}

// improvePlace moves a class to its best place, the first of equals. partner is the class that it exchanged places with, if any.
func (c *classes) improvePlace(k *class, colours *colouring, top int, bound bool) (partner *class, moved bool) {
	from := colours.base(k)
	losses := c.lossesOf(k, max(top, from+1), colours, bound)
	now := losses[from]
	best, gain := -1, 0
	c.findHolders(k, top, colours)
	for to := 0; to+k.width <= top; to += k.width {
		saved := now - losses[to]
		if saved <= gain || to == from || to <= machine.StackPointer && machine.StackPointer < to+k.width {
			continue
		}
		var holder *class
		switch h := c.holders[to]; h {
		case heldByNone:
		case heldBySeveral:
			continue
		default:
			holder = c.all[h]
			if holder.width != k.width || colours.base(holder) != to || c.countReadPartners(holder) > exchangedPartners {
				continue
			}
			if saved = c.exchange(k, holder, from, to, gain, colours, bound); saved <= gain {
				continue
			}
		}
		best, gain, partner = to, saved, holder
	}
	if best < 0 {
		return nil, false
	}
	colours.put(k, best)
	if partner != nil {
		colours.put(partner, from)
	}
	return partner, true
}

// holder is the number of the one class that blocks a place for another; or heldByNone, or heldBySeveral.
type holder int32

const (
	heldByNone    holder = -1
	heldBySeveral holder = -2
)

// findHolders finds, for each place, which neighbour blocks it for the class.
func (c *classes) findHolders(k *class, top int, colours *colouring) {
	if len(c.holders) < top {
		c.holders = make([]holder, top)
	}
	holders := c.holders[:top]
	for n := range holders {
		holders[n] = heldByNone
	}
	for _, m := range k.members {
		for w := range c.slots.Words(m.register) {
			shift := m.offset + int32(w)
			for _, slot := range c.graph.of(c.slots.First[m.register] + int32(w)) {
				place := colours.slots[slot]
				at := int(place.at - shift)
				if at < 0 || at >= len(holders) {
					continue
				}
				switch {
				case holders[at] == heldByNone && place.class != k.number:
					holders[at] = holder(place.class)
				case holders[at] != holder(place.class) || place.class == k.number:
					holders[at] = heldBySeveral
				}
			}
		}
	}
}

// countReadPartners returns how many slots the class's registers are read with.
func (c *classes) countReadPartners(k *class) int {
	n := 0
	for _, m := range k.members {
		for w := range c.slots.Words(m.register) {
			n += len(c.readPartners.of(c.slots.First[m.register] + int32(w)))
		}
	}
	return n
}

// exchange returns the weight that two classes save by exchanging places; 0 if that is at most gain, or if other does not fit at from.
func (c *classes) exchange(k, other *class, from, to, gain int, colours *colouring, bound bool) int {
	before := c.weigh(k, from, colours, bound) + c.weigh(other, to, colours, bound)
	if before <= gain {
		return 0
	}
	colours.put(k, to)
	saved := 0
	if !c.blocked(other, from, colours) {
		colours.put(other, from)
		saved = before - c.weigh(k, to, colours, bound) - c.weigh(other, from, colours, bound)
	}
	colours.put(k, from)
	colours.put(other, to)
	return saved
}

// blocked reports that a neighbour's register is in the way of a class at a place.
func (c *classes) blocked(k *class, base int, colours *colouring) bool {
	for _, m := range k.members {
		for w := range c.slots.Words(m.register) {
			for _, slot := range c.graph.of(c.slots.First[m.register] + int32(w)) {
				if colours.slots[slot].at == int32(base+w)+m.offset {
					return true
				}
			}
		}
	}
	return false
}
