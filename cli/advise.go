package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report/advise"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/sim/stats"
)

// newAdviseCommand reports what each limit costs a kernel.
func newAdviseCommand() *cobra.Command {
	var run *kernelRun
	var format, output, picture string
	command := &cobra.Command{
		Use:  "advise FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--format %s: choose one of text, json", format)
			}
			if err := checkPlots("plot", picture); err != nil {
				return err
			}
			run.targets = []written{{"output", output}, {"plot", picture}}
			if err := checkFiles(cmd, host.FilesOf(args[0], run.link, run.config), run.targets...); err != nil {
				return err
			}
			return writeReport(cmd, output, func(out *reportFile) error {
				advice, err := run.advise(cmd, args[0])
				if err != nil {
					return err
				}
				if picture != "" {
					if err := draw.BeforeAfter(picture, advised(advice)); err != nil {
						return runFailure{err}
					}
				}
				if format == "json" {
					return advice.JSON(out)
				}
				return advice.Text(out)
			})
		},
	}
	run = newKernelRun(command)
	command.Flags().StringVar(&format, "format", "text", "text or json")
	command.Flags().StringVar(&picture, "plot", "", "draw the time with and without each limit to this file, .svg, .png or .pdf")
	outputFlag(command.Flags(), &output)
	return command
}

// advised returns the figure for advice: the time as it is and without each limit.
func advised(a *advise.Advice) *draw.Changes {
	c := &draw.Changes{Title: strings.Join(a.Kernels, ", ") + " on " + a.Config, Axis: "time, µs", States: []string{"as it is",
		"without the limit"}}
	for _, g := range append(slices.Clone(a.Gains), a.All) {
		c.Rows = append(c.Rows, draw.Change{Name: g.Name, Values: []float64{a.TimeUS, g.TimeUS}})
	}
	return c
}

// advise measures the cost of each limit.
func (o *kernelRun) advise(cmd *cobra.Command, path string) (*advise.Advice, error) {
	config := ""
	bar := newProgress(cmd.ErrOrStderr())
	defer bar.close()
	advice, err := advise.Measure(func(overrides ...string) ([]*stats.Launch, error) {
		job, err := o.open(cmd, path, func(h *host.Options) {
			h.Overrides = slices.Concat(h.Overrides, overrides)
			h.Simulator.Progress = bar.show()
		})
		if err != nil {
			return nil, err
		}
		if len(overrides) == 0 {
			config = job.Config.Name
		}
		result, err := job.Run(cmd.Context())
		if err != nil {
			return nil, runFailure{err}
		}
		if len(result.Mismatches) > 0 {
			return nil, runFailure{fmt.Errorf("%s", result.Mismatches[0])}
		}
		return result.Launches, nil
	})
	if err != nil {
		return nil, err
	}
	advice.Config = config
	return advice, nil
}
