// Package toolchain turns CUDA C into PTX with an installed clang. So "run kernel.cu" needs no CUDA toolkit.
//
// It finds clang on PATH, writes the embedded CUDA header (the include folder) to a temporary folder, compiles the device code, and returns
// the PTX text with the command that made it. The command line and the program that rebuilds the workloads call it. It knows no clock,
// never runs the program, never writes outside its temporary folder, and never parses PTX.
package toolchain
