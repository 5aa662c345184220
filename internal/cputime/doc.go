// Package cputime tells what the program has used of processors, which other work on the machine does not lengthen. Tests and benchmarks
// measure with it.
package cputime
