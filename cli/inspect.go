package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/inspect"
)

// newInspectCommand describes PTX without running it.
func newInspectCommand() *cobra.Command {
	var format, kernel, sheets, run string
	var link []string
	var reader *sources.Reader
	command := &cobra.Command{
		Use: "inspect FILE...",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("inspect takes a file or several; keplersim inspect --help shows examples")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains([]string{"text", "json", "dot"}, format) {
				return fmt.Errorf("--format %s: choose one of text, json, dot", format)
			}
			paths := append(args[:1:1], linked(link, args)...)
			program, files, err := linkModules(cmd.Context(), reader, paths, arch.Capability(35), decode.Options{})
			if err != nil {
				return err
			}
			p := inspect.New(program, files)
			if kernel != "" {
				k, err := code.Kernel(program.Kernels(), args[0], kernel)
				if err != nil {
					return err
				}
				p.Only(k.Name)
			}
			if run != "" {
				if err := countRun(p, run); err != nil {
					return err
				}
			}
			if sheets != "" {
				return writeSheets(cmd, p, sheets, slices.Concat(paths, reader.Included, []string{run}))
			}
			switch format {
			case "json":
				return p.JSON(cmd.OutOrStdout())
			case "dot":
				return p.DOT(cmd.OutOrStdout())
			}
			return p.Text(cmd.OutOrStdout())
		},
	}
	command.Flags().StringVar(&kernel, "kernel", "", "describe this kernel and the functions that it calls alone")
	command.Flags().StringVar(&run, "run", "", "put into the blocks of graphs and JSON how often warps executed them, from a report "+
		"of keplersim run --format json")
	command.Flags().StringVar(&sheets, "sheets", "", "draw each kernel with what it calls to a file of its own in this folder, SYMBOL.dot")
	reader = codeFlags(command, &link)
	command.Flags().StringVar(&format, "format", "text", "text, json, or dot (the call graph and the control-flow graphs for "+
		"Graphviz)")
	return command
}

// countRun sets a program's block counts from a run's report.
func countRun(p *inspect.Program, path string) error {
	text, err := files.Read(path, report.MostSaved)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	counts, err := inspect.ReadRun(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("--run %s %w", path, err)
	}
	if len(p.Count(counts)) == 0 {
		return fmt.Errorf("--run %s: the run launched no kernel of this program", path)
	}
	return nil
}

// writeSheets draws each kernel to a file, and prints the files' names.
func writeSheets(cmd *cobra.Command, p *inspect.Program, folder string, inputs []string) error {
	files, err := p.Sheets(folder, inputs)
	if err != nil {
		return fmt.Errorf("--sheets: %w", err)
	}
	for _, file := range files {
		fmt.Fprintln(cmd.OutOrStdout(), file)
	}
	return nil
}
