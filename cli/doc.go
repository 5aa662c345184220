// Package cli is keplersim's command line: each subcommand stands in a file of its own, parses flags, calls one package, and prints.
//
// It is a package, and not a command, so that a program of another module can be keplersim with policies of its own: it imports what
// registers them and calls [Main]. See examples/policies.
package cli
