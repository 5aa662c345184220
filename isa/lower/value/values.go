package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// values knows the writers and uses of each virtual register. A register is a value if it has one unguarded writer that comes before every
// reader on all paths: every read then sees the same value.
type values struct {
	f      *Function
	of     []registerUse // by register
	graph  *flow.Graph
	at     *Block                     // the block of the current instruction
	places map[*Block]*blockPositions // of blocks that reaches has looked at
	users  map[isa.Register][]user    // nil until needed
	named  []isa.Register             // result of definitions and reads, reused
}

// registerUse describes a register: its last writer, with its block, and the numbers of writers and reads.
type registerUse struct {
	writer        *isa.Instruction
	home          *Block
	writers, uses int32
}

// user is an instruction that reads a register, and its block.
type user struct {
	*isa.Instruction
	home *Block
}

// blockPositions is the positions of a block's instructions, and of its writes by register.
type blockPositions struct {
	of     map[*isa.Instruction]int
	writes map[isa.Register][]int
}

func (f *Function) newValues() *values {
	v := &values{f: f, of: f.spare, graph: f.graph()}
	if f.spare = nil; cap(v.of) < len(f.Registers) {
		v.of = make([]registerUse, len(f.Registers), len(f.Registers)+len(f.Registers)/8)
	} else {
		v.of = v.of[:len(f.Registers)]
		clear(v.of)
	}
	tooEarly := bitset.New(len(v.of))
	// In reverse postorder a block follows all that dominate it. So if no dominating writer is known at a read, the register is no value.
	for _, reached := range v.graph.Order {
		b := f.ByID[reached.ID]
		for _, i := range b.Instructions {
			for _, r := range v.reads(i) {
				r = virtual.Whole(r)
				w := &v.of[r]
				if w.uses++; w.writers == 0 || w.home != b && !v.graph.Dominates(w.home.ID, b.ID) {
					tooEarly.Add(int32(r))
				}
			}
			for _, r := range v.definitions(i) {
				w := &v.of[virtual.Whole(r)]
				w.writers++
				w.writer, w.home = i, b
				if i.Guard.Present {
					w.writers++
				}
			}
		}
	}
	for r := range v.of {
		if w := &v.of[r]; w.writers == 1 && tooEarly.Has(int32(r)) {
			w.writers = 2 // no value: it may be read before it is written, as in a later turn of a loop
		}
	}
	return v
}

// release recycles the memory of values that are not needed any more.
func (v *values) release() {
	if cap(v.of) > cap(v.f.spare) {
		v.f.spare = v.of
	}
	v.of = nil
}

// definitions returns the registers that an instruction writes, reads those that it reads. The result is valid until the next call of
// either.
func (v *values) definitions(i *isa.Instruction) []isa.Register {
	v.named = virtual.AppendDefinitions(v.named[:0], i)
	return v.named
}

func (v *values) reads(i *isa.Instruction) []isa.Register {
	v.named = virtual.AppendUses(v.named[:0], i)
	return v.named
}

// single reports a register that is a value.
func (v *values) single(r isa.Register) bool {
	return int(virtual.Whole(r)) < len(v.of) && v.of[virtual.Whole(r)].writers == 1
}

// definition returns the instruction that computes the operand's value, nil if the operand is no value.
func (v *values) definition(o *isa.Operand) *isa.Instruction {
	if !virtual.IsRegister(o) || o.Register != virtual.Whole(o.Register) || !v.single(o.Register) {
		return nil
	}
	return v.of[o.Register].writer
}

// stable reports an operand that has the same value everywhere.
func (v *values) stable(o *isa.Operand) bool {
	switch o.Kind {
	case isa.OperandRegister, isa.OperandPredicate:
		return v.single(o.Register)
	case isa.OperandSpecial:
		return virtual.Repeatable(o)
	}
	return true
}

// reaches reports whether operand o of d, the definition of a value, has the same value at user. It has if it is stable, or if both
// instructions are in one block with no write of it between them.
func (v *values) reaches(o *isa.Operand, d, user *isa.Instruction) bool {
	if v.stable(o) {
		return true
	}
	if !virtual.IsRegister(o) || len(d.Dst) == 0 {
		return false
	}
	p := v.placesOf(v.of[virtual.Whole(d.Dst[0].Register)].home)
	first, defined := p.of[d]
	last, used := p.of[user]
	if !defined || !used || last < first {
		return false
	}
	writes := p.writes[virtual.Whole(o.Register)]
	next, _ := slices.BinarySearch(writes, first+1)
	return next == len(writes) || writes[next] >= last
}

// placesOf returns a block's positions, computed once.
func (v *values) placesOf(b *Block) *blockPositions {
	if p := v.places[b]; p != nil {
		return p
	}
	p := &blockPositions{of: make(map[*isa.Instruction]int, len(b.Instructions)), writes: map[isa.Register][]int{}}
	for n, i := range b.Instructions {
		p.of[i] = n
		v.f.Definitions(i, func(r isa.Register, _ int) { p.writes[virtual.Whole(r)] = append(p.writes[virtual.Whole(r)], n) })
	}
	if v.places == nil {
		v.places = map[*Block]*blockPositions{}
	}
	v.places[b] = p
	return p
}

// usersOf returns the instructions that still read a register, among those that read it when the values were computed.
func (v *values) usersOf(r isa.Register) []user {
	if v.users == nil {
		v.users = map[isa.Register][]user{}
		for _, b := range v.f.Blocks {
			for _, i := range b.Instructions {
				for _, r := range v.reads(i) {
					list := v.users[virtual.Whole(r)]
					if len(list) == 0 || list[len(list)-1].Instruction != i {
						v.users[virtual.Whole(r)] = append(list, user{i, b})
					}
				}
			}
		}
	}
	return v.users[r]
}

// movable reports an instruction that may run earlier, later, once for several uses or not at all.
func (v *values) movable(i *isa.Instruction) bool {
	if !i.Op.Pure() || i.Guard.Present || virtual.ReadsCarry(i) || virtual.WritesCarry(i) || len(i.Dst) == 0 {
		return false
	}
	ok := true
	for n := range i.Dst {
		if o := &i.Dst[n]; !virtual.IsRegister(o) || !v.single(o.Register) {
			return false
		}
	}
	i.Sources(func(o *isa.Operand) { ok = ok && v.stable(o) })
	return ok
}

// RemoveDead drops instructions with unused results, and then those that only they used.
func RemoveDead(f *Function) error { return f.removeDead(removable) }

// removeDead drops removable instructions with unused results.
func (f *Function) removeDead(removable func(*isa.Instruction) bool) error {
	for again := true; again; {
		v := f.newValues()
		_, err := v.dropDead(removable)
		again = err == nil && v.dropOverwritten(removable)
		v.release()
		if err != nil {
			return err
		}
	}
	return nil
}

// dropOverwritten drops instructions whose results are overwritten on every path before they are read. These are registers with several
// writers.
func (v *values) dropOverwritten(removable func(*isa.Instruction) bool) (changed bool) {
	f := v.f
	several := func(r isa.Register) bool { return v.of[r].uses > 0 && !v.single(r) }
	any := false
	for r := range v.of {
		any = any || several(isa.Register(r))
	}
	if !any {
		return false
	}
	out := f.liveRegisters(several)
	live := v.readElsewhere()
	var touched []int32
	for _, b := range f.Blocks {
		touched = append(touched[:0], out[b.ID]...)
		for _, r := range touched {
			live[r] = true
		}
		kept := len(b.Instructions)
		for k := len(b.Instructions) - 1; k >= 0; k-- {
			i := b.Instructions[k]
			if removable(i) && v.writesNone(i, live) {
				changed = true
				continue
			}
			if !i.Guard.Present {
				for _, r := range v.definitions(i) {
					live[virtual.Whole(r)] = false
				}
			}
			for _, r := range v.reads(i) {
				switch r = virtual.Whole(r); {
				case !v.single(r):
					live[r] = true
					touched = append(touched, int32(r))
				case v.of[r].home == b:
					live[r] = true
				}
			}
			kept--
			b.Instructions[kept] = i
		}
		b.Instructions = slices.Delete(b.Instructions, 0, kept)
		for _, r := range touched {
			live[r] = false
		}
	}
	return changed
}

// readElsewhere marks the values with a reader in another block: they are live at the end of their own block.
func (v *values) readElsewhere() []bool {
	read := make([]bool, len(v.of))
	for _, b := range v.f.Blocks {
		for _, i := range b.Instructions {
			for _, r := range v.reads(i) {
				if r = virtual.Whole(r); v.single(r) && v.of[r].home != b {
					read[r] = true
				}
			}
		}
	}
	return read
}

// writesNone reports an instruction that writes none of the marked registers.
func (v *values) writesNone(i *isa.Instruction, registers []bool) bool {
	for _, r := range v.definitions(i) {
		if registers[virtual.Whole(r)] {
			return false
		}
	}
	return true
}

// dropDead is removeDead that reports whether it changed anything. It goes backwards, so a chain of dead instructions goes in one pass,
// except where the chain runs against the order of blocks.
func (v *values) dropDead(removable func(*isa.Instruction) bool) (changed bool, err error) {
	f := v.f
	for {
		if err := f.Stopped(); err != nil {
			return changed, err
		}
		removed := false
		for n := len(v.graph.Order) - 1; n >= 0; n-- {
			b := f.ByID[v.graph.Order[n].ID]
			gone := false
			for k := len(b.Instructions) - 1; k >= 0; k-- {
				if i := b.Instructions[k]; removable(i) && v.unread(i) {
					for _, r := range v.reads(i) {
						v.of[virtual.Whole(r)].uses--
					}
					b.Instructions[k], gone = nil, true
				}
			}
			if gone {
				b.Instructions = slices.DeleteFunc(b.Instructions, func(i *isa.Instruction) bool { return i == nil })
				removed, changed = true, true
			}
		}
		if !removed {
			break
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			changed = v.sinkUnread(i) || changed
			changed = v.reduceUnread(i) || changed
		}
	}
	return changed, nil
}

// removable reports an instruction that only writes registers.
func removable(i *isa.Instruction) bool {
	load := i.Op == isa.OpLd && i.Memory.Order == isa.OrderWeak && i.Memory.Cache != isa.CacheVolatile
	return (i.Op.Pure() || load || virtual.ReadsTexture(i)) && !virtual.WritesCarry(i) && len(i.Dst) > 0
}

// unread reports an instruction with unused results.
func (v *values) unread(i *isa.Instruction) bool {
	for _, r := range v.definitions(i) {
		if v.of[virtual.Whole(r)].uses > 0 {
			return false
		}
	}
	return true
}
