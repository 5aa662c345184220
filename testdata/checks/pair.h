// Each kernel here is two programs: one with a mistake, and with FIXED defined its corrected twin. The comment before a kernel says which
// rule it breaks, the grid, the block and the arguments; the lines of the accesses that a finding names are marked // A and // B.
#pragma once
#define KERNEL extern "C" __global__ void
#ifdef FIXED
#define FIX(...) __VA_ARGS__
#define BUG(...)
#define EITHER(BAD, GOOD) GOOD
#else
#define FIX(...)
#define BUG(...) __VA_ARGS__
#define EITHER(BAD, GOOD) BAD
#endif
typedef unsigned int u;
typedef unsigned char b;
// What is hidden a compiler cannot follow: it would leave memory out that nobody but the kernel sees.
#define HIDE(P) asm volatile("" : "+l"(P)::"memory")
#define T threadIdx.x
#define G (blockIdx.x * blockDim.x + threadIdx.x)
