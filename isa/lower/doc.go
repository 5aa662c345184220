// Package lower compiles decoded kernels to machine programs: it is the simulator's ptxas.
//
// [Program] takes a kernel over virtual registers and returns Kepler operations over physical registers, in layout order. On the
// way a function has three forms. Each form is a type with its own passes, so no stage can run out of turn:
//
//	isa.Function       the decoder's output
//	value.Function     instructions over virtual registers    isa/lower/value folds them
//	machine.Function   operations over virtual registers      isa/lower/expand makes them, isa/lower/schedule orders them
//	machine.Allocated  operations over physical registers     isa/lower/registers makes them
//	isa.MachineProgram what a chip runs
//
// [Passes] lists every pass in order, and the rules of passorder_test.go hold them to that order within a form. [PrintAfter] writes a
// function's form after a pass. Latencies are in core cycles and come from the caller; sizes are in bytes.
//
// Package code calls this package once for each kernel and chip. It never runs a kernel and never parses PTX.
package lower
