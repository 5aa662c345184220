package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/report/inspect"
)

// newInspectCommand describes PTX without running it.
func newInspectCommand() *cobra.Command {
	var format string
	var link []string
	command := &cobra.Command{
		Use:   "inspect FILE...",
		Short: "Describe PTX without running it: entries, parameters, registers, memory, instructions, calls, control flow",
		Long: `Describe PTX without running it: entries with the offsets and types of their parameters, registers by type, shared and
local memory, how often each instruction form stands in the text, calls, basic blocks with their source lines, and instructions
that no Kepler has. Several files are linked together, with or without --link before those behind the first.`,
		Example: `  keplersim inspect workloads/vectoradd/vectoradd.ptx
  keplersim inspect --format json kernel.ptx
  keplersim inspect --format dot kernel.ptx | dot -Tsvg > kernel.svg`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			program, files, err := linkModules(cmd.Context(), append(args[:1:1], linked(link, args)...), configs.ComputeCapability(35), decode.Options{})
			if err != nil {
				return err
			}
			p := inspect.New(program, files)
			switch format {
			case "text":
				return p.Text(cmd.OutOrStdout())
			case "json":
				return p.JSON(cmd.OutOrStdout())
			case "dot":
				return p.DOT(cmd.OutOrStdout())
			}
			return fmt.Errorf("--format %s: text, json or dot", format)
		},
	}
	linkFlag(command, &link)
	command.Flags().StringVar(&format, "format", "text", "text, json, or dot (control-flow and call graphs for Graphviz)")
	return command
}
