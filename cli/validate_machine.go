package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/validation/programs"
)

// newValidateMachineCommand compares measured times with those simulated from machine code and from PTX.
func newValidateMachineCommand() *cobra.Command {
	var folder string
	var budget float64
	var list bool
	var names, overrides []string
	command := &cobra.Command{
		Use:  "machine --sources FOLDER",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := programs.BinaryRows()
			if err != nil {
				return err
			}
			rows = slices.DeleteFunc(rows, func(r *programs.Row) bool {
				return len(names) > 0 && !slices.ContainsFunc(names, r.Matches)
			})
			if list {
				for _, row := range rows {
					fmt.Fprintf(cmd.OutOrStdout(), "%s  %.0f M warp instructions\n", row.Name, row.Instructions()/1e6)
				}
				return nil
			}
			for _, r := range rows {
				if r.Overrides, err = withOverrides(r.Config, r.Overrides, overrides); err != nil {
					return err
				}
			}
			return compareMachine(cmd, rows, programs.Options{Sources: folder, Budget: budget * 1e6})
		},
	}
	command.Flags().StringVar(&folder, "sources", "", "the folder with the checkouts")
	command.Flags().StringArrayVar(&names, "row", nil, "run only rows of this name; * and ? stand for anything (may be repeated)")
	command.Flags().StringArrayVar(&overrides, "set", nil, overridesUsage)
	command.Flags().BoolVar(&list, "list", false, "list the rows, and run none")
	command.Flags().Float64Var(&budget, "budget", defaultProgramBudget,
		"run launches of at most so many million warp instructions; 0 runs all")
	return command
}

// machineTotals are the errors of the rows that ran, in percent: of times from machine code, of both times if there is PTX, and of
// instruction counts if the card's profile has them.
type machineTotals struct {
	machine, both, ptx, instructions []float64
	failed                           int
}

// compareMachine runs rows and prints a table.
func compareMachine(cmd *cobra.Command, rows []*programs.Row, o programs.Options) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ROW\tMEASURED µs\tMACHINE CODE\tERROR\tFROM PTX\tERROR\tREGISTERS\tINSTRUCTIONS\tOF THE PROFILE\tSAME\t")
	var totals machineTotals
	for _, row := range rows {
		if n := row.Instructions(); o.Budget > 0 && n > o.Budget {
			fmt.Fprintf(w, "%s\tnot run: %.0f M warp instructions\n", row.Name, n/1e6)
			continue
		}
		r := programs.RunBinary(cmd.Context(), row, o)
		switch {
		case r.Machine.Status != programs.Ran:
			fmt.Fprintf(w, "%s\t%s: %s\n", row.Name, r.Machine.Status, r.Machine.Reason)
		case r.PTX != nil && r.PTX.Status != programs.Ran:
			fmt.Fprintf(w, "%s\tfrom PTX: %s: %s\n", row.Name, r.PTX.Status, r.PTX.Reason)
		default:
			printMachineRow(w, &r)
		}
		totals.add(&r)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return totals.print(cmd.OutOrStdout())
}

// add adds a row.
func (t *machineTotals) add(r *programs.BinaryResult) {
	ran := r.Machine.Status == programs.Ran
	compared := r.PTX != nil && r.PTX.Status == programs.Ran
	if r.Machine.Status == programs.Failed || r.PTX != nil && r.PTX.Status == programs.Failed || compared && !r.Same {
		t.failed++
	}
	if ran && r.Row.Measured.Instructions > 0 {
		t.instructions = append(t.instructions, r.InstructionError())
	}
	if !ran || !r.Row.Timed() {
		return
	}
	t.machine = append(t.machine, r.Machine.Error())
	if compared {
		t.both, t.ptx = append(t.both, r.Machine.Error()), append(t.ptx, r.PTX.Error())
	}
}

// print writes the mean errors, and returns an error if rows failed.
func (t *machineTotals) print(w io.Writer) error {
	if len(t.machine) > 0 {
		fmt.Fprintf(w,
			"\nMean error of %d rows from machine code %.1f %%. Of the %d with PTX: from machine code %.1f %%, from PTX %.1f %%.\n",
			len(t.machine), meanOf(t.machine), len(t.both), meanOf(t.both), meanOf(t.ptx))
	}
	if len(t.instructions) > 0 {
		fmt.Fprintf(w, "Executed instructions of %d rows are %.2f %% off the card's profile on average.\n", len(t.instructions),
			meanOf(t.instructions))
	}
	if t.failed > 0 {
		return runFailure{fmt.Errorf("%d rows failed, or left other bytes from machine code than from PTX", t.failed)}
	}
	return nil
}

func printMachineRow(w io.Writer, r *programs.BinaryResult) {
	measured := "-"
	if r.Row.Timed() {
		measured = fmt.Sprintf("%.1f", r.Row.Measured.Microseconds*r.Row.Part)
	}
	time := func(r *programs.Result) string {
		if !r.Row.Timed() {
			return fmt.Sprintf("%.1f\t-", r.Launch.TimeUS)
		}
		return fmt.Sprintf("%.1f\t%+.1f %%", r.Launch.TimeUS, r.Error())
	}
	profile := "-"
	if r.Row.Measured.Instructions > 0 {
		profile = fmt.Sprintf("%+.2f %%", r.InstructionError())
	}
	machine := r.Machine.Launch
	fmt.Fprintf(w, "%s\t%s\t%s\t", r.Row.Name, measured, time(&r.Machine))
	if r.PTX == nil {
		fmt.Fprintf(w, "-\t-\t%d\t%d\t%s\t-\t\n", machine.Registers, machine.Total.InstExecuted, profile)
		return
	}
	same := map[bool]string{true: "yes", false: "NO"}[r.Same]
	fmt.Fprintf(w, "%s\t%d, %d\t%d, %d\t%s\t%s\t\n", time(r.PTX), machine.Registers, r.PTX.Launch.Registers, machine.Total.InstExecuted,
		r.PTX.Launch.Total.InstExecuted, profile, same)
}

// meanOf returns the mean of absolute errors.
func meanOf(errors []float64) (mean float64) {
	for _, e := range errors {
		mean += math.Abs(e) / float64(max(len(errors), 1))
	}
	return mean
}
