// Package memory is everything behind an SMX's load/store unit: device memory and what its bytes are, the rules by which a
// warp's access becomes transactions and passes, and the way of a request over translation, crossbar, L2 and DRAM and back.
//
// Time is in core cycles; DRAM runs in its own command clock. The SMXs call [Coalesce], [SharedPasses] and their [Port]
// while they run, alone, for an epoch; between epochs [System.Step] takes all their requests in the order of (cycle, SMX,
// sequence) and computes when the response to each arrives. Loads, stores and atomics take effect on [Global] when they are served at
// L2, in that simulated order and in no other.
//
// The package never looks at an instruction, and holds no cache of an SMX: those are sim/cache's, run by sim/smx.
package memory
