// Package fp is the floating-point emulator: it computes every floating-point result and every conversion of a Kepler program on bit
// patterns. It follows recorded results of NVIDIA hardware (package testkit/oracle) and IEEE 754-2008, and never changes the host's
// floating-point mode.
//
// It has no notion of time. isa/exec finds lane functions with Find, once per decoded instruction; the fp subcommand and tests call the
// scalar functions. Scalars are bit patterns: uint32 for f32, uint64 for f64, the low 16 bits of a uint32 for f16.
//
// The layers, from the bottom:
//
//   - format.go, round.go and arithmetic.go: a format-independent core. A finite nonzero value is a sign, an exponent and a 128-bit
//     significand with a sticky lowest bit. One function rounds it to any format in any mode; add, mul, fma, div and sqrt are exact up
//     to that bit.
//   - odd.go: f32 arithmetic in every mode by way of f64, faster and with the same results.
//   - single.go, double.go, compare.go, convert.go: the GPU's rules about NaN, signed zero, flushing and saturation.
//   - unit.go and tables.go: the multifunction unit; approximate.go and approximate64.go: the instruction sequences around it.
//   - find.go and lanes.go: the 32-lane forms and the table that names them.
//   - straight.go and straightconvert.go: the 32-lane forms that are written out.
//   - hostconvert.go: conversions by the host's arithmetic.
//   - vector_amd64.go: the 32-lane forms in vector instructions, where the host has them.
package fp
