package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
)

// failedRuns returns the error for a comparison with failed runs. It lists the failures unless the comparison shows them.
func failedRuns(c *report.Comparison, shown bool) error {
	switch {
	case len(c.Failures) == 0:
		return nil
	case shown:
		return runFailure{errors.New("a compared run failed (see above): its figures say nothing")}
	}
	return runFailure{errors.New("a compared run failed: " + strings.Join(c.Failures, "\n"))}
}

// slower returns an error that names the kernels that are slower in another report than in the first, by more than a percentage.
func slower(c *report.Comparison, most float64) error {
	var all []string
	for i := range c.Kernels {
		k := &c.Kernels[i]
		times := k.Times()
		for n := 1; n < len(times); n++ {
			if by := 100 * (times[n]/times[0] - 1); by > most {
				all = append(all, fmt.Sprintf("%s takes %.4g %% longer in %s", k.Name, by, c.Reports[n].Name))
			}
		}
	}
	if all == nil {
		return nil
	}
	return runFailure{fmt.Errorf("slower than --max-slowdown %g allows: %s", most, strings.Join(all, "; "))}
}

// newCompareCommand compares the reports of several runs.
func newCompareCommand() *cobra.Command {
	var metrics []string
	format, file, picture, slowdown := "text", "", "", math.Inf(1)
	command := &cobra.Command{
		Use: "compare REPORT.json REPORT.json...",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("compare takes at least two reports")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := report.CheckComparisonFormat(format); err != nil {
				return err
			}
			chosen, err := chooseMetrics(metrics, format)
			if err != nil {
				return err
			}
			read := slices.Clone(files)
			for i := range read {
				read[i], _, _ = cutRows(read[i])
			}
			if err := checkFiles(cmd, read, written{"output", file}, written{"plot", picture}); err != nil {
				return err
			}
			reports, err := readCompared(files)
			if err != nil {
				return err
			}
			if err := checkPlots("plot", picture); err != nil {
				return err
			}
			out, err := openOutput(cmd, file)
			if err != nil {
				return err
			}
			defer out.Close()
			comparison := report.Compare(reports, chosen)
			if err := report.WriteComparison(out, format, comparison); err != nil {
				return runFailure{err}
			}
			if picture != "" {
				if err := draw.BeforeAfter(picture, compared(comparison)); err != nil {
					return runFailure{err}
				}
			}
			return errors.Join(out.Commit(), failedRuns(comparison, format == "text" && file == ""), slower(comparison, slowdown))
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringSliceVar(&metrics, "metrics", nil, "show these metrics: names with commas between them, * for anything, all for all "+
		"(default: the telling ones)")
	f.StringVar(&format, "format", format, "text, csv or json")
	outputFlag(f, &file)
	f.Float64Var(&slowdown, "max-slowdown", slowdown, "fail if a kernel takes more than this percentage longer than in the first report "+
		"(default: never)")
	f.Lookup("max-slowdown").DefValue = "0" // pflag prints no default of 0
	f.StringVar(&picture, "plot", "", "draw each kernel's time in each report to this file, .svg, .png or .pdf")
	return command
}

// compared returns the figure for a comparison: each kernel's time in each report.
func compared(c *report.Comparison) *draw.Changes {
	figure := &draw.Changes{Axis: "time, µs"}
	for i := range c.Reports {
		figure.States = append(figure.States, c.Reports[i].Name)
	}
	figure.Title = strings.Join(figure.States, ", ")
	for i := range c.Kernels {
		row := draw.Change{Values: c.Kernels[i].Times()}
		row.Name, _, _ = strings.Cut(c.Kernels[i].Name, "(")
		if slices.ContainsFunc(row.Values, func(v float64) bool { return v > 0 }) {
			figure.Rows = append(figure.Rows, row)
		}
	}
	return figure
}
