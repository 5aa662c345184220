// Package kerneltests runs the small kernels of testdata/kernels and compares every byte that they write with a GPU's.
//
// The command in generate writes the kernels from tables of instruction forms. Their results were recorded on a GPU through the driver's
// own PTX compiler. The package has only tests, and no expected result comes from the simulator.
package kerneltests
