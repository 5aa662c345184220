package registers

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// constantDistanceFactor: a value that a move can recompute counts as this many times farther from its next use, so that it goes before one
// that needs a load.
const constantDistanceFactor = 4

// newWeb begins a web of a register.
func (s *spiller) newWeb(r isa.Register) int32 {
	n := int32(len(s.webs))
	s.webs = append(s.webs, web{register: r, parent: n, name: -1})
	return n
}

// root returns the web that represents a stretch, by union-find.
func (s *spiller) root(n int32) int32 {
	for s.webs[n].parent != n {
		s.webs[n].parent = s.webs[s.webs[n].parent].parent
		n = s.webs[n].parent
	}
	return n
}

// join joins two webs into one stretch.
func (s *spiller) join(x, y int32) {
	if x, y = s.root(x), s.root(y); x != y {
		s.webs[max(x, y)].parent = min(x, y)
	}
}

func (s *spiller) hold(h held) {
	s.held = append(s.held, h)
	s.at[h.register] = int32(len(s.held))
	s.words += s.f.Words(h.register)
}

func (s *spiller) drop(r isa.Register) {
	n, last := s.at[r]-1, s.held[len(s.held)-1]
	s.held[n], s.at[last.register] = last, n+1
	s.held, s.at[r] = s.held[:len(s.held)-1], 0
	s.words -= s.f.Words(r)
}

// makeRoom evicts the values with the farthest next use, except kept ones, until so many more words fit ahead of a unit.
func (s *spiller) makeRoom(b *spillBlock, n, words, capacity int) {
	for s.words+words > capacity {
		furthest := int64(-1)
		for k := range s.held {
			if h := &s.held[k]; s.evictable(h) {
				furthest = max(furthest, s.distance(h, n))
			}
		}
		if furthest < 0 {
			return
		}
		r, rested := isa.Register(-1), -1
		for k := range s.held {
			h := &s.held[k]
			if !s.evictable(h) || s.distance(h, n)*distanceTolerance < furthest*(distanceTolerance-1) {
				continue
			}
			if rest := min(n-int(h.touched), s.latency); rest > rested || rest == rested && s.closer(r, h.register, n) {
				r, rested = h.register, rest
			}
		}
		b.event(n, spillEvent{kind: evicted, register: r})
		s.drop(r)
	}
}

// distanceTolerance: next uses within a tenth of the farthest count as equal. Of those values the one goes that was not touched for as long
// as a load takes: its register can be loaded ahead of time.
const distanceTolerance = 10

func (s *spiller) evictable(h *held) bool { return h.valued && s.kept[h.register] != s.stamp }

// distance returns how far a value's next use is from a unit. A value that a move can recompute counts as farther, so that a load is saved.
func (s *spiller) distance(h *held, n int) int64 {
	distance := int64(h.use) - int64(n)
	if s.constants[h.register] != nil {
		distance *= constantDistanceFactor
	}
	return distance
}

// closer reports that one held register is used sooner than another.
func (s *spiller) closer(r, other isa.Register, n int) bool {
	return r < 0 || cmp.Or(cmp.Compare(s.distance(&s.held[s.at[r]-1], n), s.distance(&s.held[s.at[other]-1], n)), cmp.Compare(other, r)) < 0
}

// event records an event ahead of a unit.
func (b *spillBlock) event(n int, e spillEvent) {
	e.unit = int32(min(n, b.tail))
	b.events = append(b.events, e)
}

// enter chooses what is held at a block's start: the values with the soonest uses among those that predecessors hold, or can load at their
// ends. A loop header holds everything that the loop uses, and other values only if registers are left.
func (s *spiller) enter(b *spillBlock) {
	for _, h := range s.held {
		s.at[h.register] = 0
	}
	s.held, s.words = s.held[:0], 0
	var before []*spillBlock
	header, room := false, s.capacityAt(b, 0)
	for _, id := range b.Predecessors {
		switch p := s.blocks[id]; {
		case p == nil:
		case p.number < b.number:
			before = append(before, p)
		default:
			header, room = true, min(room, s.capacityAt(p, len(p.units))-p.branches)
		}
	}
	candidates := slices.Clone(b.in)
	slices.SortFunc(candidates, func(x, y usedLater) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(x.register, y.register))
	})
	beside := room
	if l := s.graph.Inner[b.ID]; header && l != nil {
		beside -= s.maxLive[l]
		for _, v := range candidates {
			if v.distance >= loopExitDistance {
				beside += s.f.Words(v.register)
			}
		}
	}
	for _, v := range candidates {
		words := s.f.Words(v.register)
		used := !header || v.distance < loopExitDistance
		if b.idle[v.register] || words > room || !used && words > beside || !s.available(b, before, v.register, words, header && used) {
			continue
		}
		room -= words
		if !used {
			beside -= words
		}
		web := s.newWeb(v.register)
		for _, p := range before {
			from, has := p.exit.of(v.register)
			if !has {
				from = s.newWeb(v.register)
				p.event(len(p.units), spillEvent{kind: loaded, register: v.register, web: from})
				p.exit.add(v.register, from)
			}
			s.join(web, from)
		}
		b.entry.add(v.register, web)
		s.hold(held{v.register, web, v.distance, -never, true})
	}
}

// available reports whether a value can be held at a block's start: every predecessor holds it, or can load it for no more than a later
// load would cost.
func (s *spiller) available(b *spillBlock, before []*spillBlock, r isa.Register, words int, anyway bool) bool {
	for _, p := range before {
		if _, has := p.exit.of(r); has {
			anyway = true
		}
	}
	if !anyway {
		return false
	}
	for _, p := range before {
		if _, has := p.exit.of(r); has || len(p.Successors) == 1 {
			continue
		}
		if p.Depth > b.Depth || s.wordsAtEnd(p)+words+p.branches > s.capacityAt(p, len(p.units)) {
			return false
		}
	}
	return true
}

func (s *spiller) wordsAtEnd(b *spillBlock) (words int) {
	for _, h := range b.exit {
		words += s.f.Words(h.register)
	}
	return words
}

// unit processes a unit: it loads what the unit needs, and dead values make room for what it writes.
func (s *spiller) unit(b *spillBlock, n int) {
	u := &b.units[n]
	s.stamp++
	for k := range u.touches {
		if t := &u.touches[k]; t.liveIn {
			s.kept[t.register] = s.stamp
		}
	}
	for k := range u.touches {
		t := &u.touches[k]
		if !t.liveIn {
			continue
		}
		if s.at[t.register] == 0 {
			s.makeRoom(b, n, s.f.Words(t.register), u.capacity)
			kind := begun
			if t.value {
				kind = loaded
			}
			web := s.newWeb(t.register)
			b.event(n, spillEvent{kind: kind, register: t.register, web: web})
			s.hold(held{register: t.register, web: web})
		}
		s.webs[s.held[s.at[t.register]-1].web].read = true
	}
	u.used = s.words
	if u.end-u.first == 1 {
		for k := range u.touches {
			if t := &u.touches[k]; t.liveIn && !t.liveOut {
				s.drop(t.register)
			}
		}
	}
	s.stamp++
	words := 0
	for k := range u.touches {
		t := &u.touches[k]
		if t.liveIn && s.at[t.register] > 0 {
			h := &s.held[s.at[t.register]-1]
			if h.valued, h.touched = t.valued, int32(n); t.liveOut {
				h.use = s.nextUse(b, t)
			}
		}
		if !t.liveIn || t.writes {
			s.kept[t.register] = s.stamp
		}
		if !t.liveIn {
			words += s.f.Words(t.register)
		}
	}
	if words > 0 {
		s.makeRoom(b, n, words, u.capacity)
	}
	for k := range u.touches {
		if t := &u.touches[k]; !t.liveIn {
			web := s.newWeb(t.register)
			b.event(n, spillEvent{kind: begun, register: t.register, web: web})
			h := held{t.register, web, 0, int32(n), t.valued}
			if t.liveOut {
				h.use = s.nextUse(b, t)
			}
			s.hold(h)
		}
	}
	u.used = max(u.used, s.words)
	for k := range u.touches {
		if t := &u.touches[k]; !t.liveOut && s.at[t.register] > 0 {
			s.drop(t.register)
		}
	}
}

// nextUse returns when a register that a unit touches is touched next, from the block's start.
func (s *spiller) nextUse(b *spillBlock, t *touch) int32 {
	if t.next >= 0 {
		return t.next
	}
	return s.beyond(b, t.register)
}

// leave loads, at the block's end, what the loops that it branches back to hold at their starts.
func (s *spiller) leave(b *spillBlock) {
	n := len(b.units)
	s.stamp++
	var missing []isa.Register
	for _, id := range b.Successors {
		if next := s.blocks[id]; next.number <= b.number {
			for _, h := range next.entry {
				s.kept[h.register] = s.stamp
				if s.at[h.register] == 0 && !slices.Contains(missing, h.register) {
					missing = append(missing, h.register)
				}
			}
		}
	}
	slices.Sort(missing)
	for _, r := range missing {
		s.makeRoom(b, n, s.f.Words(r), s.capacityAt(b, n))
		web := s.newWeb(r)
		b.event(n, spillEvent{kind: loaded, register: r, web: web})
		s.hold(held{r, web, never, int32(n), true})
	}
	for _, h := range s.held {
		b.exit = append(b.exit, heldWeb{h.register, h.web})
	}
	slices.SortFunc(b.exit, func(x, y heldWeb) int { return cmp.Compare(x.register, y.register) })
	for _, id := range b.Successors {
		if next := s.blocks[id]; next.number <= b.number {
			for _, h := range next.entry {
				web, _ := b.exit.of(h.register)
				s.join(h.web, web)
			}
		}
	}
}

// evictBetween evicts at a block's end the values that a successor needs later but does not hold at its start.
func (s *spiller) evictBetween() {
	for _, b := range s.order {
		var gone []isa.Register
		for _, h := range b.exit {
			for _, id := range b.Successors {
				next, r := s.blocks[id], h.register
				if _, live := next.find(r); live && !slices.Contains(gone, r) {
					if _, holds := next.entry.of(r); !holds {
						gone = append(gone, r)
					}
				}
			}
		}
		slices.Sort(gone)
		for _, r := range gone {
			b.event(len(b.units), spillEvent{kind: evicted, register: r})
		}
		slices.SortStableFunc(b.events, func(x, y spillEvent) int {
			return cmp.Or(cmp.Compare(x.unit, y.unit), cmp.Compare(x.kind, y.kind))
		})
	}
}
