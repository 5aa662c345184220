package debug

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
)

// holding tells for each operation of a function which words of a PTX register are in their physical place. A word is in its place if, on
// every path to the operation, the last write to the place was one of this register.
type holding struct {
	first    int32 // operation of the function
	register isa.Register
	words    int
	held     []uint8 // before each operation: bit n for word n
}

// holdingKey identifies a register of a function.
type holdingKey struct {
	machine *isa.MachineProgram
	section int
	name    string
}

// mostWords is the size of the largest register for a source variable, in words.
const mostWords = 2

// find computes a register's holding. It has no words if the register has no single place.
func find(key holdingKey) *holding {
	m := key.machine
	h := &holding{first: m.Stack[key.section].FirstOp}
	end := int32(len(m.Ops))
	if key.section+1 < len(m.Stack) {
		end = m.Stack[key.section+1].FirstOp
	}
	for n := h.first; n < end; n++ {
		for _, d := range m.Definitions[n] {
			if d.Name != key.name {
				continue
			}
			at := d.Register - isa.Register(d.Word)
			if h.words > 0 && at != h.register || d.Word+d.Words > mostWords {
				return &holding{}
			}
			h.register, h.words = at, max(h.words, d.Word+d.Words)
		}
	}
	if h.words == 0 {
		return h
	}
	h.held = make([]uint8, end-h.first)
	for i := 1; i < len(h.held); i++ {
		h.held[i] = 1<<h.words - 1
	}
	for changed := true; changed; {
		changed = false
		for n := h.first; n < end; n++ {
			after := h.after(m, n, key.name)
			for _, to := range successors(m, n) {
				if to >= h.first && to < end && h.held[to-h.first]&^after != 0 {
					h.held[to-h.first] &= after
					changed = true
				}
			}
		}
	}
	return h
}

// mask is the definition's words as bits.
func mask(d isa.Definition) uint8 { return (1<<d.Words - 1) << d.Word }

// before returns the words held when an operation executes, after the copies in front of it.
func (h *holding) before(m *isa.MachineProgram, n int32, name string) uint8 {
	held := h.held[n-h.first]
	for _, d := range m.Definitions[n] {
		if d.Copy && d.Name == name {
			held |= mask(d)
		}
	}
	return held
}

// after returns the words held after an operation.
func (h *holding) after(m *isa.MachineProgram, n int32, name string) uint8 {
	op, held := &m.Ops[n], h.before(m, n, name)
	was := held
	lose := func(first isa.Register, count int) {
		for w := range h.words {
			if at := h.register + isa.Register(w); at >= first && at < first+isa.Register(count) {
				held &^= 1 << w
			}
		}
	}
	var given uint8
	for _, r := range op.Writes {
		lose(r.First, int(r.Count))
	}
	for _, d := range m.Definitions[n] {
		switch {
		case d.Copy:
		case d.Name != name:
			lose(d.Register, d.Words)
		default:
			given |= mask(d)
		}
	}
	switch {
	case op.Control == isa.ControlCall || op.Control == isa.ControlSystem: // their results may be anywhere
		return 0
	case op.Slow != nil: // it may be left out
		return held &^ given
	case op.Guard.Present: // lanes that do not execute it keep the old value
		return held | given&was
	}
	return held | given
}

// successors returns the operations that lanes may execute next.
func successors(m *isa.MachineProgram, n int32) []int32 {
	op := &m.Ops[n]
	next := []int32{n + 1}
	switch op.Control {
	case isa.ControlBranch:
		if !op.Guard.Present {
			next = nil
		}
		next = append(next, op.Target)
	case isa.ControlIndex:
		next = append(next, op.Targets...)
	case isa.ControlExit, isa.ControlReturn, isa.ControlTrap:
		if !op.Guard.Present {
			next = nil
		}
	}
	if op.Slow != nil {
		next = append(next, n+int32(op.Slow.Length), n+int32(op.Slow.Length)+1)
	}
	return next
}

// inRegister is the value of a variable in a PTX register, if the running function still has it.
func (s *scope) inRegister(t *debuginfo.Type, name string, f frame) (value, error) {
	m := s.issue.Warp.Block.Grid.Machine
	here := s.issue.Op
	if m.Definitions == nil || s.frame > 0 || f.site.function != f.function.Name || !t.Scalar() {
		return value{}, optimizedOut
	}
	all := s.w.session.programs[m.Program]
	key := holdingKey{m, f.Section, name}
	h := all.holdings[key]
	if h == nil {
		h = find(key)
		all.holdings[key] = h
	}
	if h.words == 0 || int64(4*h.words) < t.Bytes || h.before(m, here, name) != 1<<h.words-1 || s.isBeingWritten(m, here, name) {
		return value{}, optimizedOut
	}
	var bits uint64
	for w := range h.words {
		o := isa.Reg(h.register+isa.Register(w), isa.U32)
		word, ok := s.issue.Warp.State.Operand(&o, s.lane)
		if !ok {
			return value{}, optimizedOut
		}
		bits |= word << (32 * w)
	}
	v := value{typ: t, bits: fit(t, bits)}
	if t.Kind == debuginfo.TypeReference && t.Element != nil {
		return s.load(t.Element, generic(v.bits))
	}
	return v, nil
}

// isBeingWritten tells whether the current PTX instruction writes the register, perhaps partly already.
func (s *scope) isBeingWritten(m *isa.MachineProgram, here int32, name string) bool {
	for _, way := range []int32{-1, 1} {
		for n := here; n >= 0 && int(n) < len(m.Ops) && m.Ops[n].Line == m.Ops[here].Line; n += way {
			for _, d := range m.Definitions[n] {
				if d.Name == name && !d.Copy {
					return true
				}
			}
		}
	}
	return false
}
