package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// values says of each virtual register who writes it and how often it is read. A register with one writer, unguarded, is a
// value, if its writer comes before every reader on all paths: wherever it is read it holds the same.
type values struct {
	f       *Function
	writers []int
	writer  []*isa.Instruction
	home    []*Block // of the writer
	uses    []int
	graph   *flow.Graph
	at      *Block                  // that a rule is looking at
	places  map[*Block]*standing    // of the blocks that reaches was asked about
	users   map[isa.Register][]user // once asked
}

// user is an instruction that reads a register, and its block.
type user struct {
	*isa.Instruction
	home *Block
}

// standing is where a block's instructions stand, and where they write registers.
type standing struct {
	of     map[*isa.Instruction]int
	writes map[isa.Register][]int
}

func (f *Function) newValues() *values {
	n := len(f.Registers)
	v := &values{f: f, writers: make([]int, n), writer: make([]*isa.Instruction, n), home: make([]*Block, n), uses: make([]int, n)}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			f.Definitions(i, func(r isa.Register, _ int) {
				r = virtual.Whole(r)
				v.writers[r]++
				v.writer[r], v.home[r] = i, b
				if i.Guard.Present {
					v.writers[r]++
				}
			})
			f.Uses(i, func(r isa.Register, _ int) { v.uses[virtual.Whole(r)]++ })
		}
	}
	v.graph = f.graph()
	v.checkOrder()
	return v
}

// checkOrder takes registers out of the values that something may read before they are written, as in a later turn of a loop.
func (v *values) checkOrder() {
	seen := bitset.New(len(v.writers))
	for _, reached := range v.graph.Order {
		b := v.f.ByID[reached.ID]
		for _, i := range b.Instructions {
			v.f.Uses(i, func(r isa.Register, _ int) {
				r = virtual.Whole(r)
				if v.writers[r] == 1 && (v.home[r] == b && !seen.Has(int32(r)) ||
					v.home[r] != b && !v.graph.Dominates(v.home[r].ID, b.ID)) {
					v.writers[r] = 2
				}
			})
			v.f.Definitions(i, func(r isa.Register, _ int) {
				if r = virtual.Whole(r); v.writers[r] == 1 {
					seen.Add(int32(r))
				}
			})
		}
	}
}

// single reports a register that is a value.
func (v *values) single(r isa.Register) bool {
	return int(virtual.Whole(r)) < len(v.writers) && v.writers[virtual.Whole(r)] == 1
}

// definition returns the instruction that makes the operand's value, nil when the operand is no value.
func (v *values) definition(o *isa.Operand) *isa.Instruction {
	if !virtual.IsRegister(o) || o.Register != virtual.Whole(o.Register) || !v.single(o.Register) {
		return nil
	}
	return v.writer[o.Register]
}

// stable reports an operand that reads the same wherever it stands.
func (v *values) stable(o *isa.Operand) bool {
	switch o.Kind {
	case isa.OperandRegister, isa.OperandPredicate:
		return v.single(o.Register)
	case isa.OperandSpecial:
		return virtual.Repeatable(o)
	}
	return true
}

// reaches reports that an operand which the definition d of a value reads still holds the same at the user: it is a value
// itself, or both stand in one block and nothing writes it between them.
func (v *values) reaches(o *isa.Operand, d, user *isa.Instruction) bool {
	if v.stable(o) {
		return true
	}
	if !virtual.IsRegister(o) || len(d.Dst) == 0 {
		return false
	}
	p := v.placesOf(v.home[virtual.Whole(d.Dst[0].Register)])
	first, defined := p.of[d]
	last, used := p.of[user]
	if !defined || !used || last < first {
		return false
	}
	writes := p.writes[virtual.Whole(o.Register)]
	next, _ := slices.BinarySearch(writes, first+1)
	return next == len(writes) || writes[next] >= last
}

// placesOf finds a block's places once.
func (v *values) placesOf(b *Block) *standing {
	if p := v.places[b]; p != nil {
		return p
	}
	p := &standing{of: make(map[*isa.Instruction]int, len(b.Instructions)), writes: map[isa.Register][]int{}}
	for n, i := range b.Instructions {
		p.of[i] = n
		v.f.Definitions(i, func(r isa.Register, _ int) { p.writes[virtual.Whole(r)] = append(p.writes[virtual.Whole(r)], n) })
	}
	if v.places == nil {
		v.places = map[*Block]*standing{}
	}
	v.places[b] = p
	return p
}

// usersOf returns the instructions that read a register now, among those that did when the values were found.
func (v *values) usersOf(r isa.Register) []user {
	if v.users == nil {
		v.users = map[isa.Register][]user{}
		for _, b := range v.f.Blocks {
			for _, i := range b.Instructions {
				v.f.Uses(i, func(r isa.Register, _ int) {
					list := v.users[virtual.Whole(r)]
					if len(list) == 0 || list[len(list)-1].Instruction != i {
						v.users[virtual.Whole(r)] = append(list, user{i, b})
					}
				})
			}
		}
	}
	return v.users[r]
}

// movable reports an instruction that may run earlier, later, once for several times or not at all.
func (v *values) movable(i *isa.Instruction) bool {
	if !i.Op.Pure() || i.Guard.Present || virtual.ReadsCarry(i) || virtual.WritesCarry(i) || len(i.Dst) == 0 {
		return false
	}
	ok := true
	i.Destinations(func(o *isa.Operand) { ok = ok && virtual.IsRegister(o) && v.single(o.Register) })
	i.Sources(func(o *isa.Operand) { ok = ok && v.stable(o) })
	return ok
}

// RemoveDead drops instructions whose results nothing reads, and then those that only they read.
func RemoveDead(f *Function) error {
	v := f.newValues()
	if _, err := v.dropDead(); err != nil {
		return err
	}
	if !v.dropOverwritten() {
		return nil
	}
	_, err := f.newValues().dropDead()
	return err
}

// dropOverwritten drops instructions whose results are written anew on every way before anything reads them. Their registers have readers,
// of other values: registers that are written several times.
func (v *values) dropOverwritten() (changed bool) {
	f, several := v.f, false
	for r := range f.Registers {
		several = several || v.uses[r] > 0 && !v.single(isa.Register(r))
	}
	if !several {
		return false
	}
	out := f.liveRegisters()
	live := make([]bool, len(f.Registers))
	for _, b := range f.Blocks {
		for _, r := range out[b.ID] {
			live[r] = true
		}
		touched := slices.Clip(out[b.ID])
		kept := len(b.Instructions)
		for k := len(b.Instructions) - 1; k >= 0; k-- {
			i := b.Instructions[k]
			if removable(i) && f.writesNone(i, live) {
				changed = true
				continue
			}
			if !i.Guard.Present {
				f.Definitions(i, func(r isa.Register, _ int) { live[virtual.Whole(r)] = false })
			}
			f.Uses(i, func(r isa.Register, _ int) {
				live[virtual.Whole(r)] = true
				touched = append(touched, int32(virtual.Whole(r)))
			})
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

// writesNone reports an instruction that writes none of some registers.
func (f *Function) writesNone(i *isa.Instruction, registers []bool) bool {
	none := true
	f.Definitions(i, func(r isa.Register, _ int) { none = none && !registers[virtual.Whole(r)] })
	return none
}

// dropDead is removeDead that says whether it changed anything. It goes backwards, so that a chain goes at once; one that runs against the
// order of blocks takes another turn for each of its links that does.
func (v *values) dropDead() (changed bool, err error) {
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
				if i := b.Instructions[k]; v.dead(i) {
					f.Uses(i, func(r isa.Register, _ int) { v.uses[virtual.Whole(r)]-- })
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

// removable reports an instruction that does nothing but write registers.
func removable(i *isa.Instruction) bool {
	load := i.Op == isa.OpLd && i.Memory.Order == isa.OrderWeak && i.Memory.Cache != isa.CacheVolatile
	return (i.Op.Pure() || load || virtual.ReadsTexture(i)) && !virtual.WritesCarry(i) && len(i.Dst) > 0
}

// dead reports an instruction whose results nothing reads.
func (v *values) dead(i *isa.Instruction) bool {
	dead := removable(i)
	i.Destinations(func(o *isa.Operand) {
		dead = dead && (!virtual.IsRegister(o) || v.uses[virtual.Whole(o.Register)] == 0)
	})
	return dead
}
