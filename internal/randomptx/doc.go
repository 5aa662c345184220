// Package randomptx writes random valid PTX programs and evaluates them by the plainest means, so that the simulator can be compared with
// something that shares no code with it.
//
// A program is one kernel over Threads threads: each reads InputWords words of its own, computes on 32- and 64-bit integers, f32
// values and predicates through straight code, guarded instructions, branches and loops, and stores all its registers. Only instructions whose results PTX
// defines exactly take part. Tests call it; it knows neither the simulator nor its decoder.
package randomptx
