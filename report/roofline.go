package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report/roofline"
	"github.com/keplersim/keplersim/sim/stats"
)

// roofline writes a table of the chip's ceilings, how much of each the launch reached, and what memory allows its arithmetic.
func (p *printer) roofline(l *stats.Launch) {
	r := roofline.Of(l)
	if r == nil {
		return
	}
	precisions := r.Precisions()
	rows := [][]string{{"roofline", "ceiling", "reached"}}
	for _, precision := range precisions {
		prefix := ""
		if len(precisions) > 1 {
			prefix = precision.Name + " "
		}
		rows[0] = append(rows[0], prefix+"flop/byte", "allows")
		rows = append(rows, []string{
			precision.Name + " precision", flops(precision.Peak), percent(ratio(precision.Rate(r), precision.Peak)),
		})
	}
	for _, level := range r.Levels() {
		row := []string{level.Name, rate(level.Bandwidth), percent(level.Reached(r))}
		for _, precision := range precisions {
			row = append(row, significant(level.Intensity(precision)), flops(level.Allows(precision)))
		}
		rows = append(rows, row)
	}
	if len(rows) == 1 {
		return
	}
	p.table(rows)
	p.line("")
	if name, reached := r.Nearest(); name != "" {
		p.wrapped("  nearest ceiling: ", nearestRoof(r, name, reached))
		p.line("")
	}
}

// nearestRoof returns the meaning of the nearest ceiling.
func nearestRoof(r *roofline.Roofline, name string, reached float64) string {
	text := fmt.Sprintf("%s, %s of it reached", name, percent(reached))
	precisions := r.Precisions()
	if len(precisions) == 0 {
		return text + "; there is no floating-point arithmetic"
	}
	for _, level := range r.Levels() {
		if level.Name == name {
			p := precisions[0]
			return text + fmt.Sprintf("; at %s flop/byte it allows %s of the %s peak", significant(level.Intensity(p)),
				percent(ratio(level.Allows(p), p.Peak)), p.Name+"-precision")
		}
	}
	return text
}

// jsonRoofline is a launch under the ceilings of its chip, with a point for each precision and level of memory.
type jsonRoofline struct {
	roofline.Roofline
	Points  []jsonRooflinePoint `json:"points"`
	Nearest string              `json:"nearest_ceiling,omitempty"`
	Reached float64             `json:"nearest_reached"`
}

// jsonRooflinePoint is one point: operations per byte, operations per second, and the rate that the level allows at that intensity.
type jsonRooflinePoint struct {
	Precision string  `json:"precision"`
	Level     string  `json:"level"`
	Intensity float64 `json:"flop_per_byte"`
	Rate      float64 `json:"flops"`
	Allows    float64 `json:"allows_flops"`
	Reached   float64 `json:"reached"` // of the level's bandwidth, 0 to 1
}

func rooflineJSON(l *stats.Launch) *jsonRoofline {
	r := roofline.Of(l)
	if r == nil {
		return nil
	}
	out := &jsonRoofline{Roofline: *r, Points: []jsonRooflinePoint{}}
	out.Nearest, out.Reached = r.Nearest()
	out.Reached = rounded(out.Reached, stats.Ratio)
	for _, precision := range r.Precisions() {
		for _, level := range r.Levels() {
			out.Points = append(out.Points, jsonRooflinePoint{precision.Name, level.Name, rounded(level.Intensity(precision), stats.Ratio),
				math.Round(precision.Rate(r)), math.Round(level.Allows(precision)), rounded(level.Reached(r), stats.Ratio)})
		}
	}
	return out
}

// Rooflines returns the rooflines of the kernels of all reports. If there are several reports, series include the report's name.
func (c *Comparison) Rooflines() roofline.Picture {
	var series []roofline.Series
	var names []string
	for i := range c.Reports {
		report := &c.Reports[i]
		names = append(names, report.Name)
		for _, symbol := range kernelsOf(report) {
			launches := launchesOf(report, symbol)
			var sum *roofline.Roofline
			for _, l := range launches {
				switch {
				case l.Roofline == nil:
				case sum == nil:
					first := l.Roofline.Roofline
					sum = &first
				default:
					sum.Add(&l.Roofline.Roofline)
				}
			}
			if sum != nil {
				name, _, _ := strings.Cut(launches[0].Name, "(")
				if len(c.Reports) > 1 {
					name = report.Name + ": " + name
				}
				series = append(series, roofline.Series{
					Name: name, Chip: configs.TitleOf(launches[0].Config, launches[0].Overrides), Roofline: sum,
				})
			}
		}
	}
	title := strings.Join(names, ", ")
	if len(series) > 0 && !slices.ContainsFunc(series, func(s roofline.Series) bool { return s.Chip != series[0].Chip }) {
		title += " on " + series[0].Chip
	}
	return roofline.Picture{Title: title, Series: series}
}

// rooflineQuantities returns a comparison's rows for the roofline: operations per byte of each level, and the nearest ceiling.
func rooflineQuantities() []quantity {
	var all []quantity
	for _, level := range []string{"shared memory", "L2", "DRAM"} {
		all = append(all, quantity{name: "flop/byte of " + level, unit: string(stats.Ratio),
			number: mean(func(l *SavedLaunch) (sum float64, ok bool) {
				if l.Roofline == nil {
					return 0, false
				}
				for _, p := range l.Roofline.Points {
					if p.Level == level {
						sum += p.Intensity
					}
				}
				return sum, sum > 0
			})})
	}
	return append(all, quantity{name: "nearest ceiling", text: func(l []*SavedLaunch) string {
		return commonText(l, func(l *SavedLaunch) string {
			if l.Roofline == nil {
				return ""
			}
			return l.Roofline.Nearest
		})
	}})
}
