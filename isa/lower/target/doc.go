// Package target describes the chip and the user's wishes for the lowering: registers, banks, latencies in core cycles.
//
// All packages of isa/lower read it; none changes it.
package target
