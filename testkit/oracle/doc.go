// Package oracle reads what a real NVIDIA GPU answered: every output bit of 939 PTX instruction forms on 4,096 input vectors each, kept
// compressed in testdata/oracle at the module's root. The tests of isa/fp and isa/exec call it; nothing else does, and it never becomes
// part of the program.
package oracle
