// Package fuzz writes random valid PTX programs, runs each in every way that the simulator has, and shrinks what differs.
//
// A program is one kernel over Threads threads: each reads InputWords words of its own, computes on 32- and 64-bit integers, f32 and f64
// values and predicates through straight code, guarded instructions, branches, loops and calls, one of them recursive, and stores all its
// registers. In two programs of three the threads meet: they exchange words through shared memory between barriers, reduce into it, shuffle
// and vote. Only instructions whose results PTX defines exactly take part, so that a GPU gives the same bytes.
//
// Each way has a device that is kept from one program to the next. What differs there is looked at again on new devices.
//
// GenerateLeaving writes programs in which paths leave the kernel, taken or not, between barriers.
//
// GenerateUnrounded writes programs that leave the rounding of additions and multiplications open. GenerateCounted writes many loops of
// these, GenerateOpen such whose number of turns is in a register.
//
// GenerateWide adds carries, video instructions, half precision, saturation, local memory and atomics.
package fuzz
