// Package machine has a function as Kepler's operations: over virtual registers ([Function]) and over physical ones ([Allocated]). It has
// liveness and the passes over branches and reconvergence points. [Allocated.Emit] writes the machine program.
//
// An operation's registers are listed twice, for values and for timing (see [View]). isa/lower/schedule orders operations,
// isa/lower/registers allocates registers.
package machine
