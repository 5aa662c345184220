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

// Run has everything that a report says about one run.
type Run struct {
	Workload string // the workload's name
	File     string // the file that was run
	Config   string // the configuration's name
	// ConfigHash is the configuration's hash, Program the version and commit of keplersim; "" if unknown.
	ConfigHash, Program string
	// Overrides are overrides of the configuration, each KEY=VALUE.
	Overrides []string
	Notes     []string                  // assumptions, and warnings of loading
	Launches  []*stats.Launch           // in the order in which they ran
	More      *spill.List[stats.Launch] // the launches after them, in a run of thousands; nil for none
	Checks    []Check                   // comparisons of buffers with their expected contents
	// Incomplete says that work was left out to save time. Then buffers are not complete, and were not compared.
	Incomplete bool
	// Results are the buffers' final contents; nil if not asked for.
	Results []Result
	// Timeline is when calls and commands ran; nil if unknown.
	Timeline *Timeline
	// Power is the power of each device's board; nil if not asked for.
	Power   []*stats.Power
	Failure string // why the run ended early; "" if it did not
	// Checked is what --check looked for; the text then reports only that. Mistakes are the findings.
	Checked  finding.Set
	Mistakes []*finding.Finding
	// Baselined says that the findings were compared with those of an earlier run.
	Baselined bool
	// Color says that the text is for a terminal with colours.
	Color bool
	// Metrics are the names of the metrics to report, in the order of the glossary; nil means all. If set, the text reports only them.
	Metrics []string
	Host    Host
}

// All returns the launches, numbered from 0. Callers must not change them.
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

// Close frees the files that launches and intervals may be in.
func (r *Run) Close() error {
	err := r.More.Close()
	if r.Timeline != nil {
		err = errors.Join(err, r.Timeline.More.Close())
	}
	return err
}

// kept returns why launches or intervals could not be read back, nil if they could.
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

// metrics returns the definitions of the run's metrics.
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
	Mismatch *workload.Mismatch // nil if the buffer holds the expected content
}

// Result is a buffer's final content: the SHA-256 of its bytes, in hexadecimal.
type Result struct {
	Buffer string
	Bytes  int64
	SHA256 string
}

// Host is the cost of the simulation, the part of a report that differs from run to run.
type Host struct {
	Threads    int
	Wall       time.Duration // the whole run: loading, filling buffers, launches, checks
	PeakMemory uint64        // the most bytes of the process, 0 if unknown
}

// work is the simulation's work for all launches, on the host.
type work struct {
	executed uint64        // warp instructions
	wall     time.Duration // of all launches
}

// add adds a launch.
func (w *work) add(l *stats.Launch) {
	w.executed += l.Total.InstExecuted
	w.wall += l.Wall
}

// speed returns warp instructions per second.
func (w *work) speed() float64 {
	if seconds := w.wall.Seconds(); seconds > 0 {
		return float64(w.executed) / seconds
	}
	return 0
}

// values returns a launch's metrics that have a value.
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
