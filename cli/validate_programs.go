package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation/programs"
)

// programOptions are the flags of keplersim validate programs.
type programOptions struct {
	sources     string
	rows        []string
	blind, list bool
	overrides   []string
	untimed     bool // also rows without a measured time
	budget      float64
	workers     int
	output      string
	plot        string
	keep        string // a file of errors by kind, which reports quote
	points      string // a file of times by what distinguishes rows, which reports quote
}

// defaultProgramBudget is the default size of a launch, in millions of warp instructions.
const defaultProgramBudget = 20

// newValidateProgramsCommand compares with published measurements of other projects' programs.
func newValidateProgramsCommand() *cobra.Command {
	var o programOptions
	command := &cobra.Command{
		Use:  "programs [--sources FOLDER]",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := command.Flags()
	f.StringVar(&o.sources, "sources", "", "the folder with the checkouts")
	f.StringArrayVar(&o.rows, "row", nil, "run only rows of this name; * and ? stand for anything (may be repeated)")
	f.BoolVar(&o.blind, "blind", false, "run the blind half too, and sum up both side by side")
	f.BoolVar(&o.list, "list", false, "list the rows with their programs and sources and run nothing")
	f.Float64Var(&o.budget, "budget", defaultProgramBudget, "run launches of at most so many million warp instructions; 0 runs all, "+
		"which takes hours")
	f.StringArrayVar(&o.overrides, "set", nil, overridesUsage)
	f.IntVar(&o.workers, "jobs", runtime.NumCPU(), "rows that run at once")
	outputFlag(f, &o.output)
	f.StringVar(&o.plot, "plot", "", "plot our times against theirs, card by card, to this file, .svg, .png or .pdf")
	f.StringVar(&o.keep, "keep-errors", "", "write each row's kind and error to this file, as reports quote them (report/errors.csv)")
	f.StringVar(&o.points, "keep-points", "", keepPointsUsage)
	return command
}

// overridesUsage is the help of --set.
const overridesUsage = "override a key of all boards, as in load_store.in_turn=false: what a mechanism of the model buys (may be repeated)"

// keepPointsUsage is the help of --keep-points.
const keepPointsUsage = "write each row's times and what sets it apart from others to this file, by which comparisons judge " +
	"differences (report/points.csv)"

// run runs the command.
func (o *programOptions) run(cmd *cobra.Command) error {
	if err := checkWork(o.budget, o.workers); err != nil {
		return err
	}
	if err := checkPlots("plot", o.plot); err != nil {
		return err
	}
	rows, err := o.choose()
	if err != nil {
		return err
	}
	if err := o.checkOutputs(cmd, rows); err != nil {
		return err
	}
	if o.list {
		return writeReport(cmd, o.output, func(out *reportFile) error { return listPrograms(out, rows) })
	}
	if _, err := keptErrors.rows(o.keep); err != nil {
		return err
	}
	if _, err := keptPoints.rows(o.points); err != nil {
		return err
	}
	var results []programs.Result
	err = writeReport(cmd, o.output, func(out *reportFile) error {
		if results, err = o.measure(cmd, rows, out); err != nil {
			return err
		}
		return o.write(out, results)
	})
	if err != nil {
		return err
	}
	if err := plotTimes(o.plot, results); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return runFailure{errors.New("interrupted: unfinished rows are printed as not run")}
	}
	failed := 0
	for i := range results {
		if results[i].Status == programs.Failed {
			failed++
		}
	}
	if failed > 0 {
		return runFailure{fmt.Errorf("%d rows failed", failed)}
	}
	return nil
}

// checkOutputs checks that no output overwrites a program.
func (o *programOptions) checkOutputs(cmd *cobra.Command, rows []*programs.Row) error {
	var inputs []string
	for _, r := range rows {
		inputs = append(inputs, r.Inputs(o.sources)...)
	}
	slices.Sort(inputs)
	return checkFiles(cmd, slices.Compact(inputs), written{"output", o.output}, written{"plot", o.plot}, written{"keep-errors", o.keep},
		written{"keep-points", o.points})
}

// measure runs the rows. It prints each one when it and those before it are done, and stores its error at once.
func (o *programOptions) measure(cmd *cobra.Command, rows []*programs.Row, out io.Writer) ([]programs.Result, error) {
	var bar *progressbar.ProgressBar
	if _, ok := terminalOf(cmd.ErrOrStderr()); ok {
		bar = progressbar.NewOptions(
			len(rows), progressbar.OptionSetWriter(cmd.ErrOrStderr()), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
		)
	}
	table := newProgramTable(out, rows)
	done, printed, failure := make([]*programs.Result, len(rows)), 0, table.head()
	options := programs.Options{Sources: o.sources, Workers: o.workers, Budget: o.budget * 1e6}
	options.Done = func(place int, r *programs.Result) {
		if bar != nil {
			_ = bar.Add(1) // a drawing error is no reason to stop
		}
		failure = cmp.Or(failure, o.keepRow(r))
		done[place] = r
		for ; printed < len(done) && done[printed] != nil; printed++ {
			failure = cmp.Or(failure, table.row(done[printed]))
		}
	}
	results := programs.Run(cmd.Context(), rows, options)
	return results, failure
}

// keepRow stores what reports quote about a row that ran.
func (o *programOptions) keepRow(r *programs.Result) error {
	if r.Status != programs.Ran {
		return nil
	}
	if err := keptPoints.add(o.points, pointRow(r)); err != nil || r.Row.Kernel.Ranks {
		return err
	}
	return keptErrors.add(o.keep, errorRow(r))
}

// plotTimes draws the times of rows that ran; nothing without a file name.
func plotTimes(name string, results []programs.Result) error {
	if name == "" {
		return nil
	}
	var times []validation.Time
	for i := range results {
		if r := &results[i]; r.Status == programs.Ran && !r.Row.Kernel.Ranks {
			times = append(times, validation.Time{
				Board: r.Row.Config, Chip: r.Launch.Chip.Name, Theirs: r.Row.Measured.Microseconds, Ours: r.Microseconds(),
			})
		}
	}
	if err := validation.WriteTimes(name, times); err != nil {
		return runFailure{err}
	}
	return nil
}

// errorRow returns a row's error in the form that reports quote.
func errorRow(r *programs.Result) report.ErrorRow {
	return report.ErrorRow{
		Name: r.Row.Name, Program: r.Row.Application(), Chip: r.Launch.Chip.Name, Set: strings.Join(r.Row.Overrides, " "),
		Kind: report.KindOf(r.Launch), Error: r.Error(),
	}
}

// choose returns the rows that the flags select.
func (o *programOptions) choose() ([]*programs.Row, error) {
	all, err := programs.Rows()
	if err != nil {
		return nil, err
	}
	if o.untimed {
		logged, err := programs.RegisterRows()
		if err != nil {
			return nil, err
		}
		all = append(all, logged...)
	}
	var rows []*programs.Row
	for _, r := range all {
		wanted := len(o.rows) == 0 || slices.ContainsFunc(o.rows, r.Matches)
		if wanted && (r.Timed() || o.list || o.untimed) && (o.blind || o.list || !r.Blind()) {
			changed := *r
			if changed.Overrides, err = withOverrides(r.Config, r.Overrides, o.overrides); err != nil {
				return nil, err
			}
			rows = append(rows, &changed)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("no row is of that name; --list prints them all, and rows of the blind half run with --blind alone")
	}
	return rows, nil
}

// listPrograms writes the rows with their sources.
func listPrograms(out io.Writer, rows []*programs.Row) error {
	var last *programs.Program
	for _, r := range rows {
		if r.Program != last {
			last = r.Program
			fmt.Fprintf(out, "%s: github.com/%s at %s\n  %s; %s\n", last.Name, last.Repository, last.Commit, last.Source, last.Method)
		}
		half := halfOf(r)
		figure := fmt.Sprintf("%10.5g us", r.Measured.Microseconds)
		if !r.Timed() {
			figure = fmt.Sprintf("%10g registers", r.Measured.Registers)
		}
		if _, err := fmt.Fprintf(out, "    %-60s %-5s %s\n", r.Name, half, figure); err != nil {
			return err
		}
	}
	return nil
}

// write writes the summary of the rows.
func (o *programOptions) write(out io.Writer, results []programs.Result) error {
	fmt.Fprintln(out)
	sums := programs.ByProgram(results)
	sums = append(sums, programs.ByKind(results)...)
	seen, blind := programs.Halves(results)
	sums = append(sums, seen)
	weighed := []programs.Weighed{programs.Weigh("seen", results, false)}
	if o.blind {
		sums = append(sums, blind)
		weighed = append(weighed, programs.Weigh("blind", results, true))
	}
	if err := writeProgramSummaries(out, sums); err != nil {
		return err
	}
	return writeWeighed(out, weighed)
}

// writeWeighed writes the errors of times with equal weight for each program, and names the programs with large errors.
func writeWeighed(out io.Writer, list []programs.Weighed) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nEACH PROGRAM ONCE\tPROGRAMS\tMEAN\tBIAS\tABOVE 25 %\t")
	for _, w := range list {
		var above []string
		for _, s := range w.Above {
			above = append(above, fmt.Sprintf("%s (%.1f %%)", s.Name, s.Mean))
		}
		fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%+.1f %%\t%s\t\n", w.Name, w.Programs, w.Mean, w.Bias,
			cmp.Or(strings.Join(above, ", "), "none"))
	}
	return table.Flush()
}

// programTable prints rows one by one, in columns of fixed width.
type programTable struct {
	out    io.Writer
	format string
}

func newProgramTable(out io.Writer, rows []*programs.Row) *programTable {
	longest := 0
	for _, r := range rows {
		longest = max(longest, len(r.Name))
	}
	return &programTable{out, fmt.Sprintf("%%-%ds  %%-5s  %%-10s  %%-10s  %%-9s  %%-9s  %%-11s  %%s", longest)}
}

func (t *programTable) head() error {
	return t.print("ROW", "HALF", "THEIRS", "OURS", "ERROR", "REGISTERS", "LOCAL BYTES", "INSTRUCTIONS")
}

// row prints theirs and ours in microseconds, then figures of the compiler and the counters, theirs and ours.
func (t *programTable) row(r *programs.Result) error {
	m := r.Row.Measured
	theirs := fmt.Sprintf("%.5g", m.Microseconds)
	if r.Status != programs.Ran {
		return t.print(r.Row.Name, halfOf(r.Row), theirs, "", fmt.Sprintf("%s: %s", r.Status, firstLine(r.Reason)), "", "", "")
	}
	registers, local, instructions := fmt.Sprint("- ", r.Launch.Registers), fmt.Sprint("- ", r.Launch.LocalBytes), ""
	if m.Registers > 0 {
		registers = fmt.Sprint(m.Registers, " ", r.Launch.Registers)
	}
	if m.Local != nil {
		local = fmt.Sprint(*m.Local, " ", r.Launch.LocalBytes)
	}
	if m.Instructions > 0 {
		instructions = fmt.Sprintf("%+.1f %%", 100*(float64(r.Launch.Total.InstExecuted)/r.Row.Part/m.Instructions-1))
	}
	return t.print(r.Row.Name, halfOf(r.Row), theirs, fmt.Sprintf("%.5g", r.Microseconds()), fmt.Sprintf("%+.1f %%", r.Error()), registers,
		local, instructions)
}

func (t *programTable) print(columns ...any) error {
	_, err := fmt.Fprintln(t.out, strings.TrimRight(fmt.Sprintf(t.format, columns...), " "))
	return err
}

// writeProgramSummaries writes summaries of the times, the tuning spaces, the counters and the compiler.
func writeProgramSummaries(out io.Writer, sums []programs.Summary) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TIME\tROWS\tNOT RUN\tFAILED\tMEAN\tMEDIAN\tWORST\tBIAS\tCORRELATION\tOF RANKS\t")
	for _, s := range sums {
		if s.Rows == s.NotRun+s.Failed {
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t\n", s.Name, s.Rows, s.NotRun, s.Failed)
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%+.1f %%\t%s\t%s\t%s\n", s.Name, s.Rows, s.NotRun, s.Failed, s.Mean,
			s.Median, s.Worst, s.Bias,
			coefficient(s.Correlation), coefficient(s.RankCorrelation), s.WorstRow)
	}
	fmt.Fprintln(table, "\nCOUNTER\tROWS\tMEAN\tBIAS\t")
	for _, s := range sums {
		for _, c := range s.Counters {
			fmt.Fprintf(table, "%s, %s\t%d\t%.1f %%\t%+.1f %%\t\n", s.Name, c.Name, c.Rows, c.Mean, c.Bias)
		}
		if s.RegisterOf > 0 {
			fmt.Fprintf(table, "%s, registers within 4\t%d\t%d\t\t\n", s.Name, s.RegisterOf, s.Registers)
		}
		if s.SpillsOf > 0 {
			fmt.Fprintf(table, "%s, local memory where nvcc has it\t%d\t%d\t\t\n", s.Name, s.SpillsOf, s.Spills)
		}
	}
	fmt.Fprintln(table, "\nTUNING SPACE\tROWS\tMEAN\tREGRET\tOF RANKS\t")
	for _, s := range sums {
		for _, space := range s.Spaces {
			fmt.Fprintf(table, "%s, %s\t%d\t%.1f %%\t%.1f %%\t%s\t\n", s.Name, space.Name, space.Rows, space.Mean, space.Regret,
				coefficient(space.RankCorrelation))
		}
	}
	return table.Flush()
}

// coefficient formats a correlation; a dash if there is none.
func coefficient(c float64) string {
	if math.IsNaN(c) {
		return "-"
	}
	return fmt.Sprintf("%.3f", c)
}

// halfOf returns the half that a row belongs to.
func halfOf(r *programs.Row) string {
	if r.Blind() {
		return "blind"
	}
	return "seen"
}
