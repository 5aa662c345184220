// Package cli is keplersim's command line. Each subcommand is in its own file; it parses flags, calls one package, and prints.
//
// It is a package and not a command, so that a program of another module can be keplersim with its own policies. Such a program imports the
// packages that register them and calls [Main]. See examples/policies.
package cli
