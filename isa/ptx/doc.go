// Package ptx turns PTX text into a syntax tree: lexer, recursive-descent parser and diagnostics for PTX ISA 1.4 to 9.0 as nvcc and clang
// emit it.
//
// The package deals only with syntax. It knows no opcodes: an instruction is an optional guard, a mnemonic (opcode and dot-modifiers) and
// operands. The package isa/decode reads the tree and knows what a mnemonic means, which operands it takes and where a symbol is.
//
// Use:
//
//	import "github.com/keplersim/keplersim/isa/ptx"
//
//	file, err := ptx.Parse("kernel.ptx", string(source))
//
// Parse returns a tree even if err is not nil. Then err is an ErrorList of up to MaximumErrors diagnostics, and the tree lacks the parts in
// error. Each diagnostic has file:line:column, the source line and a caret. Every node has the exact Position of its start. Names and
// literals are substrings of the source, so parsing allocates next to nothing for each token, and a tree keeps its source alive.
//
// The package never panics on any input and resolves no names: nested Blocks in the tree show the scopes of registers and labels, and
// lookup is up to the caller.
package ptx
