package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	report "github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation"
)

// sweepNames returns the names that --sweep takes.
func sweepNames() []string {
	var names []string
	for _, s := range validation.Sweeps() {
		names = append(names, s.Name)
	}
	return names
}

// runSweep measures one sweep on one board and writes its tables and plots.
func (o *validateOptions) runSweep(cmd *cobra.Command) error {
	if o.asksForRows() || o.claims {
		return errors.New("--sweep runs no rows: leave groups, --row, --quick, --list, --plot, --claims and --staircase away")
	}
	sweep, err := validation.FindSweep(o.sweep)
	if err != nil {
		return err
	}
	if sweep.MixedUnits && o.sweepPlot != "" {
		return fmt.Errorf("--sweep %s is a table, not a plot: leave out --sweep-plot, and write the "+
			"table with --format csv or json and -o FILE", sweep.Name)
	}
	config, err := configs.Load(o.sweepConfig, o.overrides)
	if err != nil {
		return err
	}
	return writeReport(cmd, o.output, func(out *reportFile) error { return o.sweepTo(cmd, out, sweep, config) })
}

// sweepTo measures a sweep, writes its tables and draws its plots.
func (o *validateOptions) sweepTo(cmd *cobra.Command, out io.Writer, sweep validation.Sweep, config *configs.Config) error {
	progress, done := validateProgress(cmd.ErrOrStderr())
	tables, err := sweep.Run(cmd.Context(), config, validation.Options{Progress: progress})
	done()
	if err != nil {
		return runFailure{err}
	}
	board := report.Board{Name: config.Name, Overrides: config.Overrides()}
	if err := report.WriteSweep(out, o.format, board, tables); err != nil {
		return err
	}
	if o.sweepPlot != "" {
		files, err := report.WriteSweepPlot(o.sweepPlot, board, tables)
		if err != nil {
			return runFailure{err}
		}
		for _, f := range files[1:] {
			fmt.Fprintln(cmd.ErrOrStderr(), "also plotted:", f)
		}
	}
	return nil
}

// asksForRows reports whether the command line says something about rows.
func (o *validateOptions) asksForRows() bool {
	return len(o.groups) > 0 || len(o.rows) > 0 || o.quick || o.list || o.staircase != "" || o.plot != ""
}

// runClaims runs the tuning guide's claims and writes what they came to.
func (o *validateOptions) runClaims(cmd *cobra.Command) error {
	if o.asksForRows() || o.sweepPlot != "" || len(o.overrides) > 0 {
		return errors.New("--claims runs no rows and no sweep: leave out groups and the flags of those")
	}
	var results []validation.ClaimResult
	err := writeReport(cmd, o.output, func(out *reportFile) (err error) {
		progress, done := validateProgress(cmd.ErrOrStderr())
		results, err = validation.RunClaims(cmd.Context(), validation.Options{Progress: progress})
		done()
		if err != nil {
			return runFailure{err}
		}
		return report.WriteClaims(out, o.format, results)
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		if o.strict && !r.Holds {
			return runFailure{fmt.Errorf("the claim %s does not hold (--strict)", r.Claim.Name)}
		}
	}
	return nil
}
