package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// FoldParameters turns loads of kernel parameters and of .const variables at constant addresses into moves, and changes of address space
// that change no bits. The operand can then go into the instruction that uses it.
func FoldParameters(f *Function) error {
	for _, b := range f.Blocks {
		b.replace(f.asMoves)
	}
	return nil
}

// asMoves returns an instruction as moves, if it can be replaced by some.
func (f *Function) asMoves(i *isa.Instruction) (moves []*isa.Instruction, replaced bool) {
	move := func(d, s isa.Operand) *isa.Instruction {
		return &isa.Instruction{Op: isa.OpMov, Type: d.Type, Guard: i.Guard, Dst: []isa.Operand{d}, Src: []isa.Operand{s}, Line: i.Line}
	}
	switch i.Op {
	case isa.OpLd:
		bank, offset, ok := ConstantLoad(i)
		if !ok || i.Type.Bytes() < 4 {
			return nil, false
		}
		for n, d := range i.Dst {
			if d.Kind == isa.OperandSink {
				continue
			}
			if d.Type.Bytes() != i.Type.Bytes() {
				return nil, false
			}
			moves = append(moves, move(d, isa.Operand{Kind: isa.OperandConstant, Bank: bank, Offset: offset + uint32(n*i.Type.Bytes()),
				Type: d.Type}))
		}
		return moves, true
	case isa.OpCvta:
		if i.Memory != nil && i.Memory.Space == isa.SpaceGlobal && i.Dst[0].Kind == isa.OperandRegister &&
			i.Src[0].Kind != isa.OperandSpecial {
			return []*isa.Instruction{move(i.Dst[0], i.Src[0])}, true
		}
	case isa.OpCvt:
		// Conversions between integers of the same width, at least 32 bits.
		if s := i.Src[0]; !i.Type.Float() && !i.From.Float() && !i.Mod.Saturate && i.Type.Bytes() == i.From.Bytes() &&
			i.Type.Bytes() >= 4 &&
			s.Kind == isa.OperandRegister && i.Dst[0].Kind == isa.OperandRegister && s.Type.Bytes() == i.Dst[0].Type.Bytes() {
			return []*isa.Instruction{move(i.Dst[0], s)}, true
		}
	}
	return nil, false
}

// PropagateCopies replaces reads of a move's result by the move's source if the operation can hold it: a register, a parameter, an
// immediate, a uniform special register.
func PropagateCopies(f *Function) error {
	v, _, err := f.propagate(nil)
	if err == nil {
		v.release()
	}
	return err
}

// propagate is PropagateCopies that reports whether it changed anything. It follows control flow, so copies of copies need one pass. known
// are the function's values, or nil; it returns the values afterwards.
func (f *Function) propagate(known *values) (v *values, propagated bool, err error) {
	for v = known; ; v = nil {
		if err := f.Stopped(); err != nil {
			return nil, propagated, err
		}
		if v == nil {
			v = f.newValues()
		}
		changed := false
		for _, b := range v.graph.Order {
			for _, i := range f.ByID[b.ID].Instructions {
				changed = v.propagateInto(i) || changed
			}
		}
		if !changed {
			return v, propagated, nil
		}
		v.release()
		propagated = true
	}
}

// propagateInto replaces copies among an instruction's sources.
func (v *values) propagateInto(i *isa.Instruction) bool {
	changed := false
	if i.Guard.Present {
		guard := isa.Predicate(i.Guard.Register, i.Guard.Negate)
		if s, ok := v.copied(&guard); ok && s.Kind == isa.OperandPredicate {
			i.Guard.Register, i.Guard.Negate = s.Register, s.Negate
			changed = true
		}
	}
	if i.Memory != nil && i.Memory.Base.Kind == isa.OperandRegister {
		if s, ok := v.copied(&i.Memory.Base); ok && (s.Kind == isa.OperandRegister ||
			s.Kind == isa.OperandImmediate && i.Memory.Space != isa.SpaceGeneric) {
			s.Type = i.Memory.Base.Type
			i.Memory.Base = s
			changed = true
		}
	}
	if t := i.Memory; t != nil && t.Texture != nil {
		return changed
	}
	for n := range i.Src {
		s, ok := v.copied(&i.Src[n])
		if !ok {
			continue
		}
		s.Type = i.Src[n].Type
		if inline(&s) && !v.holds(i, n, &s) {
			continue
		}
		s.Selector, s.Permute = i.Src[n].Selector, i.Src[n].Permute
		i.Src[n] = s
		changed = true
	}
	return changed
}

// holds reports whether the instruction's operation can hold an operand that is not a register.
func (v *values) holds(i *isa.Instruction, n int, s *isa.Operand) bool {
	if i.Op == isa.OpMov {
		return len(i.Src) == 1 && len(i.Dst) == 1 && i.Dst[0].Type.Bytes() == s.Type.Bytes()
	}
	if s.Kind == isa.OperandSpecial && i.Type.Bytes() != 4 && i.From.Bytes() != 4 || s.Kind == isa.OperandSymbol ||
		s.Kind == isa.OperandFunction {
		return false
	}
	if (i.Op == isa.OpDiv || i.Op == isa.OpRem) && !i.Type.Float() && n == 1 && s.Kind == isa.OperandImmediate {
		return true // a constant divisor selects the expansion, although it will be in a register
	}
	rule := i.Op.Facts().Lowering.Inline
	if rule.Anything && i.Op != isa.OpBfe && i.Op != isa.OpBfi && i.Op != isa.OpShfl {
		return false
	}
	for k := range i.Src {
		if k != n && inline(&i.Src[k]) && !rule.Anything && !zero(i, k) && !(k == 1 && ShiftedAdd(i) != "") {
			return false
		}
	}
	candidate := *i
	candidate.Src = append([]isa.Operand(nil), i.Src...)
	candidate.Src[n] = *s
	if s.Kind == isa.OperandImmediate && s.Immediate == 0 && !rule.Anything && len(rule.Places) > 0 {
		return true
	}
	for _, place := range rule.Places {
		if (place == n || rule.Swap && n == 0 && place == 1) && fits(&candidate, n) {
			return true
		}
	}
	return rule.Anything && n > 0 && s.Kind == isa.OperandImmediate
}

// copied returns the operand that a register is a copy of.
func (v *values) copied(o *isa.Operand) (isa.Operand, bool) {
	d := v.definition(o)
	if d == nil || len(d.Src) == 0 {
		return isa.Operand{}, false
	}
	predicates := o.Kind == isa.OperandPredicate
	if predicates && d.Op == isa.OpNot && virtual.IsRegister(&d.Src[0]) && v.single(d.Src[0].Register) {
		s := d.Src[0]
		s.Negate = s.Negate == o.Negate
		return s, true
	}
	if d.Op != isa.OpMov || len(d.Src) != 1 || len(d.Dst) != 1 || d.Mod.Saturate || !v.stable(&d.Src[0]) {
		return isa.Operand{}, false
	}
	s := d.Src[0]
	switch s.Kind {
	case isa.OperandPredicate:
		s.Negate = s.Negate != o.Negate
		return s, predicates
	case isa.OperandRegister:
		return s, !predicates && v.f.Words(s.Register) == v.f.Words(o.Register) && s.Type.Bytes() == o.Type.Bytes() &&
			s.Register == virtual.Whole(s.Register)
	case isa.OperandSpecial:
		_, uniform := virtual.LaunchConstants[s.Special]
		return s, uniform && d.Dst[0].Type.Bytes() == 4
	case isa.OperandImmediate, isa.OperandConstant:
		return s, !predicates && d.Dst[0].Type.Bytes() >= 4
	case isa.OperandSymbol:
		return s, !predicates && d.Dst[0].Type.Bytes() == 8
	}
	return s, false
}

// FoldAddresses moves additions of an immediate into the offset of loads, stores and atomics.
func FoldAddresses(f *Function) error {
	for sinkNumbers(f) {
	}
	v := f.newValues()
	defer v.release()
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			if i.Memory == nil || i.Memory.Texture != nil {
				continue
			}
			for v.foldAddress(i) {
			}
		}
	}
	return nil
}

// sinkNumbers turns (a + n) + b of an address into (a + b) + n, so that n can go into the offset. In 32 bits it also turns (a + n) * s into
// a * s + n * s, which wraps alike. It reports whether it changed products: the sums after them can then change too.
func sinkNumbers(f *Function) (products bool) {
	v := f.newValues()
	defer v.release()
	addresses := v.onlyAddresses()
	var one [1]*isa.Instruction
	for _, b := range f.Blocks {
		b.insert(func(i *isa.Instruction) []*isa.Instruction {
			if one[0] = v.sunk(i, addresses); one[0] == nil {
				return nil
			}
			products = products || one[0].Op != i.Op
			return one[:]
		})
	}
	return products
}

// onlyAddresses marks the registers that are used only as addresses of memory operations, directly or through 32-bit sums.
func (v *values) onlyAddresses() []bool {
	only := make([]bool, len(v.of))
	for r := range only {
		only[r] = v.of[r].uses > 0
	}
	for changed := true; changed; {
		changed = false
		for _, b := range v.f.Blocks {
			for k := len(b.Instructions) - 1; k >= 0; k-- {
				v.unlessAddress(b.Instructions[k], only, func(r isa.Register) {
					changed = changed || only[r]
					only[r] = false
				})
			}
		}
	}
	return only
}

// unlessAddress calls other with the registers that an instruction uses otherwise than for an address.
func (v *values) unlessAddress(i *isa.Instruction, only []bool, other func(isa.Register)) {
	if plainAdd(i, 4) && !i.Guard.Present && i.Dst[0].Kind == isa.OperandRegister && only[virtual.Whole(i.Dst[0].Register)] {
		return
	}
	read := func(o *isa.Operand) {
		if virtual.IsRegister(o) {
			other(virtual.Whole(o.Register))
		}
	}
	for n := range i.Src {
		read(&i.Src[n])
	}
	if i.Memory != nil && i.Memory.Texture != nil {
		i.Sources(read)
	}
}

// sunk rewrites an addition, or a 32-bit product with an immediate, and returns the instruction that must come before it; nil if the rule
// does not apply.
func (v *values) sunk(i *isa.Instruction, addresses []bool) *isa.Instruction {
	scale, product := scaleOf(i)
	if !product && !plainAdd(i, 8) && !plainAdd(i, 4) || i.Guard.Present || i.Dst[0].Kind != isa.OperandRegister ||
		int(i.Dst[0].Register) >= len(addresses) || !addresses[i.Dst[0].Register] {
		return nil
	}
	for n := range 2 {
		d := v.definition(&i.Src[n])
		if d == nil || !plainAdd(d, i.Type.Bytes()) || !product && i.Src[1-n].Kind != isa.OperandRegister {
			continue
		}
		a, number := d.Src[0], d.Src[1]
		if a.Kind == isa.OperandImmediate {
			a, number = number, a
		}
		if number.Kind != isa.OperandImmediate || number.Immediate == 0 || a.Kind != isa.OperandRegister || !v.reaches(&a, d, i) {
			continue
		}
		t := v.f.Temporary(i.Dst[0].Type)
		first := virtual.Clone(i)
		first.Dst[0] = isa.Reg(t, i.Dst[0].Type)
		first.Src[n] = a
		if product {
			i.Op, i.Type, i.Mod = isa.OpAdd, isa.U32, isa.Modifiers{}
			number = isa.Imm(uint64(uint32(number.Immediate)*scale), isa.U32)
		}
		i.Src = []isa.Operand{first.Dst[0], number}
		return first
	}
	return nil
}

// scaleOf returns the constant factor of a 32-bit product or shift.
func scaleOf(i *isa.Instruction) (scale uint32, ok bool) {
	if len(i.Src) != 2 || i.Src[1].Kind != isa.OperandImmediate || i.Type.Float() || i.Type.Bytes() != 4 {
		return 0, false
	}
	switch n := uint32(i.Src[1].Immediate); {
	case i.Op == isa.OpMul && i.Mod.Half == isa.Lo:
		return n, true
	case i.Op == isa.OpShl && n < 32:
		return 1 << n, true
	}
	return 0, false
}

func (v *values) foldAddress(i *isa.Instruction) bool {
	m := i.Memory
	if m.Base.Kind != isa.OperandRegister {
		return false
	}
	d := v.definition(&m.Base)
	if d == nil || d.Mod.CarryOut || d.Op != isa.OpAdd && d.Op != isa.OpSub || d.Type.Bytes() != m.Base.Type.Bytes() {
		return false
	}
	base, number := d.Src[0], d.Src[1]
	if base.Kind == isa.OperandImmediate && d.Op == isa.OpAdd {
		base, number = number, base
	}
	if number.Kind != isa.OperandImmediate || base.Kind != isa.OperandRegister || !v.reaches(&base, d, i) ||
		base.Register != virtual.Whole(base.Register) {
		return false
	}
	n := int64(number.Immediate)
	if d.Type.Bytes() == 4 {
		n = int64(int32(number.Immediate))
		// 32-bit addresses wrap around where address plus offset does not, unless the space is smaller.
		if m.Space != isa.SpaceShared && m.Space != isa.SpaceLocal {
			return false
		}
	}
	if d.Op == isa.OpSub {
		n = -n
	}
	if sum := m.Offset + n; sum < minOffset || sum > maxOffset {
		return false
	}
	base.Type = m.Base.Type
	m.Base, m.Offset = base, m.Offset+n
	return true
}

// Kepler's loads and stores have a signed 24-bit address offset.
const (
	minOffset = -1 << 23
	maxOffset = 1<<23 - 1
)

// ConstantLoad returns the bank and offset of a load from a constant address: a kernel parameter, or a .const variable.
func ConstantLoad(i *isa.Instruction) (bank uint8, offset uint32, ok bool) {
	m := i.Memory
	switch {
	case m.Space == isa.SpaceParam && m.Base.Kind == isa.OperandNone:
		return 0, uint32(isa.ParameterBase + m.Offset), true
	case m.Space == isa.SpaceConst && m.Base.Kind == isa.OperandImmediate:
		return isa.ConstantBankUser, uint32(int64(m.Base.Immediate) + m.Offset), true
	}
	return 0, 0, false
}
