// Package isa holds the decoded program in its two forms.
//
// A [Program] is what the decoder makes of PTX: functions of basic blocks of [Instruction]s over virtual registers,
// with every modifier a field and every symbol an address. A [MachineProgram] is what the lowering makes of one kernel:
// a flat list of [MachineOp]s over Kepler's physical registers, in the order in which a warp meets them.
//
// Which operand of which opcode stands where is written down in conventions.go.
//
// The package knows no text and no time: latencies and throughputs belong to an operation's [Class], whose figures stand
// in the chip's configuration. It is read by isa/exec, isa/lower and everything in sim; it never changes while a kernel runs.
package isa
