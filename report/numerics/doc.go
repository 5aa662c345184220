// Package numerics lets a person see why a floating-point result is what it is: it evaluates PTX instruction forms, dot products, sums and
// cosines the way a GPU of some compute capability, an x87 and an SSE unit do, sets them beside the exact value, and compares buffers in
// units in the last place. The fp subcommand calls it. It computes with isa/fp and math/big, knows no time, and never runs a kernel.
package numerics
