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

// inTurn writes reports one after another, with a comparison at the end.
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
			return nil // no times to compare
		}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return WriteComparison(w, "text", Compare(all, runs[0].Metrics))
}

// sourceOfAll puts the chip before each line.
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

// jsonRuns is a list of reports, each made when it is written.
type jsonRuns []*Run

func (r jsonRuns) length() int { return len(r) }
func (r jsonRuns) depth() int  { return 2 } // as one report alone, which holds lists of its own
func (r jsonRuns) all() iter.Seq[any] {
	return each(slices.All(r), func(run *Run) any { return runJSON(run) })
}

// saved returns a run as a comparison takes it, called by its chip.
func saved(r *Run) Saved {
	written := runJSON(r)
	s := Saved{Name: r.Config, Checks: written.Checks, Results: written.Results, Passed: &written.Passed, Failure: written.Failure}
	metrics := slices.DeleteFunc(r.metrics(), func(d stats.Definition) bool {
		return r.Metrics == nil && !slices.Contains(compared, d.Name) && !strings.HasPrefix(d.Name, "stall_")
	})
	kernels := map[string][]*likeLaunch{}
	for _, l := range r.All() {
		figures := timeless(l)
		known := kernels[l.Kernel]
		i := slices.IndexFunc(known, func(k *likeLaunch) bool { return k.like(figures) })
		if i >= 0 {
			s.Launches = append(s.Launches, known[i].saved)
			continue
		}
		k := &likeLaunch{figures, savedLaunch(l, metrics)}
		s.Launches = append(s.Launches, k.saved)
		if len(known) == mostLike {
			known = slices.Delete(known, 0, 1)
		}
		kernels[l.Kernel] = append(known, k)
	}
	return s
}

// mostLike is how many launches of a kernel that differ from each other the next is held against.
const mostLike = 8

// likeLaunch is a launch, and what a comparison takes of it.
type likeLaunch struct {
	figures *stats.Launch
	saved   *SavedLaunch
}

// timeless returns a launch without what a comparison does not look at, such as when it was.
func timeless(l *stats.Launch) *stats.Launch {
	t := *l
	t.Number, t.Wall, t.StartUS, t.EndUS, t.FirstUS, t.LastUS = 0, 0, 0, 0, 0, 0
	t.SMXs, t.Source, t.Functions, t.Samples, t.Power = nil, nil, nil, nil, nil
	return &t
}

// like reports that a launch differs in nothing from this one.
func (k *likeLaunch) like(l *stats.Launch) bool {
	return k.figures.Cycles == l.Cycles && k.figures.Grid == l.Grid && k.figures.Total == l.Total && reflect.DeepEqual(k.figures, l)
}

// savedLaunch returns what a comparison takes of a launch.
func savedLaunch(l *stats.Launch, metrics []stats.Definition) *SavedLaunch {
	s := &SavedLaunch{jsonLaunch: figuresJSON(l), Metrics: map[string]float64{}}
	for _, v := range values(l, metrics) {
		s.Metrics[v.Name] = v.value
	}
	return s
}
