package registers

import (
	"cmp"
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// spiller decides which values are in registers, for one file with fewer registers than values. It visits blocks in reverse postorder. At
// each operation it holds what the operation needs and, of the other values, those with the soonest next use (Belady's rule). A loop begins
// with what it uses first. A value that is not held is loaded ahead of its next use and held as long as registers suffice. Each stretch for
// which a value is held becomes a register of its own (a web), so the stretches of one value can have different places.
//
// Colouring may need more registers than values are live, as pairs are aligned. Then capacity falls where a stretch found no place, the
// operations are restored, and the spiller decides again.
type spiller struct {
	f          *allocator
	predicates bool
	capacity   int
	latency    int // of a load, in units
	registers  int // the function's number, before any was added
	frame      int // bytes, likewise
	spills     machine.Spills
	constants  []*machine.Operation // by register: the move that makes a constant again, nil for other values
	blocks     []*spillBlock        // by block id
	order      []*spillBlock        // reverse postorder
	graph      *flow.Graph
	maxLive    map[*flow.Loop]int // the most live registers
	// State of one round.
	webs  []web
	held  []held
	at    []int32 // by register: its index in held plus one, 0 if absent
	words int     // held words
	stamp int32
	kept  []int32        // by register: the stamp under which it is not evicted
	place []spillPlace   // by register; nil until one is needed
	first []bool         // by register: a stretch has its name
	web   []int32        // by register: the stretch that is held now
	added []isa.Register // by register behind the function's: whose stretch it is
}

// spillBlock is the spiller's knowledge of a block.
type spillBlock struct {
	*machine.Block
	number     int                  // index in order
	operations []*machine.Operation // the original ones
	units      []spillUnit
	tail       int                   // loads and stores must come before this unit
	branches   int                   // words that the last operations read, while what is loaded at the block's end is held
	in         []usedLater           // values that are live at its start, by register
	maxLive    int                   // the most live registers
	barred     map[isa.Register]bool // not held at its start, for the sake of colouring
	// Of a round.
	entry, exit holding               // what is held at its start and end
	idle        map[isa.Register]bool // not held at its start, as they would be evicted before they are used
	events      []spillEvent
	unitOf      []int32 // by present operation
}

// spillUnit is an operation, or the contiguous operations of a slow path.
type spillUnit struct {
	first, end int
	touches    []touch
	capacity   int // registers available for values there
	used       int // in this round
}

// touch is a unit's use of a register.
type touch struct {
	register isa.Register
	next     int32 // next unit of the block that touches it, -1 for none
	liveIn   bool  // the register's old value is read by the unit or later
	value    bool  // that is a value, not only the timing view's
	writes   bool  // it writes a value
	liveOut  bool  // live afterwards, in either view
	valued   bool  // in the functional view
	store    bool  // in this round: the value is stored after the unit
}

// usedLater is a live value with the number of operations until its next use.
type usedLater struct {
	register isa.Register
	distance int32
}

// loopExitDistance is the distance that leaving a loop adds: all uses outside a loop are farther than those inside.
const (
	loopExitDistance = 1 << 20
	never            = 1 << 28
)

// held is a stretch that is in a register now.
type held struct {
	register isa.Register
	web      int32
	use      int32 // its next use, from the block's start
	touched  int32 // the last unit that touched it
	valued   bool
}

// holding is what is held at one side of a block, by register.
type holding []heldWeb

// heldWeb is a stretch that is held.
type heldWeb struct {
	register isa.Register
	web      int32
}

func compareHeld(h heldWeb, r isa.Register) int { return cmp.Compare(h.register, r) }

// of returns the stretch of a register.
func (l holding) of(r isa.Register) (web int32, held bool) {
	n, held := slices.BinarySearchFunc(l, r, compareHeld)
	if !held {
		return 0, false
	}
	return l[n].web, true
}

// add adds the stretch of a register that has none.
func (l *holding) add(r isa.Register, web int32) {
	n, _ := slices.BinarySearchFunc(*l, r, compareHeld)
	*l = slices.Insert(*l, n, heldWeb{r, web})
}

// web is a stretch's part in one block, joined with those that control leads to.
type web struct {
	register isa.Register
	parent   int32
	read     bool
	name     isa.Register // -1 until needed
}

// spillEvent is an event ahead of a unit.
type spillEvent struct {
	unit     int32
	kind     eventKind
	register isa.Register
	web      int32
	store    bool // an evicted value is stored
}

type eventKind int8

// The order of events ahead of one unit.
const (
	evicted eventKind = iota
	loaded
	begun // the unit writes it
)

// newSpiller analyses the function in its present form.
func (f *allocator) newSpiller(predicates bool, capacity int) *spiller {
	f.ensureLiveness()
	n := len(f.Registers)
	s := &spiller{f: f, predicates: predicates, registers: n, frame: f.FrameBytes, spills: f.spills, constants: f.rematerialisable(),
		blocks: make([]*spillBlock, len(f.ByID)), graph: flow.Of(f.Blocks, len(f.ByID)).Graph(), maxLive: map[*flow.Loop]int{},
		at: make([]int32, n), kept: make([]int32, n), web: make([]int32, n),
		capacity: capacity, latency: f.Options.Latency(isa.ClassLocal) / f.Options.IssueCycles}
	for k, b := range s.graph.Order {
		block := &spillBlock{Block: f.ByID[b.ID], number: k, barred: map[isa.Register]bool{}}
		s.blocks[b.ID], s.order = block, append(s.order, block)
		s.findUnits(block)
		for l := s.graph.Inner[b.ID]; l != nil; l = l.Outer {
			s.maxLive[l] = max(s.maxLive[l], block.maxLive)
		}
	}
	s.measure()
	return s
}

// findUnits finds a block's units and their touches.
func (s *spiller) findUnits(b *spillBlock) {
	functional, timing, slots := s.f.functional, s.f.timing, s.f.slots
	b.operations = b.Operations
	functional.Enter(b.Block)
	timing.Enter(b.Block)
	live := func(l *machine.Liveness, r isa.Register) bool {
		for slot, end := slots.Span(r, 1); slot < end; slot++ {
			if l.Live.Has(slot) {
				return true
			}
		}
		return false
	}
	next := map[isa.Register]int32{} // in units from the block's end
	for end := len(b.operations); end > 0; {
		first := end - 1
		path := b.operations[first].Path
		for path != nil && first > 0 && b.operations[first-1].Path == path {
			first--
		}
		if path != nil && path.Path.Probe == b.operations[first].Origin { // the probe reads what is held where the path begins
			path.Path.Probe = virtual.Clone(path.Path.Probe)
		}
		u := spillUnit{first: first, end: end, capacity: s.capacity}
		note := func(list []int32, writes bool) {
			for _, slot := range list {
				r := slots.Owner[slot]
				if slots.Predicate[slot] != s.predicates {
					continue
				}
				k := slices.IndexFunc(u.touches, func(t touch) bool { return t.register == r })
				if k < 0 {
					k = len(u.touches)
					u.touches = append(u.touches, touch{register: r, next: -1, liveOut: live(functional, r) || live(timing, r),
						valued: live(functional, r)})
					if n, ok := next[r]; ok {
						u.touches[k].next = n
					}
				}
				u.touches[k].writes = u.touches[k].writes || writes
			}
		}
		for n := first; n < end; n++ {
			note(functional.Uses(b.Block, n), false)
			note(functional.Definitions(b.Block, n), true)
			note(timing.Uses(b.Block, n), false)
			note(timing.Definitions(b.Block, n), false)
		}
		for n := end - 1; n >= first; n-- {
			b.maxLive = max(b.maxLive, s.count(functional.Live))
			functional.Cross(b.Block, n)
			timing.Cross(b.Block, n)
		}
		for k := range u.touches {
			t := &u.touches[k]
			t.value = live(functional, t.register)
			t.liveIn = t.value || live(timing, t.register)
			next[t.register] = int32(len(b.units))
		}
		b.units = append(b.units, u)
		end = first
	}
	b.maxLive = max(b.maxLive, s.count(functional.Live))
	slices.Reverse(b.units)
	last := int32(len(b.units) - 1)
	for n := range b.units {
		for k := range b.units[n].touches {
			if t := &b.units[n].touches[k]; t.next >= 0 {
				t.next = last - t.next
			}
		}
	}
	for _, slot := range functional.In[b.ID] {
		if r := slots.Owner[slot]; slots.Predicate[slot] == s.predicates && (len(b.in) == 0 || b.in[len(b.in)-1].register != r) {
			distance := int32(never)
			if n, ok := next[r]; ok {
				distance = last - n
			}
			b.in = append(b.in, usedLater{r, distance})
		}
	}
	b.tail = len(b.units)
	for b.tail > 0 && leaves(b.operations[b.units[b.tail-1].first]) {
		b.tail--
		for _, t := range b.units[b.tail].touches {
			if !t.liveOut {
				b.branches += s.f.Words(t.register)
			}
		}
	}
}

// leaves reports an operation that ends a block.
func leaves(op *machine.Operation) bool {
	switch op.Control {
	case isa.ControlBranch, isa.ControlIndex, isa.ControlReturn, isa.ControlExit, isa.ControlTrap:
		return true
	}
	return false
}

// count returns how many live slots are in the spiller's file.
func (s *spiller) count(l *machine.LiveSet) int {
	if s.predicates {
		return len(l.List) - l.Registers
	}
	return l.Registers
}

// measure computes the distance to the next use of values that a block does not touch.
func (s *spiller) measure() {
	for changed := true; changed; {
		changed = false
		for k := len(s.order) - 1; k >= 0; k-- {
			b := s.order[k]
			for n := range b.in {
				if v := &b.in[n]; v.distance >= int32(len(b.units)) {
					if d := s.beyond(b, v.register); d < v.distance {
						v.distance, changed = d, true
					}
				}
			}
		}
	}
}

// beyond returns the distance from a block's start to a value's next use behind the block.
func (s *spiller) beyond(b *spillBlock, r isa.Register) int32 {
	least := int32(never)
	for _, id := range b.Successors {
		next := s.blocks[id]
		if n, live := next.find(r); live {
			d := next.in[n].distance + int32(len(b.units)) + int32(max(b.Depth-next.Depth, 0))*loopExitDistance
			least = min(least, d)
		}
	}
	return least
}

// find returns a value's index in b.in, and whether it is live at the block's start.
func (b *spillBlock) find(r isa.Register) (int, bool) {
	return slices.BinarySearchFunc(b.in, r, func(v usedLater, r isa.Register) int { return cmp.Compare(v.register, r) })
}

// capacityAt returns the capacity ahead of a unit, or at the block's end.
func (s *spiller) capacityAt(b *spillBlock, n int) int {
	if len(b.units) == 0 {
		return s.capacity
	}
	return b.units[min(n, len(b.units)-1)].capacity
}

// decide chooses what is held where, and rewrites the function's operations.
func (s *spiller) decide() error {
	s.place, s.first = make([]spillPlace, s.registers), make([]bool, s.registers)
	for _, b := range s.order {
		b.idle = maps.Clone(b.barred)
	}
	for pass, again := 0, true; again && pass < entryPasses; pass++ {
		s.webs = s.webs[:0]
		for _, b := range s.order {
			b.entry, b.exit, b.events = b.entry[:0], b.exit[:0], b.events[:0]
		}
		for _, b := range s.order {
			if err := s.f.Stopped(); err != nil {
				return err
			}
			s.enter(b)
			for n := range b.units {
				s.unit(b, n)
			}
			s.leave(b)
		}
		again = s.findIdle()
	}
	s.evictBetween()
	s.placeStores()
	s.write()
	return nil
}

// entryPasses is the most passes that choose what blocks hold at their starts. A value that was evicted before a use is not held in the
// next pass.
const entryPasses = 4

// findIdle marks the webs that are read, and finds values that blocks hold at their starts in vain. It reports whether there are new ones.
func (s *spiller) findIdle() (more bool) {
	for changed := true; changed; {
		changed = false
		for k := len(s.order) - 1; k >= 0; k-- {
			b := s.order[k]
			for _, h := range b.exit {
				if s.webs[h.web].read {
					continue
				}
				for _, id := range b.Successors {
					if next, holds := s.blocks[id].entry.of(h.register); holds && s.webs[next].read {
						s.webs[h.web].read, changed = true, true
					}
				}
			}
		}
	}
	for _, b := range s.order {
		for _, h := range b.entry {
			if !s.webs[h.web].read {
				b.idle[h.register], more = true, true
			}
		}
	}
	return more
}

// undo restores the function's operations.
func (s *spiller) undo() {
	f := s.f
	whose := func(r isa.Register) isa.Register {
		if n := int(r) - s.registers; n >= 0 {
			return s.added[n]
		}
		return r
	}
	for _, b := range s.order {
		b.Operations = b.operations
		for _, op := range b.operations {
			renameRegisters(op, whose)
			if op.Path != nil {
				renameInstruction(op.Path.Path.Probe, whose)
			}
		}
	}
	f.Registers, f.FrameBytes, f.spills, s.added = f.Registers[:s.registers], s.frame, s.spills, nil
	f.forgetLiveness()
}

// cut ends stretches that found no place where they leave loops, so that code behind a loop loads the value once. It reports whether it
// could.
func (s *spiller) cut(without []bool) (any bool) {
	deepest := map[isa.Register]int{}
	for _, b := range s.order {
		for _, h := range b.exit {
			if r := s.webs[s.root(h.web)].name; r >= 0 && without[r] {
				deepest[r] = max(deepest[r], b.Depth)
			}
		}
	}
	for _, b := range s.order {
		for _, h := range b.entry {
			if name := s.webs[s.root(h.web)].name; name >= 0 && without[name] && b.Depth < deepest[name] {
				b.barred[h.register], any = true, true
			}
		}
	}
	return any
}

// tighten reduces what is held where classes found no place. It lowers the capacity where their registers are written or, if that is not
// enough, wherever they are live. It reports whether it could.
func (s *spiller) tighten(c *classes, failed []*class, by int) bool {
	without := make([]bool, len(s.f.Registers))
	for _, k := range failed {
		for _, m := range k.members {
			without[m.register] = k.predicate == s.predicates
		}
	}
	return s.cut(without) || by == 1 && s.lowerCapacity(c, without, by, false) || s.lowerCapacity(c, without, by, true)
}

// lowerCapacity lowers the capacity where registers that found no place are written or, if wide is set, live. It reports whether it could.
func (s *spiller) lowerCapacity(c *classes, without []bool, by int, wide bool) (lowered bool) {
	f := s.f
	counted, stamp := make([]int, len(f.Registers)), 0
	for _, b := range s.order {
		lacking := make([]int, len(b.units)+1) // by unit: how many such registers
		for _, l := range [2]*machine.Liveness{f.functional, f.timing} {
			note := func(unit int, lists ...[]int32) {
				count := 0
				stamp++
				for _, list := range lists {
					for _, slot := range list {
						if r := c.slots.Owner[slot]; without[r] && counted[r] != stamp {
							counted[r] = stamp
							count++
						}
					}
				}
				lacking[unit] = max(lacking[unit], count)
			}
			if wide {
				note(0, l.In[b.ID])
			}
			l.Walk(b.Block, func(n int, _ *machine.Operation, live *machine.LiveSet) {
				note(int(b.unitOf[n]), l.Definitions(b.Block, n))
				if wide {
					note(int(b.unitOf[n]), l.Definitions(b.Block, n), live.List)
				}
			})
		}
		for n, count := range lacking[:len(b.units)] {
			u := &b.units[n]
			if count > 0 && u.capacity > 0 {
				u.capacity, lowered = min(u.capacity, u.used)-count*by, true
			}
		}
	}
	return lowered
}

// rematerialisable finds registers that one move of a constant or a special register fills: their value can be had again.
func (f *allocator) rematerialisable() []*machine.Operation {
	writers, count := make([]*machine.Operation, len(f.Registers)), make([]int32, len(f.Registers))
	for _, b := range f.Blocks {
		for _, op := range b.Operations {
			if op.Effect != nil {
				f.Definitions(op.Effect, func(r isa.Register, _ int) {
					writers[virtual.Whole(r)] = op
					count[virtual.Whole(r)]++
				})
			}
		}
	}
	for r, op := range writers {
		if op == nil {
			continue
		}
		i := op.Effect
		if count[r] != 1 || f.Words(isa.Register(r)) != 1 || i.Guard.Present || i.Op != isa.OpMov || len(i.Src) != 1 || len(i.Dst) != 1 ||
			!virtual.Repeatable(&i.Src[0]) {
			writers[r] = nil
		}
	}
	return writers
}
