package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/validation/programs"
)

// newValidateRegistersCommand compares the registers of others' kernels with those that nvcc assigned.
func newValidateRegistersCommand() *cobra.Command {
	o := programOptions{workers: 1}
	command := &cobra.Command{
		Use:  "registers --sources FOLDER",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.compile(cmd) },
	}
	f := command.Flags()
	f.StringVar(&o.sources, "sources", "", "the folder with the checkouts")
	f.StringArrayVar(&o.rows, "row", nil, "compile only rows of this name; * and ? stand for anything (may be repeated)")
	f.BoolVar(&o.blind, "blind", false, "compile the blind half too")
	outputFlag(f, &o.output)
	return command
}

// compile runs the command.
func (o *programOptions) compile(cmd *cobra.Command) error {
	o.untimed = true
	rows, err := o.choose()
	if err != nil {
		return err
	}
	if err := o.checkOutputs(cmd, rows); err != nil {
		return err
	}
	failed := 0
	err = writeReport(cmd, o.output, func(out *reportFile) (err error) {
		failed, err = writeRegisters(out, programs.Compile(cmd.Context(), rows, o.sources))
		return err
	})
	if err != nil {
		return err
	}
	if failed > 0 {
		return runFailure{fmt.Errorf("%d kernels could not be compiled", failed)}
	}
	return nil
}

// writeRegisters writes the registers of kernels, nvcc's and ours, and returns how many kernels could not be compiled.
func writeRegisters(out io.Writer, list []programs.Compiled) (failed int, err error) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ROW\tHALF\tNVCC'S\tOURS\tLOCAL BYTES OF NVCC\tOURS\tSHARED BYTES OF NVCC\tOURS\t")
	var ran, near, alike, known int
	for _, c := range list {
		half := halfOf(c.Row)
		if c.Status != programs.Ran {
			fmt.Fprintf(table, "%s\t%s\t%g\t%s: %s\t\t\t\t\t\n", c.Row.Name, half, c.Row.Measured.Registers, c.Status, firstLine(c.Reason))
			if c.Status == programs.Failed {
				failed++
			}
			continue
		}
		ran++
		if c.Near() {
			near++
		}
		if c.Row.Measured.Local != nil {
			known++
			if c.SpillsAlike() {
				alike++
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%g\t%d\t%s\t%d\t%s\t%d\t\n", c.Row.Name, half, c.Row.Measured.Registers, c.Registers,
			bytesOrDash(c.Row.Measured.Local), c.LocalBytes, bytesOrDash(c.Row.Measured.Shared), c.Shared)
	}
	if err := table.Flush(); err != nil {
		return failed, err
	}
	_, err = fmt.Fprintf(out, "\n%d kernels compiled; registers within 4 of nvcc's in %d, "+
		"local memory exactly where nvcc has some in %d of %d told\n", ran, near, alike, known)
	return failed, err
}

// bytesOrDash formats a published figure, a dash if it was not published.
func bytesOrDash(bytes *float64) string {
	if bytes == nil {
		return "-"
	}
	return fmt.Sprint(*bytes)
}
