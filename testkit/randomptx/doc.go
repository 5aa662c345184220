// Package randomptx writes random valid PTX programs and evaluates them by the plainest means, so that the simulator can be compared with
// something that shares no code with it.
//
// A program is one kernel over Threads threads: each reads InputWords words of its own, computes on 32- and 64-bit integers, f32 and f64
// values and predicates through straight code, guarded instructions, branches, loops and calls, one of them recursive, and stores all its
// registers. In two programs of three the threads meet: they exchange words through shared memory between barriers, reduce into it, shuffle
// and vote. Only instructions whose results PTX defines exactly take part. Tests call it; it knows neither the simulator nor its decoder.
//
// The sample in testdata was recorded on a GPU through the driver's PTX compiler. At its usual optimization level that compiler
// makes something else of 6 of the 500 programs (3 of them then never end); compiled without optimization they give what the evaluator
// gives, and so they were recorded.
//
// GenerateLeaving writes programs in which paths leave the kernel, taken or not, between barriers.
//
// GenerateUnrounded writes programs that leave the rounding of additions and multiplications open. The evaluator plans from the
// text which of them fuse, and which loops are unrolled before, by the rules in docs/floating-point.md. GenerateCounted writes many such
// loops, GenerateOpen such whose number of turns is in a register. Their sample (testdata/unrounded.*) had to be recorded with
// optimization, as without it nothing fuses; the test names the 15 of 500 of which the compiler makes something else, 13 of them with
// --fmad=false too. fresh.zip and open.zip have hashes of more that were recorded after the rules were made.
package randomptx
