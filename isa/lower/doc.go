// Package lower makes machine programs of decoded kernels: it is the simulator's ptxas.
//
// [Program] takes a kernel over virtual registers and gives Kepler operations over physical ones, in the order in which a
// warp meets them. A function has three forms on the way, each with a type and passes of its own, so that no stage can be run out of turn:
//
//	isa.Function       what decoding made
//	value.Function     instructions over virtual registers    isa/lower/value folds them
//	machine.Function   operations over virtual registers      isa/lower/expand makes them, isa/lower/schedule orders them
//	machine.Allocated  operations over physical registers     isa/lower/registers makes them
//	isa.MachineProgram what a chip runs
//
// [Passes] lists every pass in its order, which passOrder holds within a form; [PrintAfter] writes what there is after one. Latencies are
// core cycles, taken from the caller; sizes are bytes.
//
// The package is called by code once a kernel and chip. It never runs anything, and knows no text of PTX.
package lower
