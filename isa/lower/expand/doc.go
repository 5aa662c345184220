// Package expand makes a generation's operations of instructions, by one table of forms (arch.Generation.Expansions) and, where data alone
// does not describe an opcode, by a function of its own.
//
// Each PTX instruction ends in exactly one operation that holds its effect, the carrier: the last operation of the
// expansion that needs the sources. The others have registers, pipeline and latency only.
package expand
