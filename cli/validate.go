package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	report "github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation"
)

// validateOptions are the flags of keplersim validate.
type validateOptions struct {
	groups                       []string
	rows                         []string
	quick, list, strict          bool
	budget                       float64
	workers                      int
	format, output               string
	plot, staircase, stairConfig string
	overrides                    []string
	claims                       bool
	points                       string
}

// defaultBudget is the default size of a measured kernel, in millions of warp instructions.
const defaultBudget = 3

// newValidateCommand runs the published measurements on the simulated boards.
func newValidateCommand() *cobra.Command {
	var o validateOptions
	command := &cobra.Command{
		Use: "validate [GROUP...]",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.groups = args
			return o.run(cmd)
		},
	}
	command.AddCommand(newValidateProgramsCommand(), newValidateRegistersCommand(), newValidateMachineCommand())
	f := command.Flags()
	f.StringArrayVar(&o.rows, "row", nil, "run only rows of this name; * and ? stand for anything; the group and @BOARD may be left "+
		"out (may be repeated)")
	f.BoolVar(&o.quick, "quick", false, "run a subset that takes seconds")
	f.Float64Var(&o.budget, "budget", defaultBudget, "run measured kernels of at most so many million warp instructions; 0 runs all, "+
		"which takes hours")
	f.IntVar(&o.workers, "jobs", runtime.NumCPU(), "rows that run at once")
	f.BoolVar(&o.list, "list", false, "list the rows with their sources and run nothing")
	f.BoolVar(&o.strict, "strict", false, "exit with 1 when a row that ran is beyond its tolerance or failed")
	f.StringVar(&o.format, "format", "text", "text, json or csv")
	outputFlag(f, &o.output)
	f.StringVar(&o.plot, "plot", "", "plot ours against theirs to this file, .svg, .png or .pdf")
	f.StringVar(
		&o.staircase, "staircase", "",
		"chase pointers through growing footprints and plot the latency staircase to this file, .svg, .png or .pdf",
	)
	f.BoolVar(
		&o.claims, "claims", false, "instead of rows, run what shows the claims of NVIDIA's tuning guide for Kepler (docs/tuning-guide.md)",
	)
	f.StringArrayVar(&o.overrides, "set", nil, overridesUsage)
	f.StringVar(&o.points, "keep-points", "", keepPointsUsage)
	f.StringVar(&o.stairConfig, "staircase-config", "k80", "the board of --staircase")
	return command
}

// run runs the command.
func (o *validateOptions) run(cmd *cobra.Command) error {
	switch o.format {
	case "text", "json", "csv":
	default:
		return fmt.Errorf("--format %q: choose one of text, json, csv", o.format)
	}
	if err := checkWork(o.budget, o.workers); err != nil {
		return err
	}
	if err := checkPlots("plot", o.plot, "staircase", o.staircase); err != nil {
		return err
	}
	if err := checkFiles(cmd, configFiles(o.stairConfig), written{"output", o.output}, written{"plot", o.plot},
		written{"staircase", o.staircase}, written{"keep-points", o.points}); err != nil {
		return err
	}
	if _, err := keptPoints.rows(o.points); err != nil {
		return err
	}
	if o.claims {
		return o.runClaims(cmd)
	}
	rows, err := o.choose()
	if err != nil {
		return err
	}
	if o.list {
		return writeReport(cmd, o.output, func(out *reportFile) error { return report.WriteList(out, rows) })
	}
	var results []validation.Result
	err = writeReport(cmd, o.output, func(out *reportFile) (err error) {
		var steps []validation.Step
		if results, steps, err = o.measure(cmd, rows); err != nil {
			return err
		}
		return o.write(out, results, steps)
	})
	if err != nil {
		return err
	}
	if err := keptPoints.add(o.points, kernelPoints(results)...); err != nil {
		return err
	}
	return o.verdict(cmd.Context(), results)
}

// measure runs the rows, after the staircase if asked for.
func (o *validateOptions) measure(cmd *cobra.Command, rows []*validation.Row) ([]validation.Result, []validation.Step, error) {
	ctx := cmd.Context()
	progress, done := validateProgress(cmd.ErrOrStderr())
	options := validation.Options{Workers: o.workers, Budget: uint64(o.budget * 1e6), Progress: progress}
	defer done()
	var steps []validation.Step
	if o.staircase != "" {
		var err error
		if steps, err = o.runStaircase(ctx, options); err != nil {
			return nil, nil, err
		}
	}
	return validation.Run(ctx, rows, options), steps, nil
}

// checkWork checks --budget and --jobs.
func checkWork(budget float64, workers int) error {
	if !(budget >= 0 && budget < 1e12) {
		return errors.New("--budget counts millions of warp instructions: give 0 for all, or more")
	}
	if workers < 1 {
		return errors.New("--jobs must be 1 or more")
	}
	return nil
}

// choose returns the rows that the arguments and flags select.
func (o *validateOptions) choose() ([]*validation.Row, error) {
	all, err := validation.Rows()
	if err != nil {
		return nil, err
	}
	groups := validation.Groups(all)
	for _, g := range o.groups {
		if !slices.Contains(groups, g) {
			return nil, fmt.Errorf("no group %q; there are %s (and --row for single rows)", g, strings.Join(groups, ", "))
		}
	}
	var rows []*validation.Row
	for _, r := range all {
		if (len(o.groups) == 0 || slices.Contains(o.groups, r.Group())) && (len(o.rows) == 0 || slices.ContainsFunc(o.rows, r.Matches)) &&
			(!o.quick || r.Quick) {
			changed := *r
			if changed.Overrides, err = withOverrides(r.Config, r.Overrides, o.overrides); err != nil {
				return nil, err
			}
			rows = append(rows, &changed)
		}
	}
	if len(rows) == 0 && o.staircase == "" {
		return nil, errors.New("no row is of that name; --list prints them all")
	}
	return rows, nil
}

// withOverrides returns a row's overrides of its board, followed by those of the command line.
func withOverrides(board string, own, further []string) ([]string, error) {
	if len(further) == 0 {
		return own, nil
	}
	all := append(slices.Clone(own), further...)
	if _, err := configs.Load(board, all); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return all, nil
}

// runStaircase runs the latency staircase.
func (o *validateOptions) runStaircase(ctx context.Context, options validation.Options) ([]validation.Step, error) {
	config, err := configs.Load(o.stairConfig, nil)
	if err != nil {
		return nil, err
	}
	steps, err := validation.Staircase(ctx, config, options)
	if err != nil {
		return nil, runFailure{err}
	}
	return steps, nil
}

// write writes the report and the plots.
func (o *validateOptions) write(out io.Writer, results []validation.Result, steps []validation.Step) error {
	if o.plot != "" {
		if err := report.WritePlot(o.plot, results); err != nil {
			return runFailure{err}
		}
	}
	if o.staircase != "" {
		if err := report.WriteStaircase(o.staircase, o.stairConfig, steps); err != nil {
			return runFailure{err}
		}
	}
	switch o.format {
	case "json":
		return report.WriteJSON(out, results, steps)
	case "csv":
		return report.WriteCSV(out, results)
	}
	if len(steps) > 0 {
		if err := report.WriteSteps(out, steps); err != nil {
			return err
		}
	}
	if len(results) == 0 {
		return nil
	}
	return report.WriteText(out, results)
}

// verdict returns the error for the results.
func (o *validateOptions) verdict(ctx context.Context, results []validation.Result) error {
	if ctx.Err() != nil {
		return runFailure{errors.New("interrupted: unfinished rows are printed as not run")}
	}
	bad := 0
	for i := range results {
		if s := results[i].Status; s == validation.Missed || s == validation.Failed {
			bad++
		}
	}
	if o.strict && bad > 0 {
		return runFailure{fmt.Errorf("%d rows failed or missed their tolerance (--strict)", bad)}
	}
	return nil
}

// validateProgress draws how many rows are done, and what was simulated, if the output is a terminal.
func validateProgress(out io.Writer) (progress func(validation.Progress), done func()) {
	if _, ok := terminalOf(out); !ok {
		return nil, func() {}
	}
	bar := progressbar.NewOptions(1, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	return func(p validation.Progress) {
		bar.ChangeMax(p.Total)
		bar.Describe(fmt.Sprintf("%.1f M warp instructions, %s", float64(p.Instructions)/1e6, p.Row))
		_ = bar.Set(p.Done) // a drawing error is no reason to stop
	}, func() { _ = bar.Finish() }
}
