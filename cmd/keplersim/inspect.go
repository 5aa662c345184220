package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/report/inspect"
)

// newInspectCommand describes PTX without running it.
func newInspectCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "inspect FILE...",
		Short: "Describe PTX without running it: entries, parameters, registers, memory, instructions, calls, control flow",
		Long: `Describe PTX without running it: entries with the offsets and types of their parameters, registers by type, shared and
local memory, how often each instruction form stands in the text, calls, basic blocks with their source lines, and instructions
that no Kepler has. Several files are linked together.`,
		Example: `  keplersim inspect workloads/vectoradd/vectoradd.ptx
  keplersim inspect --format json kernel.ptx
  keplersim inspect --format dot kernel.ptx | dot -Tsvg > kernel.svg`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var files []*ptx.File
			for _, path := range args {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				file, err := ptx.Parse(filepath.Base(path), string(text))
				if err != nil {
					return err
				}
				files = append(files, file)
			}
			program, err := decode.Program(files, decode.Options{ComputeCapability: 35})
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
	command.Flags().StringVar(&format, "format", "text", "text, json, or dot (control-flow and call graphs for Graphviz)")
	return command
}
