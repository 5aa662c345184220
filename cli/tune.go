package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/study"
)

// newTuneCommand finds the best point of a study's space.
func newTuneCommand() *cobra.Command {
	o := &sweepOptions{}
	goal := study.Tuning{}
	command := &cobra.Command{
		Use: "tune STUDY",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("tune takes one study; keplersim tune --help shows examples")
			}
			return nil
		},
	}
	command.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := study.Load(args[0])
		if err != nil {
			return err
		}
		how, done, err := o.open(cmd)
		if err != nil {
			return err
		}
		defer done()
		defer expectReport(cmd.Context())()
		tuned, err := s.Tune(cmd.Context(), goal, how)
		if err != nil && cmd.Context().Err() != nil {
			return runFailure{err}
		}
		if err != nil {
			return err
		}
		return writeTuned(cmd.OutOrStdout(), s, goal, tuned)
	}
	o.storeFlags(command)
	f := command.Flags()
	f.StringVar(&goal.Metric, "metric", "time_us", "the metric, as keplersim metrics lists them, or cycles or time_us")
	f.BoolVar(&goal.Most, "most", false, "more of the metric is better")
	f.IntVar(&goal.Budget, "budget", 100, "how many points may be looked at")
	f.IntVar(&goal.Keep, "keep", 3, "one candidate of so many goes on from each rung")
	f.Uint64Var(&goal.Seed, "seed", 1, "the seed of the sample")
	return command
}

// writeTuned prints the course of the search and its result.
func writeTuned(w io.Writer, s *study.Study, goal study.Tuning, t *study.Tuned) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%d of %d points looked at\n", t.Spent, t.Points)
	fmt.Fprintf(table, "candidates\tfiles\tbest %s\n", goal.Metric)
	for _, r := range t.Rungs {
		fmt.Fprintf(table, "%d\t%d\t%.6g\n", r.Candidates, r.Files, r.Best)
	}
	fmt.Fprintf(table, "\nbest: %s %.6g (geometric mean over %d files)\nboard\t%s\n", goal.Metric, t.Score, len(s.Files), t.Board)
	var set []string
	for i, a := range s.Axes {
		fmt.Fprintf(table, "%s\t%s\n", a.Name, t.Values[i])
		if strings.Contains(a.Name, ".") && !strings.HasPrefix(a.Name, "define.") {
			set = append(set, "--set "+a.Name+"="+t.Values[i])
		}
	}
	if t.Known {
		fmt.Fprintf(table, "regret\t%.2f %% (the whole space is known)\n", 100*t.Regret)
	}
	fmt.Fprintf(table, "\nkeplersim run --config %s %s FILE\n", t.Board, strings.Join(set, " "))
	return table.Flush()
}
