package draw

import (
	"errors"
	"fmt"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/plots"
)

// Clocks draws a study of clocks: time, energy and their product over the core clock, each relative to its minimum.
func Clocks(path string, s *report.ClockStudy) error {
	if err := plots.CheckFile(path); err != nil {
		return err
	}
	if len(s.Points) == 0 {
		return errors.New("nothing to plot: no clock was run")
	}
	p := plots.New(fmt.Sprintf("%s on %s: what a clock costs", s.Workload, s.Config), "", "")
	clocks := plots.ValueTicks{Label: func(v float64) string { return strconv.Itoa(int(v)) }}
	for i := range s.Points {
		clocks.Values = append(clocks.Values, float64(s.Points[i].MHz))
	}
	p.X.Tick.Marker = clocks
	p.Add(plotter.NewGrid())
	var entries []plots.Entry
	for n, curve := range []struct {
		name  string
		value func(*report.ClockPoint) float64
	}{
		{"time", func(c *report.ClockPoint) float64 { return c.TimeUS }},
		{"energy", func(c *report.ClockPoint) float64 { return c.Joules }},
		{"energy x time", (*report.ClockPoint).Delayed},
	} {
		least := curve.value(&s.Points[0])
		for i := range s.Points {
			least = min(least, curve.value(&s.Points[i]))
		}
		xys := make(plotter.XYs, len(s.Points))
		for i := range s.Points {
			xys[i] = plotter.XY{X: float64(s.Points[i].MHz), Y: curve.value(&s.Points[i]) / least}
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return fmt.Errorf("plot %s: %w", path, err)
		}
		line.Color, line.Width, points.Color, points.Radius = plots.Colors[n], plots.NestedWidth(n, 3), plots.Colors[n],
			plots.NestedRadius(n, 3)
		p.Add(line, points)
		entries = append(entries, plots.Entry{Name: curve.name, Color: plots.Colors[n]})
	}
	f := plots.Figure{Width: plotWidth, Panels: []plots.Panel{
		{Plot: p, Height: 320, XLabel: "core clock, MHz", YLabel: "in parts of the least"}, plots.LegendPanel(plotWidth, entries),
	}}
	return f.Save(path)
}
