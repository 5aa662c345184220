package report

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/keplersim/keplersim/internal/spill"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/workload"
)

// Run is all that a report tells of one run.
type Run struct {
	Workload string // its name
	File     string // that was run
	Config   string // the configuration's name
	// ConfigHash is that of the configuration, Program the version and commit of keplersim; "" where they are not known.
	ConfigHash, Program string
	// Overrides are those of the configuration's keys, each KEY=VALUE.
	Overrides []string
	Notes     []string                  // what was made up, warnings of loading
	Launches  []*stats.Launch           // in the order in which they ran
	More      *spill.List[stats.Launch] // those behind them, of a run of thousands; nil for none
	Checks    []Check                   // the buffers that were compared with what is expected
	// Incomplete: work was left out, for time alone; nothing was compared, and buffers hold what some of it has computed.
	Incomplete bool
	// Results are what the buffers held in the end; nil where nobody asked.
	Results []Result
	// Timeline is what happened when; nil where it is not known.
	Timeline *Timeline
	// Power is what each device's board took; nil where nobody asked.
	Power   []*stats.Power
	Failure string // why the run ended before its end; "" if it did not
	// Checked is what the run looked for (--check); the text then tells of that alone. Mistakes are what it found.
	Checked  finding.Set
	Mistakes []*finding.Finding
	// Baselined tells that mistakes were compared with those of an earlier run.
	Baselined bool
	// Color is whether the text takes colours, for a terminal.
	Color bool
	// Metrics are those to tell of, by name, in the order of the glossary; nil is all of them. The text then has them alone.
	Metrics []string
	Host    Host
}

// All returns the launches with their numbers from 0. Nobody changes them.
func (r *Run) All() iter.Seq2[int, *stats.Launch] {
	return func(yield func(int, *stats.Launch) bool) {
		for i, l := range r.Launches {
			if !yield(i, l) {
				return
			}
		}
		for i, l := range r.More.All() {
			if !yield(len(r.Launches)+i, l) {
				return
			}
		}
	}
}

// Count returns the number of launches.
func (r *Run) Count() int { return len(r.Launches) + r.More.Len() }

// Close frees the files that launches and what happened may lie in.
func (r *Run) Close() error {
	err := r.More.Close()
	if r.Timeline != nil {
		err = errors.Join(err, r.Timeline.More.Close())
	}
	return err
}

// kept is why launches or what happened could not be read back, nil where they could.
func (r *Run) kept() error {
	err := r.More.Err()
	if r.Timeline != nil {
		err = errors.Join(err, r.Timeline.More.Err())
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// metrics are the definitions of the run's metrics.
func (r *Run) metrics() []stats.Definition {
	all := stats.Metrics()
	if r.Metrics == nil {
		return all
	}
	return slices.DeleteFunc(all, func(d stats.Definition) bool { return !slices.Contains(r.Metrics, d.Name) })
}

// Check is the comparison of one buffer.
type Check struct {
	Buffer   string
	Mismatch *workload.Mismatch // nil where the buffer holds what is expected
}

// Result is what a buffer held in the end: the SHA-256 of its bytes, in hexadecimal.
type Result struct {
	Buffer string
	Bytes  int64
	SHA256 string
}

// Host is what the simulation took: the part of a report that differs from run to run.
type Host struct {
	Threads    int
	Wall       time.Duration // the whole run: loading, filling buffers, launches, checks
	PeakMemory uint64        // bytes of the process at most, 0 where it is not known
}

// work is what the simulation of all launches did on the host.
type work struct {
	executed uint64        // warp instructions
	wall     time.Duration // of all launches
}

// add adds a launch.
func (w *work) add(l *stats.Launch) {
	w.executed += l.Total.InstExecuted
	w.wall += l.Wall
}

// speed is in warp instructions a second.
func (w *work) speed() float64 {
	if seconds := w.wall.Seconds(); seconds > 0 {
		return float64(w.executed) / seconds
	}
	return 0
}

// values are those of a launch's metrics that have a value.
func values(l *stats.Launch, metrics []stats.Definition) []value {
	var all []value
	for _, d := range metrics {
		if !d.Timed || !l.Functional {
			all = append(all, value{d, rounded(d.Value(l), d.Unit)})
		}
	}
	return all
}

// value is one metric of one launch.
type value struct {
	stats.Definition
	value float64
}
