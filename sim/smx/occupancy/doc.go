// Package occupancy computes how many blocks of a kernel fit into one SMX, what stops the next one, and what would
// change it.
//
// It is pure arithmetic: it knows no time and holds no state. The simulator's block distribution calls Calculate, so that
// what the occupancy studies say and what the simulator does are one thing. The rule is that of NVIDIA's occupancy code
// (cuda_occupancy.h in the CUDA toolkit): whole warps, registers allocated to each warp out of the partition of its
// scheduler, shared memory allocated to each block out of the carve-out that the cache preference chooses.
//
// Calculate answers whatever it is asked; a block too large for an SMX is zero blocks. Check refuses what the chip cannot
// have, and says which limit is broken.
package occupancy
