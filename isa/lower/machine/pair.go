package machine

import (
	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// pairOperations marks neighbours for dual issue, by the classes of arch.Pairing. The first may not be a control operation, the second may
// not depend on the first, and neither may be wider than 32 bits. A move pairs with anything. (c nouveau; measured kernels of cc 3.0 that
// multiply addresses, load and store issue no pair at all.) Two operations for the core lanes pair only after CoreAlone such operations
// issued alone: one of the two takes lanes that schedulers share.
func pairOperations(operations []isa.MachineOp, targets map[int32]bool, o *target.Options) {
	pairing := o.Generation().Pairing
	if pairing == nil {
		return
	}
	alone := o.CoreAlone
	ready := readiness{latency: o.Latency}
	for n := range operations {
		a := &operations[n]
		if targets[int32(n)] {
			ready = readiness{latency: o.Latency}
		}
		if n > 0 && operations[n-1].PairWithNext {
			continue // it issues with the one before
		}
		at := max(ready.now, ready.from(a))
		if n+1 < len(operations) && !targets[int32(n+1)] {
			b := &operations[n+1]
			both := pairing.Core[a.Class] && pairing.Core[b.Class]
			if later := ready.from(b); pairable(pairing, a, b) && (!both || o.CoreAlone == 0 || later <= at+1 && alone >= o.CoreAlone) {
				a.PairWithNext = true
				at = max(at, later)
				ready.issue(b, at)
				if both {
					alone = -1
				} else if pairing.Core[b.Class] {
					alone++
				}
			}
		}
		ready.issue(a, at)
		if pairing.Core[a.Class] {
			alone++
		}
	}
}

func pairable(p *arch.Pairing, a, b *isa.MachineOp) bool {
	if a.Control != isa.ControlNone || b.Control != isa.ControlNone && b.Control != isa.ControlBranch || a.Slow != b.Slow {
		return false
	}
	if p.NotFirst[a.Class] || p.NotSecond[b.Class] || dependent(a, b) {
		return false
	}
	if a.Class == isa.ClassMove || b.Class == isa.ClassMove {
		return true
	}
	if wide(a) || wide(b) {
		return false
	}
	return a.Class != b.Class || p.Twice[a.Class]
}

// wide reports whether an operation has an operand of more than 32 bits, memory addresses aside, or is half of a 64-bit product. Shifted
// products count too (m K40c: the matrix product's loop has no more pairs than on a GTX 680, whose code multiplies).
func wide(op *isa.MachineOp) bool {
	if (op.Class == isa.ClassMultiply || op.Class == isa.ClassShift) && (op.ReadsCarry || op.WritesCarry) {
		return true
	}
	for _, r := range op.Writes {
		if r.Count > 1 {
			return true
		}
	}
	if op.Class.Memory() {
		return op.Effect != nil && op.Effect.Type.Bytes()*max(len(op.Effect.Dst), len(op.Effect.Src)) > 4
	}
	for _, r := range op.Reads {
		if r.Count > 1 {
			return true
		}
	}
	return false
}

// dependent reports that b reads or overwrites what a writes, or overwrites what a reads.
func dependent(a, b *isa.MachineOp) bool {
	if a.WritesPred&(b.ReadsPred|b.WritesPred) != 0 || a.WritesCarry && (b.ReadsCarry || b.WritesCarry) {
		return true
	}
	for _, w := range a.Writes {
		if meets(w, b.Reads) || meets(w, b.Writes) {
			return true
		}
	}
	return effectsDepend(a, b)
}

// effectsDepend reports the same for the effects: a carrier writes everything that its expansion's earlier operations write in the timing
// view.
func effectsDepend(a, b *isa.MachineOp) bool {
	if a.Effect == nil || b.Effect == nil {
		return false
	}
	depends := false
	a.Effect.Destinations(func(d *isa.Operand) {
		if d.Kind != isa.OperandRegister {
			return
		}
		written := isa.RegisterRange{First: d.Register, Count: uint8(max(d.Type.Registers(), 1))}
		check := func(o *isa.Operand) {
			if o.Kind == isa.OperandRegister && meets(written,
				[]isa.RegisterRange{{First: o.Register, Count: uint8(max(o.Type.Registers(), 1))}}) {
				depends = true
			}
		}
		b.Effect.Sources(check)
		b.Effect.Destinations(check)
	})
	return depends
}

func meets(r isa.RegisterRange, list []isa.RegisterRange) bool {
	for _, other := range list {
		if r.First < other.First+isa.Register(other.Count) && other.First < r.First+isa.Register(r.Count) {
			return true
		}
	}
	return false
}
