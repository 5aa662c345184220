package exercise

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim/stats"
)

// DeviceTime is the metric for bounds on a whole run: the time from the first command to the end of the device's last, in microseconds.
const DeviceTime = "device_us"

// Energy is the metric for bounds on a launch's energy, in microjoules.
const Energy = "energy_uj"

// Known reports whether bounds can use a metric: one of keplersim metrics, a count of cycles (stats.CycleCounts), DeviceTime or Energy.
func Known(metric string) bool {
	_, counter := stats.Find(metric)
	_, cycles := stats.FindCycleCount(metric)
	return counter || cycles || metric == DeviceTime || metric == Energy
}

// Check is the result of one check of an answer.
type Check struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
	// Detail says what was found, and what was required.
	Detail string `json:"detail"`
	// Points are the points given, out of Of.
	Points float64 `json:"points"`
	Of     float64 `json:"max_points"`
	// Trust says how far the number can be trusted, "" if there is no number.
	Trust string `json:"trust,omitempty"`
	// Value is the measured metric.
	Value float64 `json:"-"`
	// Bound is the bound on it, nil for a check of the results.
	Bound *Bound `json:"-"`
}

// Grade is the grade of an answer.
type Grade struct {
	Exercise string `json:"exercise"`
	Passed   bool   `json:"passed"`
	// Points are the points given, out of Of.
	Points float64 `json:"points"`
	Of     float64 `json:"max_points"`
	Checks []Check `json:"checks"`
	// Error says why the answer did not run; File and Line say where.
	Error string `json:"error,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// Request returns the run of a cell with the PTX of an answer in place of its kernel, or with an answer's scheduler.
func (c *Cell) Request(ptx string) *engine.Request {
	q := &engine.Request{Files: map[string]string{"kernel.ptx": ptx, "workload.yaml": c.Workload}, Run: "workload.yaml"}
	if c.Fixed != nil {
		q.Files["kernel.ptx"], q.Scheduler = c.Fixed.PTX, ptx
	}
	return q
}

// Grade runs an answer, given as PTX, in place of its cell's kernel and checks it. An error is the host's own.
func (e *Exercise) Grade(ctx context.Context, c *Cell, ptx string, limits engine.Limits) (*Grade, error) {
	if limits.Time > 0 { // for all runs together
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limits.Time)
		defer cancel()
	}
	g := &Grade{Exercise: e.Name}
	defer func() { g.award(e.Points) }()
	if c.Fixed != nil && c.Fixed.PTX == "" {
		compiled, err := engine.Compile(ctx, c.Fixed.Text)
		if err != nil {
			return nil, fmt.Errorf("the kernel of cell %s: %w", c.Name, err)
		}
		c.Fixed.PTX = compiled
	}
	q := c.Request(ptx)
	q.Power = slices.ContainsFunc(e.Bounds, func(b Bound) bool { return b.Metric == Energy })
	r, err := engine.Run(ctx, q, limits)
	if err != nil {
		return nil, err
	}
	g.Error, g.File, g.Line = r.Error, r.File, r.Line
	if r.Error != "" && len(r.Launches) == 0 {
		g.add(Check{Name: "runs", Detail: r.Error})
		return g, nil
	}
	g.add(Check{Name: "runs", Passed: r.Error == "", Detail: cmp.Or(strings.TrimSpace(r.Error), "it ran to its end")})
	result := "the buffers hold what is expected"
	if r.Error != "" {
		result = "nothing to compare: it did not run to its end"
	}
	wrong := strings.TrimSpace(strings.Join(r.Wrong, "\n"))
	g.add(Check{Name: "result", Passed: len(r.Wrong) == 0 && r.Error == "", Detail: cmp.Or(wrong, result)})
	if e.Races {
		q.Check = true
		checked, err := engine.Run(ctx, q, limits)
		if err != nil {
			return nil, err
		}
		found := strings.TrimSpace(strings.Join(append(firstFew(checked.Findings), checked.Error), "\n"))
		g.add(Check{Name: "races", Passed: found == "", Detail: cmp.Or(found, "no races were found")})
	}
	e.bound(g, r)
	g.Passed = !slices.ContainsFunc(g.Checks, func(c Check) bool { return !c.Passed })
	return g, nil
}

// bound checks the exercise's bounds on a run.
func (e *Exercise) bound(g *Grade, r *engine.Response) {
	for i := range e.Bounds {
		b := &e.Bounds[i]
		kernel := cmp.Or(b.Kernel, e.Kernel)
		launch := r.Launch(kernel)
		if launch == nil {
			g.add(Check{Name: b.Metric, Detail: fmt.Sprintf("no kernel %s ran", kernel), Bound: b})
			continue
		}
		value, unit, trust := r.DeviceUS, " µs", counted
		timed := true
		if c, cycles := stats.FindCycleCount(b.Metric); cycles {
			value, unit = float64(c.Of(launch)), ""
		}
		if b.Metric == Energy && launch.Power != nil {
			value, unit = 1e6*launch.Power.Energy(), " µJ"
		}
		if d, known := stats.Find(b.Metric); known {
			value, unit, timed = d.Value(launch), "", d.Timed
			if d.Unit == stats.Percent {
				unit = " %"
			}
		}
		if b.Metric == Energy {
			timed, trust = false, "±15 % of published readings (docs/boost.md)"
		}
		if t, ok := report.TrustOf(launch); ok && timed {
			trust = fmt.Sprintf("±%.0f %% of a real card is typical", t.Typical)
			if t.Typical == 0 {
				trust = "no card was compared"
			}
		}
		check := func(passed bool, word string, to float64) {
			g.add(Check{Name: b.Metric, Passed: passed, Value: value, Trust: trust, Bound: b,
				Detail: fmt.Sprintf("%s%s, and %s than %s%s is asked", number(value), unit, word, number(to), unit)})
		}
		if b.Below != nil {
			check(value < *b.Below, "less", *b.Below)
		}
		if b.Above != nil {
			check(value > *b.Above, "more", *b.Above)
		}
	}
}

// counted is the trust of numbers that follow from the program's instructions and addresses alone.
const counted = "counted, not estimated"

func (g *Grade) add(c Check) { g.Checks = append(g.Checks, c) }

// firstFew returns the first findings and the number of further ones, because one mistake shows in many places.
func firstFew(findings []string) []string {
	const shown = 3
	if len(findings) <= shown {
		return findings
	}
	return append(findings[:shown:shown], fmt.Sprintf("and %d more", len(findings)-shown))
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// Submission is an answer with its exercise, as a page sends it.
type Submission struct {
	Cell     Cell     `json:"cell"`
	Exercise Exercise `json:"exercise"`
	PTX      string   `json:"ptx"`
}

// Grade grades the answer.
func (s *Submission) Grade(ctx context.Context, limits engine.Limits) (*Grade, error) {
	return s.Exercise.Grade(ctx, &s.Cell, s.PTX, limits)
}
