// Package isa holds the decoded program in its two forms.
//
// A [Program] is the decoder's output for PTX: functions of basic blocks of [Instruction]s over virtual registers. Every modifier is a
// field and every symbol an address. A [MachineProgram] is the lowering's output for one kernel: a flat list of [MachineOp]s over Kepler's
// physical registers, in layout order.
//
// conventions.go describes the operands of each opcode.
//
// The package contains no text and no timing. Latencies and throughputs belong to an operation's [Class], and their figures are in the
// chip's configuration. isa/exec, isa/lower and everything in sim read the package's data; nothing changes it while a kernel runs.
package isa
