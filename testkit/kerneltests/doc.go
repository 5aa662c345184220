// Package kerneltests runs the small kernels of testdata/kernels and compares every byte that they write with what a GPU wrote.
//
// The kernels are written by the command in generate, from tables of instruction forms; their results were recorded on a GPU through the
// driver's own PTX compiler. Nothing but tests is here, and no expectation comes from the simulator.
package kerneltests
