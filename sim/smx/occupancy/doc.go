// Package occupancy computes how many blocks of a kernel fit into one SMX, what stops the next one, and what would change that.
//
// It is pure arithmetic without time or state. The simulator's block distribution calls Calculate, so the occupancy studies and the
// simulator always agree. The rule is that of NVIDIA's occupancy code (cuda_occupancy.h in the CUDA toolkit). Blocks take whole warps. Each
// warp gets its registers from the partition of its scheduler. Each block gets its shared memory from the carve-out that the cache
// preference chooses.
//
// Calculate answers every question: a block too large for an SMX fits zero times. Check returns an error for a launch that the chip cannot
// run, with the limit that it breaks.
package occupancy
