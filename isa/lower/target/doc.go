// Package target says what the lowering has to know of a chip and of the user's wishes: registers, banks, latencies in core cycles.
//
// Every package of isa/lower reads it, and none changes it.
package target
