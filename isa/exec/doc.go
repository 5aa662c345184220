// Package exec runs one machine operation on the 32 lanes of a warp: registers in, registers out.
//
// [Bind] turns a machine program into [Code], one [Bound] an operation, once a program; [Code.Launch] broadcasts a launch's
// parameters and constants; from then on Bound.Run is a straight loop over lanes. Memory operations stop half-way: they
// yield an [Access], lane addresses and data, which the load/store unit carries to shared memory, caches or device
// memory, and whose answer [Bound.Complete] writes to the registers. Control operations are the SMX's own.
//
// The package knows no time but the clock values that a kernel reads, which the SMX sets.
package exec
