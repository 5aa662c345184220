// Package value has the passes over a function's PTX instructions: copies, dead code, addresses, contraction, common subexpressions, loop
// invariants, and operands that Kepler's operations can hold.
//
// There is no static single assignment form. Instead a register is a value if its one unguarded write comes before all its reads (see
// values). The table of isa/lower has the order of the passes; isa/lower/expand turns the result into operations.
package value
