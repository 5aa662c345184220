// Package inspect describes a PTX program without running it: entries with their parameters, registers, memory, instruction mix, calls,
// control-flow graph, source lines, and forms that must be emulated. It writes text, JSON or a drawing, for the command keplersim inspect.
package inspect
