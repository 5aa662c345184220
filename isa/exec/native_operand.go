package exec

import (
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// place8 returns the operand for eight lanes of a register or constant.
func place8(s slot, c int) mc.Memory {
	if s >= 0 {
		return mc.At(inRegisters, int(s)*laneBytes+c*chunkBytes)
	}
	return mc.At(inConstants, int(slotConstants-s)*laneBytes+c*chunkBytes)
}

// plainSlot reports a slot that place8 supports.
func plainSlot(s slot) bool { return s >= 0 || s <= slotConstants }

// source is one word of a value that an operation reads.
type source struct {
	slot    slot
	special isa.SpecialRegister
	high    bool     // of a special register: the high word
	negate  bool     // negated
	extend  isa.Type // from 8 or 16 bits; TypeNone: a whole word
}

// read returns one word of an operation's source; ok is false if code cannot read it.
func (t *translator) read(b *Bound, n int) (s source, ok bool) {
	s.slot = b.source[n]
	if b.detail != nil && s.slot <= slotNegated && s.slot > slotConstants {
		if b.detail.absolute != [3]bool{} || b.detail.negates {
			return s, false
		}
		s.slot, s.negate = b.detail.negatedFrom[slotNegated-s.slot], true
	}
	switch {
	case s.slot == slotSpecial || s.slot == slotSpecialHigh:
		s.special, s.high = b.special[0], s.slot == slotSpecialHigh
		return s, readable(s.special)
	case !plainSlot(s.slot):
		return s, false
	}
	return s, true
}

// reads is read for several words.
func (t *translator) reads(b *Bound, words ...int) (list [6]source, ok bool) {
	for i, n := range words {
		if list[i], ok = t.read(b, n); !ok {
			return list, false
		}
	}
	return list, true
}

// blockPlace returns the offset in Block of the number that a special register reads; -1 for other registers.
func blockPlace(s isa.SpecialRegister) int {
	var b Block
	switch {
	case s >= isa.NtidX && s <= isa.NtidZ:
		return int(unsafe.Offsetof(b.Ntid)) + 4*int(s-isa.NtidX)
	case s >= isa.CtaidX && s <= isa.CtaidZ:
		return int(unsafe.Offsetof(b.Ctaid)) + 4*int(s-isa.CtaidX)
	case s >= isa.NctaidX && s <= isa.NctaidZ:
		return int(unsafe.Offsetof(b.Nctaid)) + 4*int(s-isa.NctaidX)
	}
	return -1
}

func readable(s isa.SpecialRegister) bool {
	return s >= isa.TidX && s <= isa.TidZ || s == isa.LaneID || blockPlace(s) >= 0
}

// value loads eight lanes of a source into a register. For special registers it clobbers AX.
func (t *translator) value(d mc.Vector, s source, c int) {
	switch {
	case s.special == isa.SpecialNone:
		t.Get(d, place8(s.slot, c))
	case s.high:
		t.V(mc.PXOR, d, d, d)
	case s.special == isa.LaneID:
		t.Get(d, t.laneNumbers(c, 1))
	case s.special >= isa.TidX && s.special <= isa.TidZ:
		t.Load64(mc.AX, stateAt(unsafe.Offsetof(state.tid)))
		t.Get(d, mc.At(mc.AX, int(s.special-isa.TidX)*laneBytes+c*chunkBytes))
	default:
		t.Load64(mc.AX, stateAt(unsafe.Offsetof(state.place)))
		t.Spread(d, mc.At(mc.AX, blockPlace(s.special)))
	}
	if s.negate {
		t.VM(mc.PXOR, d, d, t.Broadcast(1<<31))
	}
	t.extend(d, s.extend)
}

// laneNumbers has each lane's number times step.
func (t *translator) laneNumbers(c int, step uint32) mc.Memory {
	var words [8]uint32
	for i := range words {
		words[i] = uint32(8*c+i) * step
	}
	return t.Constant(words)
}

// apply emits d = x OP source.
func (t *translator) apply(i mc.Instruction, d, x mc.Vector, s source, c int) {
	if s.special == isa.SpecialNone && !s.negate && s.extend == isa.TypeNone {
		t.VM(i, d, x, place8(s.slot, c))
		return
	}
	t.value(spare, s, c)
	t.V(i, d, x, spare)
}

// write writes eight lanes of a result, limited to the operation's lanes.
func (t *translator) write(d slot, c int, y mc.Vector) {
	if d == slotSink {
		return
	}
	m := place8(d, c)
	if t.isMasked() {
		t.Get(merged, m)
		t.Blend(merged, merged, y, t.mask(c))
		y = merged
	}
	t.Put(m, y)
}

// readFlag loads a predicate into a register.
func (t *translator) readFlag(d mc.General, p predicateSource) {
	t.Load(d, mc.At(inPredicates, 4*int(p.register)))
	if p.flip != 0 {
		t.Not(d)
	}
}

// writeFlag writes a register to the operation's lanes of a predicate; it clobbers the register and CX.
func (t *translator) writeFlag(p int8, s mc.General) {
	if p < 0 {
		return
	}
	m := mc.At(inPredicates, 4*int(p&7))
	if t.isMasked() {
		t.Load(mc.CX, m)
		t.Xor(s, mc.CX)
		t.And(s, t.lanes())
		t.Xor(s, mc.CX)
	}
	t.Store(m, s)
}
