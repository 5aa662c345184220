package draw

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report/plots"
)

// Changes is a figure of values before and after changes: a row for each, in one unit.
type Changes struct {
	Title, Axis string
	// States name the columns: before, and after each change.
	States []string
	Rows   []Change
}

// Change is a row: a value for each state, NaN if there is none.
type Change struct {
	Name   string
	Values []float64
}

// Sizes of the figure.
const (
	changeRow   vg.Length = 24
	changeRoom  vg.Length = 62 // for the change in percent, at the right
	changeGlyph vg.Length = 4
)

// BeforeAfter draws changes to a file, .svg, .png or .pdf. Each row has a ring at its first value, a mark in the state's colour at each
// later one, a line between them, and the last state's change in percent.
func BeforeAfter(path string, c *Changes) error {
	if err := plots.CheckFile(path); err != nil {
		return err
	}
	if len(c.Rows) == 0 {
		return errors.New("nothing to plot: there is nothing to compare")
	}
	p := plots.New(c.Title, "", "")
	p.X.Min, p.X.Max = 0, 0
	ticks := make(plot.ConstantTicks, len(c.Rows))
	for i := range c.Rows {
		ticks[i] = plot.Tick{Value: float64(len(c.Rows) - 1 - i), Label: c.Rows[i].Name}
		for _, v := range c.Rows[i].Values {
			if math.IsInf(v, 0) || v < 0 {
				return fmt.Errorf("plot %s: %s is %g", path, c.Rows[i].Name, v)
			}
			if v > p.X.Max { // false for NaN
				p.X.Max = v
			}
		}
	}
	if p.X.Max == 0 {
		return errors.New("nothing to plot: all values are 0")
	}
	p.X.Max *= 1.02
	p.X.Tick.Marker = plots.Amounts
	p.Y.Tick.Marker, p.Y.Min, p.Y.Max = ticks, -0.6, float64(len(c.Rows))-0.4
	p.Add(plotter.NewGrid(), changed{c})
	var entries []plots.Entry
	for n, name := range c.States {
		entries = append(entries, plots.Entry{Name: name, Color: stateColor(n), Glyph: stateGlyph(n)})
	}
	return (&plots.Figure{Width: plotWidth, Panels: []plots.Panel{
		{Plot: p, Height: changeRow*vg.Length(len(c.Rows)) + 70, XLabel: c.Axis}, plots.LegendPanel(plotWidth, entries),
	}}).Save(path)
}

func stateColor(n int) color.Color {
	if n == 0 {
		return color.Gray{Y: 0x50}
	}
	return plots.Color(n - 1)
}

func stateGlyph(n int) draw.GlyphDrawer {
	if n == 0 {
		return draw.RingGlyph{}
	}
	return draw.CircleGlyph{}
}

// changed draws the rows.
type changed struct{ *Changes }

// Plot implements plot.Plotter.
func (r changed) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	words := plots.LegendStyle()
	words.XAlign, words.YAlign = text.XLeft, text.YCenter
	for i := range r.Rows {
		row, at := &r.Rows[i], y(float64(len(r.Rows)-1-i))
		last := 0
		for n, v := range row.Values {
			if n > 0 && !math.IsNaN(v) && !math.IsNaN(row.Values[0]) {
				style := draw.LineStyle{Color: stateColor(n), Width: vg.Points(1.6)}
				c.StrokeLines(style, []vg.Point{{X: x(row.Values[0]), Y: at}, {X: x(v), Y: at}})
				last = n
			}
		}
		for n, v := range row.Values {
			if !math.IsNaN(v) {
				c.DrawGlyph(draw.GlyphStyle{Color: stateColor(n), Radius: changeGlyph, Shape: stateGlyph(n)}, vg.Point{X: x(v), Y: at})
			}
		}
		if before := row.Values[0]; last > 0 && before > 0 {
			label := fmt.Sprintf("%+.1f %%", 100*(row.Values[last]-before)/before)
			c.FillText(words, vg.Point{X: c.Max.X + 8, Y: at}, label)
		}
	}
}

// GlyphBoxes implements plot.GlyphBoxer. It reserves room for the labels at the right.
func (r changed) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: changeRoom}}}}
}
