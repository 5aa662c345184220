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
		Use:   "tune STUDY",
		Short: "Find the best point of a study's space without running all of it",
		Long: `Find the board and the axis values of a study for which a metric is least, or with --most greatest, within a budget of points. The metric is
the geometric mean over the study's files.

The search is successive halving. A random sample of the candidates runs on one file or a few, the better third on more files, until
few candidates run on all. The last third of the budget walks from the best point to its neighbours on each axis while one is better.
With one file, the search is a random sample and these steps. The same seed gives the same result.

Results are kept as those of keplersim sweep, which --store shares. If the store has the whole space, the regret is printed: by what part
its best point is better than the one found.`,
		Example: `  keplersim tune study.yaml --metric time_us --budget 60
  keplersim tune study.yaml --metric ipc --most --budget 200 --seed 7`,
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
