// Package numerics explains floating-point results. It evaluates PTX instruction forms, dot products, sums and cosines as a GPU of some
// compute capability, an x87 and an SSE unit do, next to the exact value. It compares buffers in units in the last place. The command
// keplersim fp uses it. It computes with isa/fp and math/big, has no timing, and never runs a kernel.
package numerics
