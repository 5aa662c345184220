// Command keplersim simulates NVIDIA's Kepler GPUs from the command line. Each subcommand stands in a file of its own: it
// parses flags, calls one package, and prints.
package main
