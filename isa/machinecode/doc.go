// Package machinecode generates machine code of the host at run time. [Assembler] covers the part of x86-64 with AVX2 that lane operations
// need. [Code] is executable memory with assembled code that can be called.
//
// isa/exec decides what to compute. [Supported] reports whether the host can run the code; assembling works on any host, so tests can
// inspect the code everywhere.
package machinecode
