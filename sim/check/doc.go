// Package check looks for mistakes in kernels that a run may hide: a result that is right here and wrong on another day. Its checkers are
// observers of a functional run, which carries out one access after another; sim attaches them, and report tells what they found.
package check
