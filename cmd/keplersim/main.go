// Command keplersim simulates NVIDIA's Kepler GPUs from the command line.
package main

import "github.com/keplersim/keplersim/cli"

func main() { cli.Main() }
