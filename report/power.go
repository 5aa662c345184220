package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// powerOf returns the board's power during a launch in one line; "" if the run has no power model.
func powerOf(l *stats.Launch) string {
	p := l.Power
	if p == nil {
		return ""
	}
	text := fmt.Sprintf("%s W on average, %s at most, at %s; %s", significant(p.Average()), significant(p.Peak), clockRange(p),
		joules(p.Energy()))
	if each := perWatt(l, p); each > 0 {
		text += fmt.Sprintf(", %s/W", flops(each))
	}
	return text
}

// perWatt returns a launch's floating-point operations per joule, which is its rate per watt.
func perWatt(l *stats.Launch, p *stats.Power) float64 {
	if p.Energy() == 0 {
		return 0
	}
	return (metric(l, "flop_count_sp") + metric(l, "flop_count_dp")) / p.Energy()
}

// clockRange returns the time-weighted core clock, with the lowest and the highest if it changed.
func clockRange(p *stats.Power) string {
	text := fmt.Sprintf("%.0f MHz", p.MHz)
	if p.Lowest != p.Highest {
		text += fmt.Sprintf(" (%d to %d)", p.Lowest, p.Highest)
	}
	return text
}

func joules(j float64) string { return scaled(j*1e9, 1000, "nJ", "µJ", "mJ", "J", "kJ") }

// power writes the boards' power over the run.
func (p *printer) power(boards []*stats.Power) {
	for n, board := range boards {
		name := "Power"
		if len(boards) > 1 {
			name = fmt.Sprintf("Power of device %d", n)
		}
		p.wrapped("", fmt.Sprintf("%s: %s W on average, %s at most, of %s allowed; %s in %s", name, significant(board.Average()),
			significant(board.Peak), significant(board.Limit), joules(board.Energy()), microseconds(board.Seconds*1e6)))
		p.wrapped("  ", fmt.Sprintf("core clock %s over the time, %.1f °C at the end; %s", clockRange(board), board.Temperature,
			throttled(board)))
		rows := [][]string{{"component", "W", "of all", "energy"}}
		for c, j := range board.Joules {
			if j > 0 {
				rows = append(rows, []string{stats.PowerComponent(c).String(), significant(j / board.Seconds), percent(j / board.Energy()),
					joules(j)})
			}
		}
		p.table(rows)
		p.line("")
	}
}

// WritePower writes the boards' power as the text report does; nothing without a power model.
func WritePower(w io.Writer, boards []*stats.Power) error {
	p := &printer{}
	p.power(boards)
	_, err := io.WriteString(w, p.out.String())
	return err
}

// throttled says what kept the clock down, and for how much of the time.
func throttled(p *stats.Power) string {
	var list []string
	for i, reason := range stats.ThrottleReasons() {
		if seconds := p.Throttled[i]; seconds > 0 {
			list = append(list, fmt.Sprintf("%s %s of the time", strings.Join(reason.Names(), ""), percent(seconds/p.Seconds)))
		}
	}
	if list == nil {
		return "the clock was not held down"
	}
	return "clock held by " + strings.Join(list, ", ")
}

// throttledSeconds returns how long each reason kept the clock down.
func throttledSeconds(p *stats.Power) map[string]float64 {
	all := map[string]float64{}
	for i, reason := range stats.ThrottleReasons() {
		if p.Throttled[i] > 0 {
			all[reason.Names()[0]] = p.Throttled[i]
		}
	}
	return all
}

// jsonPower is a board's power over a run or a launch.
type jsonPower struct {
	Seconds     float64            `json:"seconds"`
	Average     float64            `json:"average_w"`
	Peak        float64            `json:"peak_w"`
	Limit       float64            `json:"limit_w"`
	Energy      float64            `json:"energy_j"`
	Components  map[string]float64 `json:"energy_by_component_j"`
	PerWatt     *float64           `json:"gflops_per_w,omitempty"`
	MHz         float64            `json:"core_mhz"`
	Lowest      int                `json:"lowest_core_mhz"`
	Highest     int                `json:"highest_core_mhz"`
	Temperature float64            `json:"temperature_c"`
	Throttled   map[string]float64 `json:"throttle_reasons_s"`
	Samples     []jsonPowerSample  `json:"samples,omitempty"`
}

// jsonPowerSample is a board's state over a piece of the run.
type jsonPowerSample struct {
	Start       float64            `json:"start_us"`
	End         float64            `json:"end_us"`
	Watts       float64            `json:"w"`
	Components  map[string]float64 `json:"by_component_w"`
	MHz         float64            `json:"core_mhz"`
	Temperature float64            `json:"temperature_c"`
	Reasons     []string           `json:"throttle_reasons"`
}

// powerJSON returns nil if power was not asked for; l is nil for a whole run.
func powerJSON(p *stats.Power, l *stats.Launch) *jsonPower {
	if p == nil {
		return nil
	}
	out := &jsonPower{
		Seconds: p.Seconds, Average: p.Average(), Peak: p.Peak, Limit: p.Limit, Energy: p.Energy(), Components: byComponent(p.Joules),
		MHz: p.MHz, Lowest: p.Lowest, Highest: p.Highest, Temperature: p.Temperature, Throttled: throttledSeconds(p),
	}
	if l != nil {
		each := perWatt(l, p) / 1e9
		out.PerWatt = &each
	}
	for i := range p.Samples {
		s := &p.Samples[i]
		out.Samples = append(out.Samples, jsonPowerSample{
			Start: s.Start, End: s.End, Watts: s.Total(), Components: byComponent(s.Watts), MHz: s.MHz, Temperature: s.Temperature,
			Reasons: list(s.Reasons.Names()),
		})
	}
	return out
}

func byComponent(values [stats.PowerComponents]float64) map[string]float64 {
	all := map[string]float64{}
	for c, v := range values {
		all[stats.PowerComponent(c).Key()] = v
	}
	return all
}

func powersJSON(boards []*stats.Power) (all []*jsonPower) {
	for _, p := range boards {
		all = append(all, powerJSON(p, nil))
	}
	return all
}
