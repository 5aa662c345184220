// Package smx models one streaming multiprocessor: resident blocks and warps, four warp schedulers that issue up to two
// operations each in a cycle of the core clock, the execution units that they share, the scoreboard, the reconvergence
// stack, barriers, the load/store unit with its caches, the texture units, and the counters of all that, for each operation of
// the program too.
//
// An SMX runs alone between two epoch boundaries ([SMX.Run]); its requests to the rest of the chip go through its port of the
// memory system, and what comes back it receives there. sim gives it blocks at epoch boundaries and collects finished
// ones. It never touches another SMX, and never device memory but through the port, or to read what its own caches hold.
package smx
