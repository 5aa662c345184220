// Package randomc writes random C kernels whose results C defines. Both CUDA C compilers must give these results.
//
// A kernel computes with int, unsigned, long long, float and double, in local and shared arrays, structures, branches, loops, switches,
// calls, shuffles, votes and atomic additions. Signed integers do not overflow, shifts and divisors stay in range, and all threads reach
// each barrier.
package randomc
