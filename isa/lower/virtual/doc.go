// Package virtual has what a function shares in all of its forms while it is lowered: virtual registers and the words that they consist of,
// the frame in local memory, names for listings, and errors with their place in the source.
//
// It knows neither the order of instructions nor operations: those are isa/lower/value's and isa/lower/machine's.
package virtual
