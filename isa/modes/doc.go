// Package modes overrides, on a decoded program, what nvcc's floating-point flags chose when a kernel was compiled: --ftz, --prec-div,
// --prec-sqrt and --fuse. A kernel is taken as compiled unless the user asks for one of them; then the decoded instructions are rewritten
// before lowering, once, and the report lists what was changed.
//
// Only instructions are seen, not the source: an intrinsic such as __fdividef, __frcp_rn or fmaf cannot be told from the operator that the
// flag would have governed, except that div.approx is always taken for an intrinsic.
package modes
