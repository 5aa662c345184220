package exec

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// Entries are a kernel's registers, followed by its predicates.
const (
	entryPredicates = 256
	entryCount      = entryPredicates + 8
)

// entrySet is a set of entries.
type entrySet [(entryCount + 63) / 64]uint64

func (s *entrySet) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }
func (s *entrySet) add(n int)      { s[n/64] |= 1 << (n % 64) }

// meet intersects the set with another, and reports whether that removed anything.
func (s *entrySet) meet(other *entrySet) (less bool) {
	for i := range s {
		old := s[i]
		s[i] &= other[i]
		less = less || s[i] != old
	}
	return less
}

// LanesSet records which lanes of a warp have set each watched entry.
type LanesSet [entryCount]uint32

// Unset are the registers that a kernel may use before they are set, by an analysis before it runs. Called functions, unlike inlined ones,
// are not analysed.
type Unset struct {
	machine  *isa.MachineProgram
	suspects entrySet
	watched  []bool // by operation: it reads or writes a suspect
}

// Watches reports an operation that reads or writes a suspect.
func (u *Unset) Watches(op int32) bool { return u != nil && int(op) < len(u.watched) && u.watched[op] }

// Use updates set for an operation, before some lanes execute it. It returns the lanes that use what they have not set. value returns an
// operand's value in a lane.
func (u *Unset) Use(set *LanesSet, op int32, mask uint32, value func(o *isa.Operand, lane int) (uint64, bool)) (using uint32) {
	m := &u.machine.Ops[op]
	missing := uint32(0)
	eachRead(m, func(n int) {
		if u.suspects.has(n) {
			missing |= mask &^ set[n]
		}
	})
	if copies(m) {
		if m.Effect.Op == isa.OpSelp && missing != 0 {
			missing = u.chosen(set, m, mask, value)
		}
		eachWritten(m, func(n int) { set[n] = set[n]&^mask | mask&^missing })
		return 0
	}
	eachWritten(m, func(n int) { set[n] |= mask })
	if m.Spill {
		return 0
	}
	return missing
}

// chosen returns the lanes in which a selection takes an unset value.
func (u *Unset) chosen(set *LanesSet, m *isa.MachineOp, mask uint32, value func(*isa.Operand, int) (uint64, bool)) (missing uint32) {
	lacks := func(o *isa.Operand) (lanes uint32) {
		eachEntry(o, func(n int) {
			if u.suspects.has(n) {
				lanes |= mask &^ set[n]
			}
		})
		return lanes
	}
	first, second, by := lacks(&m.Effect.Src[0]), lacks(&m.Effect.Src[1]), lacks(&m.Effect.Src[2])
	for lanes := mask; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		from := second
		if yes, _ := value(&m.Effect.Src[2], lane); yes != 0 {
			from = first
		}
		missing |= (from | by) & (1 << lane)
	}
	return missing
}

// eachEntry calls f for the registers and predicates of an operand.
func eachEntry(o *isa.Operand, f func(int)) {
	switch o.Kind {
	case isa.OperandRegister:
		if o.Register == isa.RZ {
			return
		}
		for n := range max(1, o.Type.Registers()) {
			f(int(o.Register) + n)
		}
	case isa.OperandPredicate:
		if o.Register != isa.PT {
			f(entryPredicates + int(o.Register))
		}
	}
}

// eachRead calls f for each entry that an operation reads, eachWritten for each that it writes. Operations without an effect carry only
// timing.
func eachRead(m *isa.MachineOp, f func(int)) {
	if m.Guard.Present && m.Guard.Register != isa.PT {
		f(entryPredicates + int(m.Guard.Register))
	}
	if m.Effect != nil {
		m.Effect.Sources(func(o *isa.Operand) { eachEntry(o, f) })
	}
}

func eachWritten(m *isa.MachineOp, f func(int)) {
	if m.Effect != nil {
		m.Effect.Destinations(func(o *isa.Operand) { eachEntry(o, f) })
	}
}

// copies reports an operation that only passes values on: a copy of an unset value is unset, and only its use is reported.
func copies(m *isa.MachineOp) bool {
	return m.Effect != nil && (m.Effect.Op == isa.OpMov || m.Effect.Op == isa.OpSelp)
}

// FindUnset finds the kernel's registers that some path uses before it sets them, by forward dataflow analysis: a register is set at an
// operation if it is set on every path there. The results are watched lane by lane when the kernel runs. Most kernels have nothing to
// watch: then it returns nil.
func FindUnset(machine *isa.MachineProgram) *Unset {
	ops := machine.Ops
	end := int32(len(ops))
	for _, f := range machine.Stack[min(1, len(machine.Stack)):] {
		end = min(end, f.FirstOp)
	}
	at := make([]entrySet, end)
	for i := range at {
		for k := range at[i] {
			at[i][k] = ^uint64(0)
		}
	}
	if end == 0 {
		return nil
	}
	at[0] = entrySet{}
	var suspects entrySet
	some := false
	for again := true; again; {
		again = false
		for i := int32(0); i < end; i++ {
			m := &ops[i]
			out := at[i]
			whole := true
			eachRead(m, func(n int) { whole = whole && at[i].has(n) })
			eachWritten(m, func(n int) {
				switch {
				case copies(m) && !whole:
					if !at[i].has(n) || !m.Guard.Present {
						out[n/64] &^= 1 << (n % 64)
					}
				case !m.Guard.Present || m.Guard.Register == isa.PT:
					out.add(n)
				}
			})
			for _, next := range successors(m, i) {
				if next >= 0 && next < end && at[next].meet(&out) {
					again = true
				}
			}
		}
	}
	for i := int32(0); i < end; i++ {
		eachRead(&ops[i], func(n int) {
			if !at[i].has(n) && !ops[i].Spill {
				suspects.add(n)
				some = true
			}
		})
	}
	if !some {
		return nil
	}
	u := &Unset{machine: machine, suspects: suspects, watched: make([]bool, end)}
	for i := int32(0); i < end; i++ {
		watch := func(n int) {
			if suspects.has(n) {
				u.watched[i] = true
			}
		}
		eachRead(&ops[i], watch)
		eachWritten(&ops[i], watch)
	}
	return u
}

// successors returns the operations that may follow one.
func successors(m *isa.MachineOp, i int32) (next []int32) {
	always := !m.Guard.Present || m.Guard.Register == isa.PT && !m.Guard.Negate
	switch m.Control {
	case isa.ControlBranch:
		next = append(next, m.Target)
	case isa.ControlIndex:
		next = append(next, m.Targets...)
	case isa.ControlExit, isa.ControlReturn, isa.ControlTrap:
	default:
		return []int32{i + 1}
	}
	if !always {
		next = append(next, i+1)
	}
	return next
}
