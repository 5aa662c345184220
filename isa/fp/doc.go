// Package fp is the floating-point emulator: every floating-point result and every conversion that a Kepler program sees, bits in, bits out. It
// follows what real NVIDIA silicon answered (package isa/oracle) and IEEE 754-2008, and it never changes the host's floating-point mode.
//
// It knows no time. isa/exec binds its lane functions once per decoded instruction through Find; the fp subcommand and tests call the scalar
// functions. Scalars are bit patterns: uint32 for f32, uint64 for f64, the low 16 bits of a uint32 for f16.
//
// The layers, from the bottom:
//
//   - format.go and round.go: a format-independent core. A finite non-zero value is a sign, an exponent and a 128-bit significand whose lowest
//     bit is sticky; one function rounds it to any format in any mode.
//   - arithmetic.go: exactly rounded add, mul, fma, div, sqrt over that core for any format.
//   - single.go, double.go, compare.go, convert.go: the GPU's rules about NaN, signed zero, flushing and saturation.
//   - approximate.go and tables.go: the multifunction unit.
//   - lanes.go and find.go: the 32-lane forms and the table that names them.
package fp
