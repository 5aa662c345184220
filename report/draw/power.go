package draw

import (
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report/plots"
	"github.com/keplersim/keplersim/sim/stats"
)

// powerBands are groups of components, from the bottom up; those that are always present come first.
var powerBands = []struct {
	name  string
	parts []stats.PowerComponent
	color color.Color
}{
	{"board and memory at rest", []stats.PowerComponent{stats.PowerBoard, stats.PowerMemory}, color.RGBA{0xb0, 0xb7, 0xbf, 0xff}},
	{"leakage and clock tree", []stats.PowerComponent{stats.PowerLeakage, stats.PowerClockTree}, color.RGBA{0x8d, 0xa3, 0xb9, 0xff}},
	{"instruction issue, registers", []stats.PowerComponent{stats.PowerInstructions, stats.PowerRegisters}, color.RGBA{0x1f, 0x77, 0xb4,
		0xff}},
	{"arithmetic", []stats.PowerComponent{stats.PowerFP32, stats.PowerFP64, stats.PowerInteger}, color.RGBA{0xd6, 0x27, 0x28, 0xff}},
	{"shared memory, caches, crossbar", []stats.PowerComponent{stats.PowerShared, stats.PowerL1, stats.PowerL2, stats.PowerCrossbar},
		color.RGBA{0x2c, 0xa0, 0x2c, 0xff}},
	{"DRAM accesses", []stats.PowerComponent{stats.PowerDRAM}, color.RGBA{0x94, 0x67, 0xbd, 0xff}},
}

// Power draws a board's power over time by component, with its limit, and below it the core clock and the temperature.
func Power(path, title string, p *stats.Power) error {
	if err := plots.CheckFile(path); err != nil {
		return err
	}
	if p == nil || len(p.Samples) == 0 {
		return errors.New("nothing to plot: no time passed")
	}
	first, last := &p.Samples[0], &p.Samples[len(p.Samples)-1]
	unit, scale := "time, µs", 1.0
	switch {
	case last.End >= 1e6:
		unit, scale = "time, s", 1e6
	case last.End >= 1e4:
		unit, scale = "time, ms", 1e3
	}
	curve := func(title string, value func(*stats.PowerSample) float64) *plot.Plot {
		c := plots.New(title, "", "")
		c.X.Min, c.X.Max = first.Start/scale, last.End/scale
		c.Add(plotter.NewGrid(), steps{p.Samples, scale, value})
		for i := range p.Samples {
			v := value(&p.Samples[i])
			c.Y.Min, c.Y.Max = min(c.Y.Min, v), max(c.Y.Max, v)
		}
		room := max((c.Y.Max-c.Y.Min)*0.1, 1)
		c.Y.Min, c.Y.Max = c.Y.Min-room, c.Y.Max+room
		return c
	}
	watts := plots.New("Power: "+title, "", "")
	watts.X.Min, watts.X.Max = first.Start/scale, last.End/scale
	watts.Y.Min, watts.Y.Max = 0, max(p.Limit, p.Peak)*1.08
	watts.Add(bands{p.Samples, scale}, limitLine(p.Limit))
	entries := []plots.Entry{{Name: fmt.Sprintf("limit, %g W", p.Limit), Color: color.Black, Dashes: plots.Dashes[1]}}
	for _, band := range powerBands {
		entries = append(entries, plots.Entry{Name: band.name, Color: band.color, Square: true})
	}
	f := plots.Figure{Width: plotWidth, Panels: []plots.Panel{
		{Plot: watts, Height: 300, XLabel: unit, YLabel: "W"}, plots.LegendPanel(plotWidth, entries),
		{Plot: curve("", func(s *stats.PowerSample) float64 { return s.MHz }), Height: 130, XLabel: unit, YLabel: "core clock, MHz"},
		{Plot: curve("", func(s *stats.PowerSample) float64 { return s.Temperature }), Height: 130, XLabel: unit,
			YLabel: "temperature, °C"},
	}}
	return f.Save(path)
}

// bands draws the power of groups of components, stacked, with a rectangle for each sample.
type bands struct {
	samples []stats.PowerSample
	scale   float64
}

// Plot implements plot.Plotter.
func (b bands) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i := range b.samples {
		s := &b.samples[i]
		left, right, bottom := x(s.Start/b.scale), x(s.End/b.scale), 0.0
		for _, band := range powerBands {
			top := bottom
			for _, part := range band.parts {
				top += s.Watts[part]
			}
			c.FillPolygon(band.color, box(left, right, y(bottom), y(top)))
			bottom = top
		}
	}
}

// box returns the corners of a rectangle.
func box(left, right, bottom, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// limitLine draws the power limit.
type limitLine float64

// Plot implements plot.Plotter.
func (l limitLine) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: color.Black, Width: vg.Points(1.2), Dashes: plots.Dashes[1]}
	c.StrokeLines(style, []vg.Point{{X: x(p.X.Min), Y: y(float64(l))}, {X: x(p.X.Max), Y: y(float64(l))}})
}

// steps draws a value that is constant over each sample.
type steps struct {
	samples []stats.PowerSample
	scale   float64
	value   func(*stats.PowerSample) float64
}

// Plot implements plot.Plotter.
func (s steps) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var line []vg.Point
	for i := range s.samples {
		at := &s.samples[i]
		v := y(s.value(at))
		line = append(line, vg.Point{X: x(at.Start / s.scale), Y: v}, vg.Point{X: x(at.End / s.scale), Y: v})
	}
	c.StrokeLines(draw.LineStyle{Color: plots.Colors[0], Width: plots.CurveWidth}, line)
}
