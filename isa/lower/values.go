package lower

import "github.com/keplersim/keplersim/isa"

// values says of each virtual register who writes it and how often it is read. A register with one writer, unguarded, is a
// value, if its writer comes before every reader on all paths: wherever it is read it holds the same.
type values struct {
	f       *function
	writers []int
	writer  []*isa.Instruction
	home    []*block // of the writer
	uses    []int
	graph   *graph
}

func (f *function) newValues() *values {
	n := len(f.registers)
	v := &values{f: f, writers: make([]int, n), writer: make([]*isa.Instruction, n), home: make([]*block, n), uses: make([]int, n)}
	for _, b := range f.blocks {
		for _, i := range b.instructions {
			f.definitions(i, func(r isa.Register, _ int) {
				r = whole(r)
				v.writers[r]++
				v.writer[r], v.home[r] = i, b
				if i.Guard.Present {
					v.writers[r]++
				}
			})
			f.uses(i, func(r isa.Register, _ int) { v.uses[whole(r)]++ })
		}
	}
	v.graph = f.newGraph()
	v.checkOrder()
	return v
}

// checkOrder takes registers out of the values that something may read before they are written, as in a later turn of a loop.
func (v *values) checkOrder() {
	seen := newBitset(len(v.writers))
	for _, b := range v.graph.order {
		for _, i := range b.instructions {
			v.f.uses(i, func(r isa.Register, _ int) {
				r = whole(r)
				if v.writers[r] == 1 && (v.home[r] == b && !seen.has(int32(r)) || v.home[r] != b && !v.graph.dominates(v.home[r].id, b.id)) {
					v.writers[r] = 2
				}
			})
			v.f.definitions(i, func(r isa.Register, _ int) { seen.add(int32(whole(r))) })
		}
	}
}

// single reports a register that is a value.
func (v *values) single(r isa.Register) bool {
	return int(whole(r)) < len(v.writers) && v.writers[whole(r)] == 1
}

// definition is the instruction that makes the operand's value, nil when the operand is no value.
func (v *values) definition(o *isa.Operand) *isa.Instruction {
	if !register(o) || o.Register != whole(o.Register) || !v.single(o.Register) {
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
		return repeatable(o)
	}
	return true
}

// reaches reports that an operand which the definition d of a value reads still holds the same at the user: it is a value
// itself, or both stand in one block and nothing writes it between them.
func (v *values) reaches(o *isa.Operand, d, user *isa.Instruction) bool {
	if v.stable(o) {
		return true
	}
	if !register(o) || len(d.Dst) == 0 {
		return false
	}
	between := false
	for _, i := range v.home[whole(d.Dst[0].Register)].instructions {
		if i == user {
			return between
		}
		if between {
			written := false
			v.f.definitions(i, func(r isa.Register, _ int) { written = written || whole(r) == whole(o.Register) })
			if written {
				return false
			}
		}
		between = between || i == d
	}
	return false
}

// movable reports an instruction that may run earlier, later, once for several times or not at all.
func (v *values) movable(i *isa.Instruction) bool {
	if !i.Op.Pure() || i.Guard.Present || readsCarry(i) || writesCarry(i) || len(i.Dst) == 0 {
		return false
	}
	ok := true
	i.Destinations(func(o *isa.Operand) { ok = ok && register(o) && v.single(o.Register) })
	i.Sources(func(o *isa.Operand) { ok = ok && v.stable(o) })
	return ok
}

// removeDead drops instructions whose results nothing reads.
func removeDead(f *function) error {
	for {
		v := f.newValues()
		removed := false
		for _, b := range f.blocks {
			kept := b.instructions[:0]
			for _, i := range b.instructions {
				if !v.dead(i) {
					v.sinkUnread(i)
					v.reduceUnread(i)
					kept = append(kept, i)
				} else {
					removed = true
				}
			}
			b.instructions = kept
		}
		if !removed {
			return nil
		}
	}
}

func (v *values) dead(i *isa.Instruction) bool {
	load := i.Op == isa.OpLd && i.Memory.Order == isa.OrderWeak && i.Memory.Cache != isa.CacheVolatile
	if !i.Op.Pure() && !load && !readsTexture(i) || writesCarry(i) || len(i.Dst) == 0 {
		return false
	}
	dead := true
	i.Destinations(func(o *isa.Operand) { dead = dead && (!register(o) || v.uses[whole(o.Register)] == 0) })
	return dead
}
