// Package fp is the floating-point emulator: every floating-point result and every conversion that a Kepler program sees, bits in, bits
// out. It follows what real NVIDIA silicon computed (package testkit/oracle) and IEEE 754-2008, and it never changes the host's
// floating-point mode.
//
// It knows no time. isa/exec binds its lane functions once per decoded instruction through Find; the fp subcommand and tests call the
// scalar functions. Scalars are bit patterns: uint32 for f32, uint64 for f64, the low 16 bits of a uint32 for f16.
//
// The layers, from the bottom:
//
//   - format.go, round.go and arithmetic.go: a format-independent core. A finite non-zero value is a sign, an exponent and a 128-bit
//     significand whose lowest bit is sticky; one function rounds it to any format in any mode, and add, mul, fma, div, sqrt are exact up
//     to that bit.
//   - odd.go: f32 arithmetic in every mode by way of f64, faster and with the same results.
//   - single.go, double.go, compare.go, convert.go: the GPU's rules about NaN, signed zero, flushing and saturation.
//   - unit.go and tables.go: the multifunction unit; approximate.go and approximate64.go: the instruction sequences around it.
//   - find.go and lanes.go: the 32-lane forms and the table that names them; straight.go and straightconvert.go: those that are
//     written out; hostconvert.go: conversions by the host's arithmetic; vector_amd64.go: those that use vector instructions where
//     the host has them.
package fp
