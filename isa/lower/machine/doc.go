// Package machine has a function as Kepler's operations: over virtual registers ([Function]) and over physical ones ([Allocated]); what is
// live in them; and the passes over branches and the places where lanes meet. [Allocated.Emit] writes the machine program.
//
// An operation says twice what it touches, once for values and once for time (see [View]). isa/lower/schedule orders operations,
// isa/lower/registers gives them registers.
package machine
