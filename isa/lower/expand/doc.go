// Package expand turns instructions into a generation's operations, by one table of forms (arch.Generation.Expansions). An opcode that the
// table cannot describe has a function of its own.
//
// Exactly one operation of each PTX instruction carries the instruction's effect: the carrier, the last operation of the expansion that
// needs the sources. The others have only registers, pipeline and latency.
package expand
