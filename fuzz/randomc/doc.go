// Package randomc writes random kernels in C, whose results C defines: what both compilers of CUDA C must make alike.
//
// A kernel computes with int, unsigned, long long, float and double, in local and shared arrays, structures, branches, loops,
// switches, calls, shuffles, votes and atomic additions. Integers do not overflow where C leaves it undefined, shifts and divisors
// stay in range, barriers stand where all threads come.
package randomc
