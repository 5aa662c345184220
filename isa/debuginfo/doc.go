// Package debuginfo reads what a PTX module says about its source: the .file and .loc directives, which map
// instructions to source lines, and the .section .debug_* blocks, which hold DWARF about functions, parameters and
// variables. It also demangles names.
//
// It knows no clock and no machine. PTX has no code addresses before it is assembled, so here the address of a code
// label is its byte offset in the PTX text: the code of a function is the range of text between its begin and end
// labels, and an address leads back to an instruction by ptx.Position.Offset.
//
// Use Lines for the line table of a module and Read for its DWARF. isa/decode calls both once a module, for the lines of
// instructions and the names of functions; messages and progress call Demangle. Nothing here runs while a kernel does.
package debuginfo
