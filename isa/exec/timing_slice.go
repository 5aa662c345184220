package exec

import "github.com/keplersim/keplersim/isa"

// Timing depends on a thread's control flow, the addresses that it accesses, and the operands that select slow paths. The operations that
// compute these are a slice of the program, its timing slice. A run that needs only timing executes these, and skips the others.

// memories is a set of kinds of memory, by space; spaces that may be the same memory share kinds.
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

// FindTimingSlice finds a program's timing slice, by backward dataflow analysis. It holds what guards, control, addresses and slow paths
// read, what that is computed from and, if it is loaded, everything stored to such memory. It returns, by operation, whether it belongs to
// the slice; nil if all count as belonging, as with called functions.
func FindTimingSlice(machine *isa.MachineProgram) []bool {
	if machine.Registers > entryPredicates {
		return nil
	}
	for i := range machine.Ops {
		if c := machine.Ops[i].Control; c == isa.ControlCall || c == isa.ControlReturn || c == isa.ControlSystem {
			return nil
		}
	}
	w := timingSlice{machine: machine, before: make([]entrySet, len(machine.Ops)+1), belongs: make([]bool, len(machine.Ops))}
	for again := true; again; {
		again = false
		for i := len(machine.Ops) - 1; i >= 0; i-- {
			again = w.follow(int32(i)) || again
		}
	}
	return w.belongs
}

type timingSlice struct {
	machine *isa.MachineProgram
	before  []entrySet // by operation: the entries that are needed before it
	loaded  memories   // memory that needed values are loaded from
	belongs []bool
}

// follow updates the analysis at an operation, and reports whether anything was added.
func (w *timingSlice) follow(i int32) (more bool) {
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
	eachTimingInput(m, wanted.add)
	if belongs && m.Effect != nil && m.Effect.Memory != nil && len(m.Effect.Dst) > 0 {
		from := memoriesOf(m.Effect.Memory)
		more = w.loaded|from != w.loaded
		w.loaded |= from
	}
	more = more || belongs != w.belongs[i]
	w.belongs[i] = belongs
	return w.before[i].join(&wanted) || more
}

// always reports an operation that belongs to the slice whether or not its results are needed.
func (w *timingSlice) always(m *isa.MachineOp) bool {
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

// eachTimingInput calls f for what an operation's timing depends on even if it is not in the slice: its guard, its slow path's operands,
// its address.
func eachTimingInput(m *isa.MachineOp, f func(int)) {
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

// join adds another set, and reports whether that added anything.
func (s *entrySet) join(other *entrySet) (more bool) {
	for i := range s {
		old := s[i]
		s[i] |= other[i]
		more = more || s[i] != old
	}
	return more
}
