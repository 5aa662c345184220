// Package debuginfo reads a PTX module's information about its source. The .file and .loc directives map instructions to source lines. The
// .section .debug_* blocks contain DWARF about functions, parameters and variables. The package also demangles names.
//
// PTX has no code addresses before it is assembled. So the address of a code label is its byte offset in the PTX text here. A function's
// code is the text between its begin and end labels, and an address leads back to an instruction by ptx.Position.Offset.
//
// The function Lines returns the line table of a module, and Read its DWARF. isa/decode calls both once per module, for lines of
// instructions and names of functions. Messages and progress call Demangle. Nothing here runs while a kernel does.
package debuginfo
