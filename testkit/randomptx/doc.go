// Package randomptx evaluates package fuzz's random programs in the simplest way, so that the simulator can be compared with something that
// shares no code with it. Only tests call it; it knows neither the simulator nor its decoder.
//
// The sample in testdata was recorded on a GPU through the driver's PTX compiler. At its usual optimization level, this compiler changes
// the meaning of 6 of the 500 programs; 3 of them then never end. So they were recorded without optimization, where the results agree with
// the evaluator's.
//
// For programs that leave the rounding of additions and multiplications open, the evaluator plans from the text which of them fuse, and
// which loops are unrolled first, by the rules in docs/floating-point.md. Their sample (testdata/unrounded.*) was recorded with
// optimization, as nothing fuses without it. The test names the 15 of 500 programs whose meaning the compiler changes, 13 of them with
// --fmad=false too. fresh.zip and open.zip have hashes of further programs, recorded after the rules were made.
package randomptx
