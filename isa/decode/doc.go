// Package decode turns syntax trees into the decoded program: it links modules, checks every instruction against one table
// of forms, resolves names, lays out parameters, symbols and frames, inlines calls and builds control-flow graphs.
//
// The table (table.go and forms.txt) is the one place that says which instructions there are: their modifiers, types,
// operands, whether a Kepler has them (native), whether they are executed with their documented meaning though no
// Kepler has them (emulated), or which architecture they need (refused). The checks, the messages and docs/ptx-support.md
// derive from it.
//
// [Program] is the entry. Its errors are a ptx.ErrorList: up to 20 diagnostics with file, line, column, source line and caret.
// The package knows no clock and no chip but a compute capability, and executes nothing.
package decode
