// Package randomptx evaluates the random programs of package fuzz by the plainest means, so that the simulator can be compared with
// something that shares no code with it. Tests call it; it knows neither the simulator nor its decoder.
//
// The sample in testdata was recorded on a GPU through the driver's PTX compiler. At its usual optimization level that compiler
// makes something else of 6 of the 500 programs (3 of them then never end); compiled without optimization they give what the evaluator
// gives, and so they were recorded.
//
// Of programs that leave the rounding of additions and multiplications open, the evaluator plans from the text which of them fuse, and
// which loops are unrolled before, by the rules in docs/floating-point.md. Their sample (testdata/unrounded.*) had to be recorded with
// optimization, as without it nothing fuses; the test names the 15 of 500 of which the compiler makes something else, 13 of them with
// --fmad=false too. fresh.zip and open.zip have hashes of more that were recorded after the rules were made.
package randomptx
