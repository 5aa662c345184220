// Package cputime measures the processor time that the program has used. Unlike elapsed time it does not grow with other work on the
// machine. Tests and benchmarks measure with it.
package cputime
