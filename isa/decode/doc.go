// Package decode turns syntax trees into the decoded program. It links modules, checks every instruction against a table of forms and
// resolves names. It lays out parameters, symbols and frames, inlines calls and builds control-flow graphs.
//
// The table (table.go and forms.txt) alone defines the instructions: their modifiers, types, operands and status. Native forms exist on a
// Kepler. Emulated forms do not, but execute with their documented meaning. Refused forms need a later architecture. Checks, messages and
// docs/ptx-support.md derive from the table.
//
// [Program] is the entry point. Its errors are a ptx.ErrorList: up to 20 diagnostics with file, line, column, source line and caret. The
// package executes nothing. It depends on a compute capability, but on no clock and no chip.
package decode
