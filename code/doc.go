// Package code is the way from texts of PTX to programs that a chip runs: parsing, decoding and linking, finding kernels by the names that
// people give them, lowering. Everything that loads code goes this way: a simulated GPU, and the commands that look at code without
// running it.
package code
