// Package exec runs one machine operation on the 32 lanes of a warp: registers in, registers out.
//
// [Bind] turns a machine program into [Code], with one [Bound] per operation; [Code.Launch] broadcasts a launch's parameters and constants.
// From then on Bound.Run is a straight loop over lanes. Memory operations have two halves: Bound.Access returns an [Access] with lane
// addresses and data. The load/store unit takes it to shared memory, caches or device memory, and [Bound.Complete] writes the result to the
// registers. Control operations are up to the SMX.
//
// The package has no notion of time except the clock values that a kernel reads; the SMX sets these.
package exec
