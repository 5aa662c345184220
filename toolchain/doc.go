// Package toolchain turns CUDA C into PTX with an installed clang, so that "run kernel.cu" needs no CUDA toolkit.
//
// It finds clang on PATH, writes the embedded CUDA header (the include folder) to a temporary folder, runs clang for
// the device side alone, and returns the PTX text with the command that made it. It is called by the command line and
// by the program that rebuilds the workloads. It knows no clock; it never runs the program, never writes outside its
// temporary folder, and never reads PTX.
package toolchain
