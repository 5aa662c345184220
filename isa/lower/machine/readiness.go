package machine

import (
	"github.com/keplersim/keplersim/isa"
)

// readiness computes when operations can issue and when their results are ready, from fixed latencies, as a compiler does. One operation
// issues per cycle; results of other blocks are ready from the start.
type readiness struct {
	latency   func(isa.Class) int
	now       int
	registers [256]int
	carry     int
	flags     [8]int
}

// from returns the first cycle in which all that an operation reads is ready.
func (r *readiness) from(op *isa.MachineOp) int {
	at := 0
	for _, reads := range op.Reads {
		for n := range isa.Register(reads.Count) {
			at = max(at, r.registers[reads.First+n])
		}
	}
	for p := range r.flags {
		if op.ReadsPred>>p&1 != 0 {
			at = max(at, r.flags[p])
		}
	}
	if op.ReadsCarry {
		at = max(at, r.carry)
	}
	return at
}

// issue records an operation that issues at a cycle.
func (r *readiness) issue(op *isa.MachineOp, at int) {
	done := at + r.latency(op.Class)
	for _, writes := range op.Writes {
		for n := range isa.Register(writes.Count) {
			r.registers[writes.First+n] = done
		}
	}
	for p := range r.flags {
		if op.WritesPred>>p&1 != 0 {
			r.flags[p] = done
		}
	}
	if op.WritesCarry {
		r.carry = done
	}
	r.now = at + 1
}
