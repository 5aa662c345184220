// Package virtual has what all forms of a function share during lowering: virtual registers and their words, the frame in local memory,
// names for listings, and errors with their place in the source.
//
// The order of instructions and operations is up to isa/lower/value and isa/lower/machine.
package virtual
