package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/report/effects"
	"github.com/keplersim/keplersim/study"
)

// newSweepReportCommand analyses a study's table.
func newSweepReportCommand() *cobra.Command {
	var metric, against, output, page, picture string
	command := &cobra.Command{
		Use: "report TABLE.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("sweep report takes one table; keplersim sweep -o TABLE.csv writes one")
			}
			return nil
		},
	}
	most := command.Flags().Bool("most", false, "more of the metric is better")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkPlots("plot", picture); err != nil {
			return err
		}
		file, err := os.Open(args[0])
		if err != nil {
			return fmt.Errorf("open the table: %w", err)
		}
		defer file.Close()
		table, err := study.ReadTable(file)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		a, err := effects.New(table, metric, against, *most)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if err := checkFiles(cmd, args, written{"output", output}, written{"html", page},
			written{"plot", picture}); err != nil {
			return err
		}
		if page != "" {
			if err := a.WritePage(page); err != nil {
				return runFailure{fmt.Errorf("--html %s: %w", page, err)}
			}
		}
		if picture != "" {
			if err := draw.BeforeAfter(picture, gainChart(a)); err != nil {
				return runFailure{fmt.Errorf("--plot %s: %w", picture, err)}
			}
		}
		return writeReport(cmd, output, func(out *reportFile) error { return a.Text(out) })
	}
	f := command.Flags()
	f.StringVar(&metric, "metric", "", "the metric, a column of the table (default: the first)")
	f.StringVar(&against, "against", "", "a second metric, for the Pareto front")
	f.StringVar(&page, "html", "", "write a page with plots to this file")
	f.StringVar(&picture, "plot", "", "draw each workload's first and best point to this file, .svg, .png or .pdf")
	outputFlag(f, &output)
	return command
}

// gainChart returns the chart of a study: the metric of each workload at its first point in the table, and at its best.
func gainChart(a *effects.Analysis) *draw.Changes {
	c := &draw.Changes{Title: "What the study gains", Axis: a.Metric, States: []string{"first point", "best point"}}
	for _, g := range a.Gains() {
		c.Rows = append(c.Rows, draw.Change{Name: cmp.Or(g.Workload, a.Metric), Values: []float64{g.First, g.Best}})
	}
	return c
}
