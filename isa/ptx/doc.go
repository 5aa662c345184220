// Package ptx turns PTX text into a syntax tree and back: lexer, recursive-descent parser, diagnostics and printer
// for PTX ISA 1.4 to 9.0 as nvcc and clang emit it.
//
// The package is syntax alone. It knows no opcode, no clock and no machine: an instruction is an optional guard, a
// mnemonic (opcode and dot-modifiers) and operands, whatever the mnemonic. What a mnemonic means, which operands it
// takes and where a symbol lies is the business of isa/decode, which reads the tree made here.
//
// Use:
//
//	import "github.com/keplersim/keplersim/isa/ptx"
//
//	file, err := ptx.Parse("kernel.ptx", string(source))
//
// Parse returns a tree even when err is not nil: an ErrorList of up to MaximumErrors diagnostics, each with its
// file:line:column, the source line and a caret. The tree then lacks what could not be read. Every node carries the
// exact Position at which it starts. Names and literals are substrings of the source, so that a tree keeps its
// source alive and parsing allocates next to nothing for each token.
//
// Print writes a tree as PTX that parses to an equal tree (positions aside); Equal compares two trees.
//
// The package never panics on any input and never resolves a name: scoping of registers and labels by braces is
// visible in the tree as nested Blocks, and looking names up is left to the caller.
package ptx
