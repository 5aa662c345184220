package registers

import (
	"maps"
	"math"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// spill makes room: for each class that found no register it chooses, among the class's members and what they interfere with, the
// register that is cheapest to keep elsewhere; where it is in no hurry, only for classes beside none that is chosen already. It reports
// whether it found any, and, in a hurry, whether some class has nothing beside it that could make room: then it spills none.
func (f *allocator) spill(c *classes, failed []*class, spilled map[isa.Register]bool, hurry bool) (found, hopeless bool) {
	cost := f.spillCosts()
	chosen := map[isa.Register]bool{}
	for _, k := range failed {
		best, bestCost := isa.Register(-1), math.Inf(1)
		consider := func(r isa.Register) {
			if spilled[r] || hurry && chosen[r] || c.of[r] == nil || c.of[r].predicate != k.predicate || cost[r] == 0 {
				return
			}
			degree := 1
			for slot, end := c.slots.Span(r, 1); slot < end; slot++ {
				degree += len(c.graph.of(slot))
			}
			if value := cost[r] / float64(degree); value < bestCost || value == bestCost && r < best {
				best, bestCost = r, value
			}
		}
		done := false
		for _, m := range k.members {
			consider(m.register)
			for slot, end := c.slots.Span(m.register, 1); slot < end; slot++ {
				for _, other := range c.graph.of(slot) {
					r := c.slots.Owner[other]
					done = done || chosen[r]
					consider(r)
				}
			}
		}
		switch {
		case best < 0 && hurry && !done:
			return false, true
		case best >= 0 && (hurry || !done):
			chosen[best] = true
		}
	}
	f.spillAll(slices.Sorted(maps.Keys(chosen)), spilled)
	return len(chosen) > 0, false
}

// spillAll spills registers, in rising order: rows of those that lie in memory at once, and of predicates.
func (f *allocator) spillAll(chosen []isa.Register, spilled map[isa.Register]bool) {
	if len(chosen) == 0 {
		return
	}
	f.changed()
	constants := f.rematerialisable()
	for len(chosen) > 0 {
		n := 1
		for n < len(chosen) && f.IsPredicate(chosen[n]) == f.IsPredicate(chosen[0]) {
			n++
		}
		if f.IsPredicate(chosen[0]) && n <= machine.PredicateColour {
			n = 1
		}
		f.spillRegisters(chosen[:n], constants, spilled)
		chosen = chosen[n:]
	}
}

// spillCosts estimates, by register, how many operations its spilling would run; 0 for registers that only timing touches.
func (f *allocator) spillCosts() []float64 {
	cost := make([]float64, len(f.Registers))
	for _, b := range f.Blocks {
		weight := math.Pow(10, float64(min(b.Depth, 6)))
		count := func(r isa.Register, _ int) { cost[virtual.Whole(r)] += weight }
		for _, op := range b.Operations {
			if op.Guard.Present {
				count(op.Guard.Register, 1)
			}
			if op.Effect != nil {
				f.Uses(op.Effect, count)
				f.Definitions(op.Effect, count)
			}
		}
	}
	return cost
}

// rematerialisable finds registers that one move of a constant or a special register fills: their value can be had again.
func (f *allocator) rematerialisable() map[isa.Register]*machine.Operation {
	writers := map[isa.Register]*machine.Operation{}
	count := map[isa.Register]int{}
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
		i := op.Effect
		if count[r] != 1 || f.Words(r) != 1 || i.Guard.Present || i.Op != isa.OpMov || len(i.Src) != 1 || len(i.Dst) != 1 ||
			!virtual.Repeatable(&i.Src[0]) {
			delete(writers, r)
		}
	}
	return writers
}

// spilling is a row of registers that are kept outside the register file: constants are made again at each use, predicates lie in
// registers, other values in local memory.
type spilling struct {
	f       *allocator
	x       *machine.Builder
	place   map[isa.Register]spillPlace
	spilled map[isa.Register]bool
	// Of the block: where each register is touched, and what holds it for an expansion (by origin): one register serves all of it.
	touched map[isa.Register][]int
	held    map[isa.Register]map[*isa.Instruction]isa.Register
}

// spillRegisters spills registers of one kind.
func (f *allocator) spillRegisters(row []isa.Register, constants map[isa.Register]*machine.Operation, spilled map[isa.Register]bool) {
	s := &spilling{
		f: f, x: &machine.Builder{Function: f.Function}, place: map[isa.Register]spillPlace{}, spilled: spilled,
		held: map[isa.Register]map[*isa.Instruction]isa.Register{},
	}
	gone := map[*machine.Operation]bool{}
	for _, r := range row {
		spilled[r] = true
		switch constant := constants[r]; {
		case f.IsPredicate(r):
			s.place[r] = predicateInRegister{f.Temporary(isa.B32)}
		case constant != nil:
			s.place[r] = madeAgain{constant}
			gone[constant] = true
		default:
			bytes := 4 * f.Words(r)
			offset := (f.FrameBytes + bytes - 1) / bytes * bytes
			f.FrameBytes = offset + bytes
			f.spills.Bytes += bytes
			s.place[r] = inLocalMemory{offset, &f.spills}
		}
	}
	for _, b := range f.Blocks {
		if len(gone) > 0 {
			b.Operations = slices.DeleteFunc(b.Operations, func(op *machine.Operation) bool { return gone[op] })
		}
		s.block(b)
	}
}

// block puts the loads and stores of the registers into a block.
func (s *spilling) block(b *machine.Block) {
	s.touched = map[isa.Register][]int{}
	touches := make([][]isa.Register, len(b.Operations))
	for n, op := range b.Operations {
		note := func(r isa.Register, _ int) {
			if r = virtual.Whole(r); s.place[r] != nil && !slices.Contains(touches[n], r) {
				touches[n] = append(touches[n], r)
				s.touched[r] = append(s.touched[r], n)
			}
		}
		if op.Guard.Present {
			note(op.Guard.Register, 1)
		}
		s.f.EachNamed(op, note)
		if op.Path != nil {
			s.f.Uses(op.Path.Path.Probe, note)
		}
	}
	if len(s.touched) == 0 {
		return
	}
	clear(s.held)
	s.x.Out = make([]*machine.Operation, 0, len(b.Operations)+2*len(s.touched))
	for n, op := range b.Operations {
		slices.Sort(touches[n])
		// Where its guard is spilled together with what it writes, the operation may change the guard before the store, which then
		// keeps all lanes.
		unguarded := len(s.place) > 1 && op.Guard.Present && s.place[op.Guard.Register] != nil
		var stores []func()
		for _, r := range touches[n] {
			s.touched[r] = s.touched[r][1:]
			if store := s.around(b, op, r, unguarded); store != nil {
				stores = append(stores, store)
			}
		}
		s.x.Out = append(s.x.Out, op)
		for k := len(stores) - 1; k >= 0; k-- {
			stores[k]()
		}
	}
	b.Operations = s.x.Out
}

// around appends the load of a register that an operation needs, has it use what is loaded, and gives the store that must follow it, nil
// for none. Operations of one instruction that write a register word by word are stored once.
func (s *spilling) around(b *machine.Block, op *machine.Operation, r isa.Register, unguarded bool) (store func()) {
	f, keep := s.f, s.place[r]
	reads, _ := f.touches(op, r)
	stored := f.wordsWritten(op, r) != 0
	held := s.held[r]
	fresh, loaded := held[op.Origin]
	if !loaded || op.Origin == nil {
		fresh = f.Temporary(f.Registers[r].Type)
		s.spilled[fresh] = true
		if reads || stored && (unguarded || !s.fills(b, op, r)) {
			keep.load(s.x, op, fresh)
		}
		if held == nil {
			held = map[*isa.Instruction]isa.Register{}
			s.held[r] = held
		}
		held[op.Origin] = fresh
	}
	again := false
	if behind := s.touched[r]; len(behind) > 0 {
		next := b.Operations[behind[0]]
		again = op.Origin != nil && next.Origin == op.Origin && f.wordsWritten(next, r) != 0
	}
	renameRegister(op, r, fresh)
	if !stored {
		return nil
	}
	// Under a guard the store leaves the other lanes' values in memory, and nothing but the store reads what is in the register.
	op.Local = op.Local || op.Guard.Present && op.Guard.Register != fresh && len(op.Effect.Dst) == 1
	if again {
		return nil
	}
	for origin := range held { // what other expansions have loaded is old now
		if origin != op.Origin {
			delete(held, origin)
		}
	}
	return func() { keep.store(s.x, op, fresh, unguarded) }
}

// wordsWritten returns a mask of the register's words that the operation's effect writes.
func (f *allocator) wordsWritten(op *machine.Operation, r isa.Register) uint8 {
	mask := uint8(0)
	if op.Effect != nil {
		f.Definitions(op.Effect, func(other isa.Register, n int) {
			if virtual.Whole(other) == r {
				first, _ := virtual.Word(other)
				mask |= (1<<n - 1) << first
			}
		})
	}
	return mask
}

// fills reports that the operation, with those of its instruction that touch the register next, writes all its words.
func (s *spilling) fills(b *machine.Block, op *machine.Operation, r isa.Register) bool {
	all := uint8(1)<<s.f.Words(r) - 1
	mask := s.f.wordsWritten(op, r)
	for _, n := range s.touched[r] {
		if mask == all || op.Origin == nil {
			break
		}
		next := b.Operations[n]
		if reads, _ := s.f.touches(next, r); reads || next.Origin != op.Origin {
			return false
		}
		mask |= s.f.wordsWritten(next, r)
	}
	return mask == all
}

// touches reports whether the operation reads or writes the register, in either view.
func (f *allocator) touches(op *machine.Operation, r isa.Register) (reads, writes bool) {
	read := func(other isa.Register, _ int) { reads = reads || virtual.Whole(other) == r }
	write := func(other isa.Register, _ int) { writes = writes || virtual.Whole(other) == r }
	if op.Guard.Present {
		read(op.Guard.Register, 1)
	}
	for _, other := range op.Uses {
		read(other, 1)
	}
	for _, other := range op.Defines {
		write(other, 1)
	}
	if op.Effect != nil {
		f.Uses(op.Effect, read)
		f.Definitions(op.Effect, write)
	}
	if op.Path != nil {
		f.Uses(op.Path.Path.Probe, read)
	}
	return reads, writes
}

// renameRegister replaces a register in everything that the operation holds.
func renameRegister(op *machine.Operation, from, to isa.Register) {
	replace := func(r isa.Register) isa.Register {
		if virtual.Whole(r) == from {
			return r&^virtual.RegisterMask | to
		}
		return r
	}
	if op.Guard.Present {
		op.Guard.Register = replace(op.Guard.Register)
	}
	for n := range op.Uses {
		op.Uses[n] = replace(op.Uses[n])
	}
	for n := range op.Defines {
		op.Defines[n] = replace(op.Defines[n])
	}
	if op.Effect != nil {
		virtual.Rename(op.Effect, replace)
	}
}

// spillPlace is where a spilled register's value lies.
type spillPlace interface {
	load(x *machine.Builder, before *machine.Operation, into isa.Register)
	// store keeps what the operation left in a register: of all lanes, if unguarded says so.
	store(x *machine.Builder, after *machine.Operation, from isa.Register, unguarded bool)
}

type inLocalMemory struct {
	offset int
	counts *machine.Spills
}

func (p inLocalMemory) access(op isa.Opcode, t isa.Type) *isa.Instruction {
	return &isa.Instruction{Op: op, Type: t, Memory: &isa.Memory{Space: isa.SpaceLocal, Base: isa.Imm(uint64(p.offset), isa.U64),
		Vector: 1}}
}

// spillTypes are the access types by the number of words.
var spillTypes = map[int]isa.Type{1: isa.B32, 2: isa.B64}

func (p inLocalMemory) load(x *machine.Builder, op *machine.Operation, into isa.Register) {
	p.each(x, into, func(i *isa.Instruction, o isa.Operand) {
		i.Op, i.Dst, i.Line = isa.OpLd, []isa.Operand{o}, op.Line
		spillAccess(x, i, "LDL")
		p.counts.Loads++
	})
}

func (p inLocalMemory) store(x *machine.Builder, op *machine.Operation, from isa.Register, _ bool) {
	p.each(x, from, func(i *isa.Instruction, o isa.Operand) {
		i.Op, i.Src, i.Line, i.Guard = isa.OpSt, []isa.Operand{o}, op.Line, op.Guard
		spillAccess(x, i, "STL")
		p.counts.Stores++
	})
}

// each makes one access for each two words of the register.
func (p inLocalMemory) each(x *machine.Builder, r isa.Register, visit func(*isa.Instruction, isa.Operand)) {
	words := x.Words(r)
	for first := 0; first < words; first += 2 {
		t := spillTypes[min(words-first, 2)]
		i := p.access(isa.OpLd, t)
		i.Memory.Offset = int64(4 * first)
		o := isa.Reg(r, t)
		if words > 2 {
			o.Register = virtual.Part(r, first)
		}
		visit(i, o)
	}
}

func spillAccess(x *machine.Builder, i *isa.Instruction, mnemonic string) {
	op := x.Simple(i, mnemonic+machine.WidthSuffix(i.Type, 1), isa.ClassLocal)
	op.PTXCount, op.Spill = 0, true
}

type madeAgain struct{ move *machine.Operation }

func (p madeAgain) load(x *machine.Builder, op *machine.Operation, into isa.Register) {
	i := virtual.Clone(p.move.Effect)
	i.Dst[0].Register, i.Line = into, op.Line
	again := *p.move
	again.Effect, again.PTXCount, again.Line = i, 0, op.Line
	again.Defines, again.Uses = []isa.Register{into}, nil
	x.Out = append(x.Out, &again)
}

func (p madeAgain) store(*machine.Builder, *machine.Operation, isa.Register, bool) {
	panic("lower: a constant that is written twice")
}

// predicateInRegister keeps a predicate as 0 or 1 in a register.
type predicateInRegister struct{ home isa.Register }

func (p predicateInRegister) load(x *machine.Builder, op *machine.Operation, into isa.Register) {
	i := &isa.Instruction{Op: isa.OpSetp, Type: isa.U32, Mod: isa.Modifiers{Compare: isa.NE}, Line: op.Line,
		Dst: []isa.Operand{isa.Predicate(into, false)}, Src: []isa.Operand{isa.Reg(p.home, isa.U32), isa.Imm(0, isa.U32)}}
	x.Simple(i, "ISETP.NE.U32", isa.ClassCompare).PTXCount = 0
}

func (p predicateInRegister) store(x *machine.Builder, op *machine.Operation, from isa.Register, unguarded bool) {
	guard := op.Guard
	if unguarded || guard.Present && guard.Register == from {
		// The operation has changed its own guard. The predicate was read before, so that every lane's value can be kept.
		guard = isa.Guard{}
	}
	i := &isa.Instruction{Op: isa.OpSelp, Type: isa.U32, Guard: guard, Line: op.Line,
		Dst: []isa.Operand{isa.Reg(p.home, isa.U32)}, Src: []isa.Operand{isa.Imm(1, isa.U32), isa.Imm(0, isa.U32),
			isa.Predicate(from, false)}}
	x.Simple(i, "SEL", isa.ClassInteger).PTXCount = 0
}
