// Package inspect describes a PTX program without running it: entries with their parameters, registers, memory, instruction mix, calls,
// control-flow graph, source lines, and what must be emulated, as text, JSON or a drawing. The command keplersim inspect prints it.
package inspect
