package lower

import (
	"maps"
	"math"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// spill makes room: for each class that found no register it chooses, among the class's members and what they interfere with, the
// register that is cheapest to keep elsewhere; where it is in no hurry, only for classes beside none that is chosen already. It reports
// whether it found any, and, in a hurry, whether some class has nothing beside it that could make room: then it spills none.
func (f *function) spill(c *classes, failed []*class, spilled map[isa.Register]bool, hurry bool) (found, hopeless bool) {
	cost := f.spillCosts()
	chosen := map[isa.Register]bool{}
	for _, k := range failed {
		best, bestCost := isa.Register(-1), math.Inf(1)
		consider := func(r isa.Register) {
			if spilled[r] || hurry && chosen[r] || c.of[r] == nil || c.of[r].predicate != k.predicate || cost[r] == 0 {
				return
			}
			degree := 1
			for w := range f.words(r) {
				degree += len(c.graph.neighbours[c.slots.first[r]+int32(w)])
			}
			if value := cost[r] / float64(degree); value < bestCost || value == bestCost && r < best {
				best, bestCost = r, value
			}
		}
		done := false
		for _, m := range k.members {
			consider(m.register)
			for w := range f.words(m.register) {
				for _, other := range c.graph.neighbours[c.slots.first[m.register]+int32(w)] {
					r := c.slots.owner[other]
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
func (f *function) spillAll(chosen []isa.Register, spilled map[isa.Register]bool) {
	if len(chosen) == 0 {
		return
	}
	constants := f.rematerialisable()
	for len(chosen) > 0 {
		n := 1
		for n < len(chosen) && f.predicate(chosen[n]) == f.predicate(chosen[0]) {
			n++
		}
		if f.predicate(chosen[0]) && n <= predicateColour {
			n = 1
		}
		f.spillRegisters(chosen[:n], constants, spilled)
		chosen = chosen[n:]
	}
}

// spillCosts estimates, by register, how many operations its spilling would run; 0 for registers that only timing touches.
func (f *function) spillCosts() []float64 {
	cost := make([]float64, len(f.registers))
	for _, b := range f.blocks {
		weight := math.Pow(10, float64(min(b.depth, 6)))
		count := func(r isa.Register, _ int) { cost[whole(r)] += weight }
		for _, op := range b.operations {
			if op.Guard.Present {
				count(op.Guard.Register, 1)
			}
			if op.Effect != nil {
				f.uses(op.Effect, count)
				f.definitions(op.Effect, count)
			}
		}
	}
	return cost
}

// rematerialisable finds registers that one move of a constant or a special register fills: their value can be had again.
func (f *function) rematerialisable() map[isa.Register]*operation {
	writers := map[isa.Register]*operation{}
	count := map[isa.Register]int{}
	for _, b := range f.blocks {
		for _, op := range b.operations {
			if op.Effect != nil {
				f.definitions(op.Effect, func(r isa.Register, _ int) {
					writers[whole(r)] = op
					count[whole(r)]++
				})
			}
		}
	}
	for r, op := range writers {
		i := op.Effect
		if count[r] != 1 || f.words(r) != 1 || i.Guard.Present || i.Op != isa.OpMov || len(i.Src) != 1 || len(i.Dst) != 1 || !repeatable(&i.Src[0]) {
			delete(writers, r)
		}
	}
	return writers
}

// repeatable reports a source that gives the same value whenever it is read.
func repeatable(o *isa.Operand) bool {
	switch o.Kind {
	case isa.OperandImmediate, isa.OperandConstant, isa.OperandSymbol:
		return true
	case isa.OperandSpecial:
		return o.Special >= isa.TidX && o.Special <= isa.LaneID || o.Special >= isa.LanemaskEQ && o.Special <= isa.LanemaskGT
	}
	return false
}

// spilling is a row of registers that are kept outside the register file: constants are made again at each use, predicates lie in
// registers, other values in local memory.
type spilling struct {
	f       *function
	x       *expander
	place   map[isa.Register]spillPlace
	spilled map[isa.Register]bool
	// Of the block: where each register is touched, and what holds it for an expansion (by origin): one register serves all of it.
	touched map[isa.Register][]int
	held    map[isa.Register]map[*isa.Instruction]isa.Register
}

// spillRegisters spills registers of one kind.
func (f *function) spillRegisters(row []isa.Register, constants map[isa.Register]*operation, spilled map[isa.Register]bool) {
	s := &spilling{
		f: f, x: &expander{function: f}, place: map[isa.Register]spillPlace{}, spilled: spilled,
		held: map[isa.Register]map[*isa.Instruction]isa.Register{},
	}
	gone := map[*operation]bool{}
	for _, r := range row {
		spilled[r] = true
		switch constant := constants[r]; {
		case f.predicate(r):
			s.place[r] = predicateInRegister{f.temporary(isa.B32)}
		case constant != nil:
			s.place[r] = madeAgain{constant}
			gone[constant] = true
		default:
			bytes := 4 * f.words(r)
			offset := (f.frameBytes + bytes - 1) / bytes * bytes
			f.frameBytes = offset + bytes
			f.spills.bytes += bytes
			s.place[r] = inLocalMemory{offset}
		}
	}
	for _, b := range f.blocks {
		if len(gone) > 0 {
			b.operations = slices.DeleteFunc(b.operations, func(op *operation) bool { return gone[op] })
		}
		s.block(b)
	}
}

// block puts the loads and stores of the registers into a block.
func (s *spilling) block(b *block) {
	s.touched = map[isa.Register][]int{}
	touches := make([][]isa.Register, len(b.operations))
	for n, op := range b.operations {
		note := func(r isa.Register, _ int) {
			if r = whole(r); s.place[r] != nil && !slices.Contains(touches[n], r) {
				touches[n] = append(touches[n], r)
				s.touched[r] = append(s.touched[r], n)
			}
		}
		if op.Guard.Present {
			note(op.Guard.Register, 1)
		}
		s.f.eachNamed(op, note)
		if op.slow != nil {
			s.f.uses(op.slow.path.Probe, note)
		}
	}
	if len(s.touched) == 0 {
		return
	}
	clear(s.held)
	s.x.out = make([]*operation, 0, len(b.operations)+2*len(s.touched))
	for n, op := range b.operations {
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
		s.x.out = append(s.x.out, op)
		for k := len(stores) - 1; k >= 0; k-- {
			stores[k]()
		}
	}
	b.operations = s.x.out
}

// around appends the load of a register that an operation needs, has it use what is loaded, and gives the store that must follow it, nil
// for none. Operations of one instruction that write a register word by word are stored once.
func (s *spilling) around(b *block, op *operation, r isa.Register, unguarded bool) (store func()) {
	f, keep := s.f, s.place[r]
	reads, _ := f.touches(op, r)
	stored := f.wordsWritten(op, r) != 0
	held := s.held[r]
	fresh, loaded := held[op.origin]
	if !loaded || op.origin == nil {
		fresh = f.temporary(f.registers[r].Type)
		s.spilled[fresh] = true
		if reads || stored && (unguarded || !s.fills(b, op, r)) {
			keep.load(s.x, op, fresh)
		}
		if held == nil {
			held = map[*isa.Instruction]isa.Register{}
			s.held[r] = held
		}
		held[op.origin] = fresh
	}
	again := false
	if behind := s.touched[r]; len(behind) > 0 {
		next := b.operations[behind[0]]
		again = op.origin != nil && next.origin == op.origin && f.wordsWritten(next, r) != 0
	}
	f.rename(op, r, fresh)
	if !stored {
		return nil
	}
	// Under a guard the store leaves the other lanes' values in memory, and nothing but the store reads what is in the register.
	op.local = op.local || op.Guard.Present && op.Guard.Register != fresh && len(op.Effect.Dst) == 1
	if again {
		return nil
	}
	for origin := range held { // what other expansions have loaded is old now
		if origin != op.origin {
			delete(held, origin)
		}
	}
	return func() { keep.store(s.x, op, fresh, unguarded) }
}

// wordsWritten is a mask of the register's words that the operation's effect writes.
func (f *function) wordsWritten(op *operation, r isa.Register) uint8 {
	mask := uint8(0)
	if op.Effect != nil {
		f.definitions(op.Effect, func(other isa.Register, n int) {
			if whole(other) == r {
				first, _ := word(other)
				mask |= (1<<n - 1) << first
			}
		})
	}
	return mask
}

// fills reports that the operation, with those of its instruction that touch the register next, writes all its words.
func (s *spilling) fills(b *block, op *operation, r isa.Register) bool {
	all := uint8(1)<<s.f.words(r) - 1
	mask := s.f.wordsWritten(op, r)
	for _, n := range s.touched[r] {
		if mask == all || op.origin == nil {
			break
		}
		next := b.operations[n]
		if reads, _ := s.f.touches(next, r); reads || next.origin != op.origin {
			return false
		}
		mask |= s.f.wordsWritten(next, r)
	}
	return mask == all
}

// touches reports whether the operation reads or writes the register, in either view.
func (f *function) touches(op *operation, r isa.Register) (reads, writes bool) {
	read := func(other isa.Register, _ int) { reads = reads || whole(other) == r }
	write := func(other isa.Register, _ int) { writes = writes || whole(other) == r }
	if op.Guard.Present {
		read(op.Guard.Register, 1)
	}
	for _, other := range op.reads {
		read(other, 1)
	}
	for _, other := range op.writes {
		write(other, 1)
	}
	if op.Effect != nil {
		f.uses(op.Effect, read)
		f.definitions(op.Effect, write)
	}
	if op.slow != nil {
		f.uses(op.slow.path.Probe, read)
	}
	return reads, writes
}

// rename replaces a register in everything that the operation holds.
func (f *function) rename(op *operation, from, to isa.Register) {
	replace := func(r isa.Register) isa.Register {
		if whole(r) == from {
			return r&^registerMask | to
		}
		return r
	}
	if op.Guard.Present {
		op.Guard.Register = replace(op.Guard.Register)
	}
	for n := range op.reads {
		op.reads[n] = replace(op.reads[n])
	}
	for n := range op.writes {
		op.writes[n] = replace(op.writes[n])
	}
	if op.Effect != nil {
		renameInstruction(op.Effect, replace)
	}
}

func renameInstruction(i *isa.Instruction, replace func(isa.Register) isa.Register) {
	visit := func(o *isa.Operand) {
		if register(o) {
			o.Register = replace(o.Register)
		}
	}
	i.Sources(visit)
	i.Destinations(visit)
	if i.Guard.Present {
		i.Guard.Register = replace(i.Guard.Register)
	}
}

// spillPlace is where a spilled register's value lies.
type spillPlace interface {
	load(x *expander, before *operation, into isa.Register)
	// store keeps what the operation left in a register: of all lanes, if unguarded says so.
	store(x *expander, after *operation, from isa.Register, unguarded bool)
}

type inLocalMemory struct{ offset int }

func (p inLocalMemory) access(op isa.Opcode, t isa.Type) *isa.Instruction {
	return &isa.Instruction{Op: op, Type: t, Memory: &isa.Memory{Space: isa.SpaceLocal, Base: isa.Imm(uint64(p.offset), isa.U64), Vector: 1}}
}

// spillTypes are the access types by the number of words.
var spillTypes = map[int]isa.Type{1: isa.B32, 2: isa.B64}

func (p inLocalMemory) load(x *expander, op *operation, into isa.Register) {
	p.each(x, into, func(i *isa.Instruction, o isa.Operand) {
		i.Op, i.Dst, i.Line = isa.OpLd, []isa.Operand{o}, op.Line
		x.spillAccess(i, "LDL")
		x.spills.loads++
	})
}

func (p inLocalMemory) store(x *expander, op *operation, from isa.Register, _ bool) {
	p.each(x, from, func(i *isa.Instruction, o isa.Operand) {
		i.Op, i.Src, i.Line, i.Guard = isa.OpSt, []isa.Operand{o}, op.Line, op.Guard
		x.spillAccess(i, "STL")
		x.spills.stores++
	})
}

// each makes one access for each two words of the register.
func (p inLocalMemory) each(x *expander, r isa.Register, visit func(*isa.Instruction, isa.Operand)) {
	words := x.words(r)
	for first := 0; first < words; first += 2 {
		t := spillTypes[min(words-first, 2)]
		i := p.access(isa.OpLd, t)
		i.Memory.Offset = int64(4 * first)
		o := isa.Reg(r, t)
		if words > 2 {
			o.Register = part(r, first)
		}
		visit(i, o)
	}
}

func (x *expander) spillAccess(i *isa.Instruction, mnemonic string) {
	op := x.simple(i, mnemonic+widthSuffix(i.Type, 1), isa.ClassLocal)
	op.PTXCount, op.Spill = 0, true
}

type madeAgain struct{ move *operation }

func (p madeAgain) load(x *expander, op *operation, into isa.Register) {
	i := cloneInstruction(p.move.Effect)
	i.Dst[0].Register, i.Line = into, op.Line
	again := *p.move
	again.Effect, again.PTXCount, again.Line = i, 0, op.Line
	again.writes, again.reads = []isa.Register{into}, nil
	x.out = append(x.out, &again)
}

func (p madeAgain) store(*expander, *operation, isa.Register, bool) {
	panic("lower: a constant that is written twice")
}

// predicateInRegister keeps a predicate as 0 or 1 in a register.
type predicateInRegister struct{ home isa.Register }

func (p predicateInRegister) load(x *expander, op *operation, into isa.Register) {
	i := &isa.Instruction{Op: isa.OpSetp, Type: isa.U32, Mod: isa.Modifiers{Compare: isa.NE}, Line: op.Line,
		Dst: []isa.Operand{isa.Predicate(into, false)}, Src: []isa.Operand{isa.Reg(p.home, isa.U32), isa.Imm(0, isa.U32)}}
	x.simple(i, "ISETP.NE.U32", isa.ClassCompare).PTXCount = 0
}

func (p predicateInRegister) store(x *expander, op *operation, from isa.Register, unguarded bool) {
	guard := op.Guard
	if unguarded || guard.Present && guard.Register == from {
		// The operation has changed its own guard. The predicate was read before, so that every lane's value can be kept.
		guard = isa.Guard{}
	}
	i := &isa.Instruction{Op: isa.OpSelp, Type: isa.U32, Guard: guard, Line: op.Line,
		Dst: []isa.Operand{isa.Reg(p.home, isa.U32)}, Src: []isa.Operand{isa.Imm(1, isa.U32), isa.Imm(0, isa.U32), isa.Predicate(from, false)}}
	x.simple(i, "SEL", isa.ClassInteger).PTXCount = 0
}
