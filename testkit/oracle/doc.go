// Package oracle reads a real NVIDIA GPU's results: every output bit of 939 PTX instruction forms on 4,096 input vectors each, compressed
// in testdata/oracle at the module's root. Only the tests of isa/fp and isa/exec call it; it is never part of the program.
package oracle
