package check

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// entries are the registers of a kernel, and behind them its predicates.
const (
	entryPredicates = 256
	entryCount      = entryPredicates + 8
)

// entrySet is a set of entries.
type entrySet [(entryCount + 63) / 64]uint64

func (s *entrySet) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }
func (s *entrySet) add(n int)      { s[n/64] |= 1 << (n % 64) }

// meet keeps what is in both, and reports whether that is less than before.
func (s *entrySet) meet(other *entrySet) (less bool) {
	for i := range s {
		old := s[i]
		s[i] &= other[i]
		less = less || s[i] != old
	}
	return less
}

// registerState is which lanes of a warp have set each of the registers that matter.
type registerState struct {
	set [entryCount]uint32
}

// eachEntry calls f for the registers and predicates that an operand names.
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

// eachRead calls f for what an operation reads, eachWritten for what it writes. Operations without an effect carry time alone.
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

// copies reports an operation that only hands values on: what was never set stays so, and its use is told of.
func copies(m *isa.MachineOp) bool {
	return m.Effect != nil && (m.Effect.Op == isa.OpMov || m.Effect.Op == isa.OpSelp)
}

// findUnset finds the kernel's registers that some path uses before they are set, by a flow analysis over its operations: a register is set
// at an operation if it is on every way there. What it finds is watched lane by lane when the kernel runs; most kernels have nothing to
// watch. Functions that are called, not inlined, are left out.
func (p *program) findUnset() {
	ops := p.machine.Ops
	end := int32(len(ops))
	for _, f := range p.machine.Stack[min(1, len(p.machine.Stack)):] {
		end = min(end, f.FirstOp)
	}
	at := make([]entrySet, end)
	for i := range at {
		for k := range at[i] {
			at[i][k] = ^uint64(0)
		}
	}
	if end == 0 {
		return
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
		return
	}
	p.registers = true
	for i := int32(0); i < end; i++ {
		watch := func(n int) {
			if suspects.has(n) {
				p.ops[i].watched |= watchRegisters
			}
		}
		eachRead(&ops[i], watch)
		eachWritten(&ops[i], watch)
	}
	p.suspects = suspects
}

// successors are the operations that may follow one.
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

// beginRegisters makes a warp's registers unset where some of them are watched.
func (c *Checker) beginRegisters(w *warp) {
	if w.block.grid.program.registers {
		w.registers = &registerState{}
	}
}

// useRegisters looks at the watched registers that an operation reads and writes.
func (c *Checker) useRegisters(w *warp, e *observe.Issue) {
	p := w.block.grid.program
	m := &p.machine.Ops[e.Op]
	r := w.registers
	missing := uint32(0)
	eachRead(m, func(n int) {
		if p.suspects.has(n) {
			missing |= e.Mask &^ r.set[n]
		}
	})
	if copies(m) {
		if m.Effect.Op == isa.OpSelp && missing != 0 && e.Warp.State != nil {
			missing = c.chosen(w, e, m)
		}
		eachWritten(m, func(n int) { r.set[n] = r.set[n]&^e.Mask | e.Mask&^missing })
		return
	}
	if missing != 0 && !m.Spill {
		c.tell(finding.UnsetRegister, w, e.Op, noOp, func(f *finding.Finding) {
			f.Places = append(f.Places, c.here(w, e.Op, bits.TrailingZeros32(missing), "uses it"))
		})
	}
	eachWritten(m, func(n int) { r.set[n] |= e.Mask })
}

// chosen are the lanes of a selection that take a value that was never set.
func (c *Checker) chosen(w *warp, e *observe.Issue, m *isa.MachineOp) (missing uint32) {
	p, r := w.block.grid.program, w.registers
	lacks := func(o *isa.Operand) (lanes uint32) {
		eachEntry(o, func(n int) {
			if p.suspects.has(n) {
				lanes |= e.Mask &^ r.set[n]
			}
		})
		return lanes
	}
	first, second, by := lacks(&m.Effect.Src[0]), lacks(&m.Effect.Src[1]), lacks(&m.Effect.Src[2])
	for lanes := e.Mask; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		from := second
		if yes, _ := e.Warp.State.Operand(&m.Effect.Src[2], lane); yes != 0 {
			from = first
		}
		missing |= (from | by) & (1 << lane)
	}
	return missing
}
