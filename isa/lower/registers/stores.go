package registers

import (
	"math"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// placeStores decides where each value that is loaded again is stored: where it is written or where it is evicted, whichever runs less
// often.
func (s *spiller) placeStores() {
	number, count := make([]int32, s.registers), int32(0) // numbers of what is loaded again, and one more
	for _, b := range s.order {
		for _, e := range b.events {
			if e.kind == loaded && number[e.register] == 0 && s.constants[e.register] == nil {
				count++
				number[e.register] = count
			}
		}
	}
	balance := make([]float64, count+1) // by these: what storing at evictions costs more
	for _, b := range s.order {
		weight := math.Pow(10, float64(min(b.Depth, 6)))
		for _, e := range b.events {
			if k := number[e.register]; k > 0 && e.kind == evicted {
				balance[k] += weight
			}
		}
		for n := range b.units {
			for _, t := range b.units[n].touches {
				if k := number[t.register]; k > 0 && t.writes && t.valued {
					balance[k] -= weight
				}
			}
		}
	}
	s.storeWhereWritten(func(r isa.Register) (int32, bool) {
		k := number[r]
		return k, k > 0 && balance[k] >= 0
	}, int(count)+1)
	s.storeWhereEvicted(func(r isa.Register) (int32, bool) {
		k := number[r]
		return k, k > 0 && balance[k] < 0
	}, int(count)+1)
}

// storeWhereWritten stores each chosen value that a later load may need.
func (s *spiller) storeWhereWritten(chosen func(isa.Register) (int32, bool), count int) {
	wanted := make([]bitset.Set, len(s.blocks)) // values wanted at blocks' starts
	for _, b := range s.order {
		wanted[b.ID] = bitset.New(count)
	}
	now := bitset.New(count)
	back := func(b *spillBlock) {
		clear(now)
		for _, id := range b.Successors {
			now.Union(wanted[id])
		}
		e := len(b.events)
		for n := len(b.units); n >= 0; n-- {
			if n < len(b.units) {
				for k := range b.units[n].touches {
					t := &b.units[n].touches[k]
					r, ok := chosen(t.register)
					if t.store = ok && t.writes && now.Has(r); t.store {
						now.Remove(r) // a store covers all words of the value
					}
				}
			}
			for ; e > 0 && int(b.events[e-1].unit) == n; e-- {
				if r, ok := chosen(b.events[e-1].register); ok && b.events[e-1].kind == loaded {
					now.Add(r)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for k := len(s.order) - 1; k >= 0; k-- {
			back(s.order[k])
			changed = wanted[s.order[k].ID].Union(now) || changed
		}
	}
}

// storeWhereEvicted stores each chosen value that may have changed since its last store.
func (s *spiller) storeWhereEvicted(chosen func(isa.Register) (int32, bool), count int) {
	changedIn := make([]bitset.Set, len(s.blocks)) // values that have changed, at blocks' starts
	for _, b := range s.order {
		changedIn[b.ID] = bitset.New(count)
	}
	now := bitset.New(count)
	for changed := true; changed; {
		changed = false
		for _, b := range s.order {
			now.CopyFrom(changedIn[b.ID])
			e := 0
			for n := 0; n <= len(b.units); n++ {
				for ; e < len(b.events) && int(b.events[e].unit) == n; e++ {
					if r, ok := chosen(b.events[e].register); ok && b.events[e].kind != begun {
						b.events[e].store = b.events[e].kind == evicted && now.Has(r)
						now.Remove(r)
					}
				}
				if n < len(b.units) {
					for _, t := range b.units[n].touches {
						if r, ok := chosen(t.register); ok && t.writes {
							now.Add(r)
						}
					}
				}
			}
			for _, id := range b.Successors {
				changed = changedIn[id].Union(now) || changed
			}
		}
	}
}

// write rewrites the operations as decided.
func (s *spiller) write() {
	probed := map[*machine.SlowPath]bool{}
	for _, b := range s.order {
		for _, h := range b.entry {
			s.web[h.register] = h.web
		}
		x := &machine.Builder{Function: s.f.Function, Out: make([]*machine.Operation, 0, len(b.operations)+len(b.events))}
		b.unitOf = b.unitOf[:0]
		e := 0
		for n := 0; n <= len(b.units); n++ {
			line := isa.LineIndex(0)
			if len(b.operations) > 0 {
				line = b.operations[min(b.firstOf(n), len(b.operations)-1)].Line
			}
			for ; e < len(b.events) && int(b.events[e].unit) == n; e++ {
				switch v := &b.events[e]; v.kind {
				case evicted:
					if v.store {
						s.placeOf(v.register).store(x, line, s.nameOf(s.web[v.register]))
					}
				case loaded:
					s.web[v.register] = v.web
					s.placeOf(v.register).load(x, line, s.nameOf(s.web[v.register]))
				case begun:
					s.web[v.register] = v.web
				}
			}
			if n == len(b.units) {
				break
			}
			u := &b.units[n]
			for _, op := range b.operations[u.first:u.end] {
				s.rename(op, u, probed)
				if !s.isIdle(op, u) {
					x.Out = append(x.Out, op)
				}
			}
			for k := range u.touches {
				if t := &u.touches[k]; t.store {
					s.placeOf(t.register).store(x, line, s.nameOf(s.web[t.register]))
				}
			}
			for len(b.unitOf) < len(x.Out) {
				b.unitOf = append(b.unitOf, int32(n))
			}
		}
		for len(b.unitOf) < len(x.Out) {
			b.unitOf = append(b.unitOf, int32(len(b.units)))
		}
		b.Operations = x.Out
	}
	s.f.forgetLiveness()
}

// firstOf returns a unit's first operation; for the number of units, the number of operations.
func (b *spillBlock) firstOf(n int) int {
	if n < len(b.units) {
		return b.units[n].first
	}
	return len(b.operations)
}

// nameOf returns the register of a stretch: the value's first stretch keeps the value's register.
func (s *spiller) nameOf(n int32) isa.Register {
	w := &s.webs[s.root(n)]
	if w.name < 0 {
		w.name = w.register
		if s.first[w.register] {
			w.name = s.f.Temporary(s.f.Registers[w.register].Type)
			for len(s.added) <= int(w.name)-s.registers {
				s.added = append(s.added, w.register)
			}
		}
		s.first[w.register] = true
	}
	return w.name
}

// rename makes an operation use the registers of the stretches that are held.
func (s *spiller) rename(op *machine.Operation, u *spillUnit, probed map[*machine.SlowPath]bool) {
	replace := func(r isa.Register) isa.Register {
		if slices.ContainsFunc(u.touches, func(t touch) bool { return t.register == r }) {
			return s.nameOf(s.web[r])
		}
		return r
	}
	renameRegisters(op, replace)
	if op.Path != nil && !probed[op.Path] {
		probed[op.Path] = true
		renameInstruction(op.Path.Path.Probe, replace)
	}
}

// isIdle reports a move of a constant that is repeated at every read, so it is not needed itself.
func (s *spiller) isIdle(op *machine.Operation, u *spillUnit) bool {
	return slices.ContainsFunc(u.touches, func(t touch) bool {
		return s.constants[t.register] == op && !s.webs[s.web[t.register]].read
	})
}

// renameRegisters replaces the registers that an operation names, except those of its slow path's probe.
func renameRegisters(op *machine.Operation, replace func(isa.Register) isa.Register) {
	name := wordsOf(replace)
	if op.Guard.Present {
		op.Guard.Register = name(op.Guard.Register)
	}
	for n := range op.Uses {
		op.Uses[n] = name(op.Uses[n])
	}
	for n := range op.Defines {
		op.Defines[n] = name(op.Defines[n])
	}
	if op.Effect != nil {
		renameInstruction(op.Effect, replace)
	}
}

// renameInstruction replaces the registers that an instruction names.
func renameInstruction(i *isa.Instruction, replace func(isa.Register) isa.Register) {
	virtual.Rename(i, wordsOf(replace))
}

// wordsOf returns a replacement that also takes parts of registers, and keeps their words.
func wordsOf(replace func(isa.Register) isa.Register) func(isa.Register) isa.Register {
	return func(r isa.Register) isa.Register { return r&^virtual.RegisterMask | replace(virtual.Whole(r)) }
}

// spillPlace is the place of a value that is not held.
type spillPlace interface {
	load(x *machine.Builder, line isa.LineIndex, into isa.Register)
	store(x *machine.Builder, line isa.LineIndex, from isa.Register)
}

// placeOf returns the place of a value while it is not held.
func (s *spiller) placeOf(r isa.Register) spillPlace {
	if s.place[r] == nil {
		f := s.f
		switch constant := s.constants[r]; {
		case s.predicates:
			s.place[r] = predicateInRegister{f.Temporary(isa.B32)}
		case constant != nil:
			s.place[r] = rematerialised{constant}
		default:
			bytes := 4 * f.Words(r)
			offset := (f.FrameBytes + bytes - 1) / bytes * bytes
			f.FrameBytes = offset + bytes
			f.spills.Bytes += bytes
			s.place[r] = inLocalMemory{offset, &f.spills}
		}
	}
	return s.place[r]
}

type inLocalMemory struct {
	offset int
	counts *machine.Spills
}

func (p inLocalMemory) load(x *machine.Builder, line isa.LineIndex, into isa.Register) {
	p.each(x, into, func(i *isa.Instruction, o isa.Operand) {
		i.Op, i.Dst, i.Line = isa.OpLd, []isa.Operand{o}, line
		spillAccess(x, i, "LDL")
		p.counts.Loads++
	})
}

func (p inLocalMemory) store(x *machine.Builder, line isa.LineIndex, from isa.Register) {
	p.each(x, from, func(i *isa.Instruction, o isa.Operand) {
		i.Op, i.Src, i.Line = isa.OpSt, []isa.Operand{o}, line
		spillAccess(x, i, "STL")
		p.counts.Stores++
	})
}

// spillTypes are the access types, by number of words.
var spillTypes = map[int]isa.Type{1: isa.B32, 2: isa.B64}

// each makes an access for every two words of the register.
func (p inLocalMemory) each(x *machine.Builder, r isa.Register, visit func(*isa.Instruction, isa.Operand)) {
	words := x.Words(r)
	for first := 0; first < words; first += 2 {
		t := spillTypes[min(words-first, 2)]
		i := &isa.Instruction{Type: t, Memory: &isa.Memory{Space: isa.SpaceLocal, Base: isa.Imm(uint64(p.offset), isa.U64), Vector: 1,
			Offset: int64(4 * first)}}
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

// rematerialised repeats the move of a constant.
type rematerialised struct{ move *machine.Operation }

func (p rematerialised) load(x *machine.Builder, line isa.LineIndex, into isa.Register) {
	i := virtual.Clone(p.move.Effect)
	i.Dst[0].Register, i.Line = into, line
	again := *p.move
	again.Effect, again.PTXCount, again.Line = i, 0, line
	again.Defines, again.Uses = []isa.Register{into}, nil
	x.Out = append(x.Out, &again)
}

func (p rematerialised) store(*machine.Builder, isa.LineIndex, isa.Register) {
	panic("lower: a constant is stored")
}

// predicateInRegister keeps a predicate in a register, as 0 or 1.
type predicateInRegister struct{ home isa.Register }

func (p predicateInRegister) load(x *machine.Builder, line isa.LineIndex, into isa.Register) {
	i := &isa.Instruction{Op: isa.OpSetp, Type: isa.U32, Mod: isa.Modifiers{Compare: isa.NE}, Line: line,
		Dst: []isa.Operand{isa.Predicate(into, false)}, Src: []isa.Operand{isa.Reg(p.home, isa.U32), isa.Imm(0, isa.U32)}}
	x.Simple(i, "ISETP.NE.U32", isa.ClassCompare).PTXCount = 0
}

func (p predicateInRegister) store(x *machine.Builder, line isa.LineIndex, from isa.Register) {
	i := &isa.Instruction{Op: isa.OpSelp, Type: isa.U32, Line: line,
		Dst: []isa.Operand{isa.Reg(p.home, isa.U32)}, Src: []isa.Operand{isa.Imm(1, isa.U32), isa.Imm(0, isa.U32),
			isa.Predicate(from, false)}}
	x.Simple(i, "SEL", isa.ClassInteger).PTXCount = 0
}
