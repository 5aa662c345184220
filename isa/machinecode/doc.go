// Package machinecode makes machine code of the host while the simulator runs: an [Assembler] for the part of x86-64 with AVX2
// that lane operations need, and [Code], executable memory that holds what was assembled and can be called.
//
// It knows nothing of PTX or Kepler: isa/exec says what is computed. [Supported] tells whether the host can run such code at
// all; everything else works anywhere, so that what is assembled can be looked at on any host.
package machinecode
