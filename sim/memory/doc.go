// Package memory is everything behind an SMX's load/store unit. It has the contents of device memory, the rules that turn a warp's access
// into transactions and passes, and the path of a request through translation, crossbar, L2 and DRAM and back.
//
// Time is in core cycles; DRAM runs in its own command clock. The SMXs call [Coalesce], [SharedPasses] and their [Port] while they run
// alone for an epoch. Between epochs [System.Step] takes all their requests in the order of (cycle, SMX, sequence) and computes when each
// response arrives. Loads, stores and atomics take effect on [Global] only when L2 serves them, in that simulated order.
//
// The package never looks at an instruction, and holds no cache of an SMX: sim/smx runs those.
package memory
