package machine

import (
	"github.com/keplersim/keplersim/isa"
)

// readiness follows a row of operations as a compiler does that knows fixed latencies: when each can begin, and from when on it can be read
// what it writes. One operation issues a cycle; what other blocks write is there from the start.
type readiness struct {
	latency   func(isa.Class) int
	now       int
	registers [256]int
	carry     int
	flags     [8]int
}

// from returns the first cycle in which an operation has what it reads.
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

// issue books an operation that begins at a cycle.
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
