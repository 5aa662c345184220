package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// inTurn returns a function that writes reports one after another, with a comparison at the end.
func inTurn(one func(io.Writer, *Run) error) func(io.Writer, []*Run) error {
	return func(w io.Writer, runs []*Run) error { return textOfAll(w, runs, one) }
}

func textOfAll(w io.Writer, runs []*Run, one func(io.Writer, *Run) error) error {
	for i, r := range runs {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return fmt.Errorf("write the report: %w", err)
			}
		}
		if err := one(w, r); err != nil {
			return err
		}
	}
	all := make([]Saved, len(runs))
	for i, r := range runs {
		all[i] = saved(r)
		if len(all[i].Launches) == 0 || all[i].Launches[0].Functional {
			return nil // there are no times to compare
		}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return WriteComparison(w, "text", Compare(all, runs[0].Metrics))
}

// sourceOfAll writes source lines with the chip in front of each.
func sourceOfAll(w io.Writer, runs []*Run) error {
	out := csv.NewWriter(w)
	err := out.Write(append([]string{"config"}, sourceHead()...))
	for _, r := range runs {
		all := []string{r.Config}
		eachSourceLine(r, func(line []string) {
			all = append(all[:1], line...)
			err = errors.Join(err, out.Write(all))
		})
	}
	return flushed(out, err)
}

func csvOfAll(w io.Writer, runs []*Run) error { return writeCSV(w, runs) }

func jsonOfAll(w io.Writer, runs []*Run) error {
	if err := streamJSON(w, jsonRuns(runs)); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// jsonRuns is a list of reports; each is converted when it is written.
type jsonRuns []*Run

func (r jsonRuns) length() int { return len(r) }
func (r jsonRuns) depth() int  { return 2 } // as for a single report, which itself contains lists
func (r jsonRuns) all() iter.Seq[any] {
	return each(slices.All(r), func(run *Run) any { return runJSON(run) })
}

// saved converts a run to a report for a comparison, named by its chip.
func saved(r *Run) Saved {
	written := runJSON(r)
	s := Saved{Name: r.Config, Checks: written.Checks, Results: written.Results, Passed: &written.Passed, Failure: written.Failure}
	metrics := slices.DeleteFunc(r.metrics(), func(d stats.Definition) bool {
		return r.Metrics == nil && !slices.Contains(compared, d.Name) && !strings.HasPrefix(d.Name, "stall_")
	})
	kernels := map[string][]*keptLaunch{}
	for _, l := range r.All() {
		figures := timeless(l)
		known := kernels[l.Kernel]
		i := slices.IndexFunc(known, func(k *keptLaunch) bool { return k.equals(figures) })
		if i >= 0 {
			s.Launches = append(s.Launches, known[i].saved)
			continue
		}
		k := &keptLaunch{figures, savedLaunch(l, metrics)}
		s.Launches = append(s.Launches, k.saved)
		if len(known) == mostKept {
			known = slices.Delete(known, 0, 1)
		}
		kernels[l.Kernel] = append(known, k)
	}
	return s
}

// mostKept is how many different launches of a kernel are kept to find equal ones.
const mostKept = 8

// keptLaunch is a launch with its converted form.
type keptLaunch struct {
	figures *stats.Launch
	saved   *SavedLaunch
}

// timeless returns a launch without the fields that a comparison ignores, such as its times of day.
func timeless(l *stats.Launch) *stats.Launch {
	t := *l
	t.Number, t.Wall, t.StartUS, t.EndUS, t.FirstUS, t.LastUS = 0, 0, 0, 0, 0, 0
	t.SMXs, t.Source, t.Functions, t.Samples, t.Power = nil, nil, nil, nil, nil
	return &t
}

// equals reports whether a launch is equal to this one.
func (k *keptLaunch) equals(l *stats.Launch) bool {
	return k.figures.Cycles == l.Cycles && k.figures.Grid == l.Grid && k.figures.Total == l.Total && reflect.DeepEqual(k.figures, l)
}

// savedLaunch converts a launch for a comparison.
func savedLaunch(l *stats.Launch, metrics []stats.Definition) *SavedLaunch {
	s := &SavedLaunch{jsonLaunch: figuresJSON(l), Metrics: map[string]float64{}}
	for _, v := range values(l, metrics) {
		s.Metrics[v.Name] = v.value
	}
	return s
}
