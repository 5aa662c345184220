package cli

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/validation/programs"
)

// newValidateMachineCommand compares measured times with those from machine code and from PTX.
func newValidateMachineCommand() *cobra.Command {
	var folder string
	var budget float64
	var list bool
	command := &cobra.Command{
		Use:   "machine --sources FOLDER",
		Short: "Run public machine code and the PTX beside it, and print both errors: the model's, and the compiler's on top",
		Long: `Run kernels whose machine code for sm_35 is public, as they were measured, once from the machine code and once from the
PTX in the same file. The error from machine code is the model's alone; from PTX our compiler's comes on top.

The binaries are not part of keplersim. FOLDER holds the checkouts, each as OWNER/NAME or NAME; a file is run only if it is the measured
one, by its SHA-256. "same" says whether both left the same bytes in all buffers.`,
		Example: `  keplersim validate machine --sources ~/checkouts
  keplersim validate machine --sources ~/checkouts --budget 0
  keplersim validate machine --list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := programs.BinaryRows()
			if err != nil {
				return err
			}
			if list {
				for _, row := range rows {
					fmt.Fprintf(cmd.OutOrStdout(), "%s  %.0f M warp instructions\n", row.Name, row.Instructions()/1e6)
				}
				return nil
			}
			return compareMachine(cmd, rows, programs.Options{Sources: folder, Budget: budget * 1e6})
		},
	}
	command.Flags().StringVar(&folder, "sources", "", "the folder with the checkouts")
	command.Flags().BoolVar(&list, "list", false, "list the rows, and run none")
	command.Flags().Float64Var(&budget, "budget", defaultProgramBudget,
		"run launches of at most so many million warp instructions; 0 runs all")
	return command
}

// compareMachine runs rows and prints a table.
func compareMachine(cmd *cobra.Command, rows []*programs.Row, o programs.Options) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ROW\tMEASURED µs\tMACHINE CODE\tERROR\tFROM PTX\tERROR\tREGISTERS\tINSTRUCTIONS\tSAME\t")
	failed := 0
	var machine, both, ptx []float64
	for _, row := range rows {
		if n := row.Instructions(); o.Budget > 0 && n > o.Budget {
			fmt.Fprintf(w, "%s\tnot run: %.0f M warp instructions\n", row.Name, n/1e6)
			continue
		}
		r := programs.RunBinary(cmd.Context(), row, o)
		switch {
		case r.Machine.Status != programs.Ran:
			fmt.Fprintf(w, "%s\t%s: %s\n", row.Name, r.Machine.Status, r.Machine.Reason)
		case r.PTX == nil:
			printMachineRow(w, &r)
			machine = append(machine, r.Machine.Error())
		case r.PTX.Status != programs.Ran:
			fmt.Fprintf(w, "%s\tfrom PTX: %s: %s\n", row.Name, r.PTX.Status, r.PTX.Reason)
		default:
			printMachineRow(w, &r)
			machine, both, ptx = append(machine, r.Machine.Error()), append(both, r.Machine.Error()), append(ptx, r.PTX.Error())
		}
		if r.Machine.Status == programs.Failed || r.PTX != nil && (r.PTX.Status == programs.Failed ||
			r.PTX.Status == programs.Ran && !r.Same) {
			failed++
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(machine) > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "\nMean error of %d rows from machine code %.1f %%. Of the %d with PTX: from machine code "+
			"%.1f %%, from PTX %.1f %%.\n",
			len(machine), meanOf(machine), len(both), meanOf(both), meanOf(ptx))
	}
	if failed > 0 {
		return runFailure{fmt.Errorf("%d rows failed, or left other bytes from machine code than from PTX", failed)}
	}
	return nil
}

func printMachineRow(w io.Writer, r *programs.BinaryResult) {
	fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%+.1f %%\t", r.Row.Name, r.Row.Measured.Microseconds*r.Row.Part, r.Machine.Launch.TimeUS,
		r.Machine.Error())
	if r.PTX == nil {
		fmt.Fprintf(w, "-\t-\t%d\t%d\t-\t\n", r.Machine.Launch.Registers, r.Machine.Launch.Total.InstExecuted)
		return
	}
	same := map[bool]string{true: "yes", false: "NO"}[r.Same]
	fmt.Fprintf(w, "%.1f\t%+.1f %%\t%d, %d\t%d, %d\t%s\t\n", r.PTX.Launch.TimeUS, r.PTX.Error(), r.Machine.Launch.Registers,
		r.PTX.Launch.Registers,
		r.Machine.Launch.Total.InstExecuted, r.PTX.Launch.Total.InstExecuted, same)
}

// meanOf is the mean of errors without their signs.
func meanOf(errors []float64) (mean float64) {
	for _, e := range errors {
		mean += math.Abs(e) / float64(max(len(errors), 1))
	}
	return mean
}
