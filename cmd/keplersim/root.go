package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// subcommands are the constructors of all subcommands, in the order of the help text.
var subcommands = []func() *cobra.Command{
	newRunCommand,
	newConfigsCommand,
	newLowerCommand,
	newInspectCommand,
	newMetricsCommand,
	newBenchCommand,
	newOccupancyCommand,
	newFPCommand,
	newValidateCommand,
}

// newRootCommand makes the command with all its subcommands.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "keplersim",
		Short: "Simulate NVIDIA's Kepler GPUs: what a PTX kernel computes, how many cycles it takes, and why",
		Long: `keplersim runs a PTX kernel on a simulated Kepler chip and says what the kernel computes, to the bit, how long it
takes, nearly to the cycle, and why.

Exit codes: 0 it ran and every expectation held; 1 the run or an expectation failed; 2 bad input.`,
		Version:       strings.TrimPrefix(version(), "keplersim "),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	for _, command := range subcommands {
		root.AddCommand(command())
	}
	return root
}
