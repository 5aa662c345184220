package validation

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report/plots"
)

// cardRow is the height of a card's row, in points.
const cardRow vg.Length = 22

// bandColor is the colour of the band with eight of ten rows of a card.
var bandColor = color.Gray{Y: 0xe0}

// cardsPanel draws ours over theirs by card: a mark for each row, the band from the first to the last tenth, and the median. Cards with the
// most rows are on top.
func cardsPanel(marks []mark, reach float64) plots.Panel {
	of := map[string][]mark{}
	for _, m := range marks {
		of[m.board] = append(of[m.board], m)
	}
	boards := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(boards, func(a, b string) int { return cmp.Compare(len(of[b]), len(of[a])) })
	p := plots.New("Ours over theirs by card; grey: eight of ten rows, black: the median", "", "")
	p.X.Min, p.X.Max, p.X.Scale, p.X.Tick.Marker = 1/reach, reach, plot.LogScale{}, plot.TickerFunc(ratioTicks)
	p.Y.Min, p.Y.Max = -0.6, float64(len(boards))-0.4
	ticks := make(plot.ConstantTicks, len(boards))
	for i, name := range boards {
		ticks[i] = plot.Tick{Value: float64(len(boards) - 1 - i), Label: fmt.Sprintf("%s (%d)", name, len(of[name]))}
	}
	p.Y.Tick.Marker = ticks
	p.Add(cards{boards, of})
	return plots.Panel{Plot: p, Height: cardRow*vg.Length(len(boards)) + 70, XLabel: "ours / theirs"}
}

// cards draws the rows of cardsPanel.
type cards struct {
	boards []string
	marks  map[string][]mark
}

// Plot implements plot.Plotter.
func (r cards) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := func(at, from, to float64, style draw.LineStyle) {
		c.StrokeLines(style, []vg.Point{{X: x(at), Y: y(from)}, {X: x(at), Y: y(to)}})
	}
	for i, name := range r.boards {
		middle := float64(len(r.boards) - 1 - i)
		ratios := make([]float64, len(r.marks[name]))
		for n, m := range r.marks[name] {
			ratios[n] = m.ratio()
		}
		slices.Sort(ratios)
		low, high, bottom, top := x(share(ratios, 0.1)), x(share(ratios, 0.9)), y(middle-0.35), y(middle+0.35)
		c.FillPolygon(bandColor, []vg.Point{{X: low, Y: bottom}, {X: high, Y: bottom}, {X: high, Y: top}, {X: low, Y: top}})
		line(share(ratios, 0.5), middle-0.35, middle+0.35, draw.LineStyle{Color: color.Black, Width: vg.Points(1.6)})
	}
	line(1, p.Y.Min, p.Y.Max, draw.LineStyle{Color: gray, Width: vg.Points(1)})
	for i, name := range r.boards {
		middle := float64(len(r.boards) - 1 - i)
		for _, m := range r.marks[name] {
			c.DrawGlyph(draw.GlyphStyle{Color: groupColors[m.group%len(groupColors)], Shape: groupShapes[m.group%len(groupShapes)],
				Radius: vg.Points(2.5)}, vg.Point{X: x(m.ratio()), Y: y(middle)})
		}
	}
}

func (m *mark) ratio() float64 { return m.at.Y / m.at.X }

// share returns the least of the sorted values that a given part of them does not exceed.
func share(sorted []float64, part float64) float64 {
	return sorted[max(0, int(math.Ceil(part*float64(len(sorted))))-1)]
}
