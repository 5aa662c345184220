package exec

import "github.com/keplersim/keplersim/isa"

// A thread's way is where its control goes and which addresses it asks for. Time depends on nothing else, but for operands that take slow
// paths; so a run of which time alone is wanted goes forward by the operations that the way depends on, and leaves the others out.

// memories are kinds of memory, by space: those that may be the same have one.
type memories uint16

func memoriesOf(m *isa.Memory) memories {
	switch m.Space {
	case isa.SpaceGeneric:
		return 1<<isa.SpaceGlobal | 1<<isa.SpaceShared | 1<<isa.SpaceLocal
	case isa.SpaceSurface, isa.SpaceTexture:
		return 1 << isa.SpaceGlobal
	}
	return 1 << m.Space
}

// FindWay finds the operations that a thread's way depends on, by a flow analysis from the end of the program to its beginning: what
// guards, control, addresses and slow paths read, what that is computed from, and, where it is loaded, whatever is stored to such memory.
// It returns for each operation whether it belongs to the way; nil where all have to be taken to, as with functions that are called.
func FindWay(machine *isa.MachineProgram) []bool {
	if machine.Registers > entryPredicates {
		return nil
	}
	for i := range machine.Ops {
		if c := machine.Ops[i].Control; c == isa.ControlCall || c == isa.ControlReturn || c == isa.ControlSystem {
			return nil
		}
	}
	w := way{machine: machine, before: make([]entrySet, len(machine.Ops)+1), belongs: make([]bool, len(machine.Ops))}
	for again := true; again; {
		again = false
		for i := len(machine.Ops) - 1; i >= 0; i-- {
			again = w.follow(int32(i)) || again
		}
	}
	return w.belongs
}

type way struct {
	machine *isa.MachineProgram
	before  []entrySet // by operation: what is wanted of the entries in front of it
	loaded  memories   // what something wanted is loaded from
	belongs []bool
}

// follow looks at an operation, and reports whether it is known to want more than before.
func (w *way) follow(i int32) (more bool) {
	m := &w.machine.Ops[i]
	var wanted entrySet
	for _, next := range successors(m, i) {
		if next >= 0 && int(next) < len(w.before) {
			wanted.join(&w.before[next])
		}
	}
	belongs := w.belongs[i] || w.always(m)
	eachWritten(m, func(n int) { belongs = belongs || wanted.has(n) })
	if !m.Guard.Present || m.Guard.Register == isa.PT {
		eachWritten(m, func(n int) { wanted[n/64] &^= 1 << (n % 64) })
	}
	if belongs {
		eachRead(m, wanted.add)
	}
	eachTimed(m, wanted.add)
	if belongs && m.Effect != nil && m.Effect.Memory != nil && len(m.Effect.Dst) > 0 {
		from := memoriesOf(m.Effect.Memory)
		more = w.loaded|from != w.loaded
		w.loaded |= from
	}
	more = more || belongs != w.belongs[i]
	w.belongs[i] = belongs
	return w.before[i].join(&wanted) || more
}

// always reports an operation that belongs to the way whatever becomes of its results.
func (w *way) always(m *isa.MachineOp) bool {
	switch {
	case m.Control != isa.ControlNone:
		return true
	case m.Effect == nil:
		return false
	}
	switch facts := m.Effect.Op.Facts(); facts.Effect {
	case isa.EffectArithmetic, isa.EffectConversion, isa.EffectMove, isa.EffectPredicateComparison, isa.EffectSetComparison,
		isa.EffectSelection, isa.EffectFloatTest, isa.EffectAddressConversion, isa.EffectSpaceTest, isa.EffectShuffle, isa.EffectVote:
		return m.ReadsCarry || m.WritesCarry
	case isa.EffectMemoryAccess:
		return m.Effect.Op != isa.OpLd && w.loaded&memoriesOf(m.Effect.Memory) != 0
	default:
		return facts.Memory != isa.MemoryTexture
	}
}

// eachTimed calls f for what the time of an operation depends on, whether it belongs to the way or not: its guard, what takes it to a slow
// path, and its address.
func eachTimed(m *isa.MachineOp, f func(int)) {
	if m.Guard.Present && m.Guard.Register != isa.PT {
		f(entryPredicates + int(m.Guard.Register))
	}
	if m.Slow != nil && m.Slow.Probe != nil {
		m.Slow.Probe.Sources(func(o *isa.Operand) { eachEntry(o, f) })
	}
	if m.Effect != nil && m.Effect.Memory != nil {
		m.Effect.Memory.Sources(func(o *isa.Operand) { eachEntry(o, f) })
	}
}

// join takes in another set, and reports whether that is more than before.
func (s *entrySet) join(other *entrySet) (more bool) {
	for i := range s {
		old := s[i]
		s[i] |= other[i]
		more = more || s[i] != old
	}
	return more
}
