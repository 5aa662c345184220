// Package modes overrides nvcc's floating-point flags (--ftz, --prec-div, --prec-sqrt, --fuse) in a decoded program. A kernel runs as
// compiled unless the user asks for an override. Then the decoded instructions are rewritten once, before lowering, and the report lists
// the changes.
//
// The package sees instructions, not the source. So it cannot distinguish an intrinsic such as __fdividef, __frcp_rn or fmaf from the
// operator that the flag would affect; only div.approx always counts as an intrinsic.
package modes
