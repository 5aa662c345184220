package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// ClockPoint is the time and energy of a run at one clock.
type ClockPoint struct {
	MHz     int     `json:"core_mhz"`
	TimeUS  float64 `json:"time_us"`
	Joules  float64 `json:"energy_j"`
	Watts   float64 `json:"average_w"`
	Flops   float64 `json:"-"` // floating-point operations
	PerWatt float64 `json:"gflops_per_w"`
}

// Delayed returns the energy-delay product in joule seconds.
func (p *ClockPoint) Delayed() float64 { return p.Joules * p.TimeUS * 1e-6 }

// ClockStudy is a run at every clock that a board can be set to.
type ClockStudy struct {
	Workload  string       `json:"workload"`
	Config    string       `json:"config"`
	MemoryMHz int          `json:"memory_mhz"`
	Points    []ClockPoint `json:"clocks"` // the lowest clock first
	Best      []ClockGoal  `json:"best"`
	Sustained *Sustained   `json:"sustained,omitempty"`
}

// ClockGoal is the clock that is best for a goal.
type ClockGoal struct {
	Goal string `json:"goal"`
	MHz  int    `json:"core_mhz"`
}

// Sustained is the board's state when the run is repeated for a long time.
type Sustained struct {
	Seconds     float64            `json:"seconds"`
	MHz         float64            `json:"core_mhz"`
	Lowest      int                `json:"lowest_core_mhz"`
	Highest     int                `json:"highest_core_mhz"`
	Watts       float64            `json:"average_w"`
	Limit       float64            `json:"limit_w"`
	Temperature float64            `json:"temperature_c"`
	Throttled   map[string]float64 `json:"throttle_reasons_s"`
	Runs        float64            `json:"runs_per_second"`
	Rate        float64            `json:"gflops"`
	PerWatt     float64            `json:"gflops_per_w"`
	throttled   string
}

// clockGoals are the goals, each with a measure to minimise.
var clockGoals = []struct {
	name    string
	measure func(*ClockPoint) float64
}{
	{"time", func(p *ClockPoint) float64 { return p.TimeUS }},
	{"energy", func(p *ClockPoint) float64 { return p.Joules }},
	{"energy-delay product", (*ClockPoint).Delayed},
}

// ClockPointOf returns the time and energy of a run's launches at a clock. If they ran at the same time, it takes the board's whole run.
func ClockPointOf(megahertz int, launches []*stats.Launch, board *stats.Power) ClockPoint {
	p := ClockPoint{MHz: megahertz}
	together := false
	for _, l := range launches {
		p.TimeUS += l.TimeUS
		p.Joules += l.Power.Energy()
		p.Flops += metric(l, "flop_count_sp") + metric(l, "flop_count_dp")
		together = together || l.Concurrent
	}
	if together {
		p.TimeUS, p.Joules = board.Seconds*1e6, board.Energy()
	}
	if p.TimeUS > 0 {
		p.Watts = p.Joules / (p.TimeUS * 1e-6)
	}
	if p.Joules > 0 {
		p.PerWatt = p.Flops / p.Joules / 1e9
	}
	return p
}

// FindBest fills Best from Points.
func (s *ClockStudy) FindBest() {
	for _, goal := range clockGoals {
		best := 0
		for i := range s.Points {
			if goal.measure(&s.Points[i]) < goal.measure(&s.Points[best]) {
				best = i
			}
		}
		s.Best = append(s.Best, ClockGoal{goal.name, s.Points[best].MHz})
	}
}

// Sustain fills Sustained from the board's steady state.
func (s *ClockStudy) Sustain(seconds, runs float64, settled *stats.Power) {
	flops := 0.0
	for i := range s.Points {
		flops = max(flops, s.Points[i].Flops)
	}
	out := &Sustained{
		Seconds: seconds, MHz: settled.MHz, Lowest: settled.Lowest, Highest: settled.Highest, Watts: settled.Average(),
		Limit:       settled.Limit,
		Temperature: settled.Temperature, Throttled: throttledSeconds(settled), Runs: runs, Rate: runs * flops / 1e9,
		throttled: throttled(settled),
	}
	out.PerWatt = out.Rate / out.Watts
	s.Sustained = out
}

// WriteClocks writes the study as text.
func WriteClocks(w io.Writer, s *ClockStudy) error {
	p := &printer{}
	p.line("%s on %s, memory at %d MHz", s.Workload, s.Config, s.MemoryMHz)
	p.line("")
	rows := [][]string{{"core MHz", "time", "power", "energy", "energy x time", "GFLOP/s/W", "best for"}}
	for i := range s.Points {
		point := &s.Points[i]
		var best []string
		for _, b := range s.Best {
			if b.MHz == point.MHz {
				best = append(best, b.Goal)
			}
		}
		rows = append(rows, []string{
			fmt.Sprint(point.MHz), microseconds(point.TimeUS), significant(point.Watts) + " W", joules(point.Joules),
			scaled(point.Delayed()*1e12, 1000, "pJs", "nJs", "µJs", "mJs", "Js"), significant(point.PerWatt), strings.Join(best, ", "),
		})
	}
	p.table(rows)
	if t := s.Sustained; t != nil {
		p.line("")
		p.line("repeated for %g s: %s MHz, %s W of %s allowed, %.0f °C; %s", t.Seconds, significant(t.MHz), significant(t.Watts),
			significant(t.Limit), t.Temperature, t.throttled)
		if t.Rate > 0 {
			p.line("  %s GFLOP/s, %s GFLOP/s/W", significant(t.Rate), significant(t.PerWatt))
		}
	}
	if _, err := io.WriteString(w, p.out.String()); err != nil {
		return fmt.Errorf("write the study of clocks: %w", err)
	}
	return nil
}
