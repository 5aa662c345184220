// Package fuzz writes random valid PTX programs, runs each in every way that the simulator has, and shrinks those whose results differ.
//
// A program is one kernel over Threads threads. Each thread reads InputWords words of its own, computes, and stores all its registers. It
// computes on 32- and 64-bit integers, f32 and f64 values and predicates, in straight code, guarded instructions, branches, loops and
// calls, one of them recursive. In two of three programs the threads meet: they exchange words through shared memory between barriers,
// reduce into it, shuffle and vote. PTX defines the result of every instruction used, so a GPU gives the same bytes.
//
//   - GenerateLeaving adds paths that leave the kernel, taken or not, between barriers.
//   - GenerateUnrounded leaves the rounding of additions and multiplications open.
//   - GenerateCounted adds many loops to that, and GenerateOpen loops whose number of iterations is in a register.
//   - GenerateWide adds carries, video instructions, half precision, saturation, local memory and atomics.
package fuzz
