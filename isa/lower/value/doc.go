// Package value has the passes over a function's instructions, whose meaning PTX gives: copies, dead code, addresses, contraction, common
// values, invariants of loops, and operands that Kepler's operations can hold.
//
// A register with one unguarded writer that comes before its readers is a value (see values): there is no other form of static single
// assignment. isa/lower runs the passes in the order of its table; isa/lower/expand makes operations of what they leave.
package value
