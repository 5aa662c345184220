// Package code leads from PTX texts to programs that a chip runs: it parses, decodes and links, finds kernels by their names, and lowers
// them. Everything that loads code uses it: a simulated GPU, and the commands that inspect code without running it.
package code
