package validation

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report/plots"
	"github.com/keplersim/keplersim/validation"
)

// Size of the plots: 960 by 720 pixels at 96 to the inch, in points.
const (
	plotWidth  vg.Length = 720
	plotHeight vg.Length = 540
)

// groupColors and groupShapes tell groups apart.
var (
	groupColors = plots.Colors
	groupShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}}
	gray        = color.Gray{Y: 0x90}
)

// WritePlot draws ours against theirs for every row that ran, both axes logarithmic, with lines at equality and at a factor of
// two. The file's name ends in .svg or .png.
func WritePlot(path string, results []validation.Result) error {
	p, err := newPlot(path, "ours against theirs", "theirs (each in its own unit)", "ours")
	if err != nil {
		return err
	}
	least, most := math.Inf(1), math.Inf(-1)
	groups := validation.Summarise(results)
	for g, group := range groups {
		var points plotter.XYs
		for i := range results {
			r := &results[i]
			if r.Row.Group() != group.Name || !r.Ran() {
				continue
			}
			m := r.Main()
			x, y := m.Theirs.Middle(), m.Ours
			if x <= 0 || y <= 0 {
				continue
			}
			points = append(points, plotter.XY{X: x, Y: y})
			least, most = min(least, x, y), max(most, x, y)
		}
		if len(points) == 0 {
			continue
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return fmt.Errorf("plot %s: %w", path, err)
		}
		scatter.Color, scatter.Shape, scatter.Radius = groupColors[g%len(groupColors)], groupShapes[g%len(groupShapes)], vg.Points(2.5)
		p.Add(scatter)
		p.Legend.Add(group.Name, scatter)
	}
	if least > most {
		return errors.New("nothing to plot: no row ran")
	}
	least, most = least/2, most*2
	for _, factor := range []float64{0.5, 1, 2} {
		line, err := plotter.NewLine(plotter.XYs{{X: least, Y: least * factor}, {X: most, Y: most * factor}})
		if err != nil {
			return fmt.Errorf("plot %s: %w", path, err)
		}
		line.Color = gray
		if factor != 1 {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(line)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = least, most, least, most
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	return save(p, path)
}

// WriteStaircase draws the cycles of a load over the footprint of a pointer chase, with the published plateaus.
func WriteStaircase(path string, steps []validation.Step) error {
	p, err := newPlot(path, "latency of a load by footprint", "footprint, MiB", "cycles")
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		return errors.New("nothing to plot: no step of the staircase")
	}
	const mebi = 1 << 20
	var ours plotter.XYs
	top := 0.0
	for _, s := range steps {
		ours = append(ours, plotter.XY{X: float64(s.Footprint) / mebi, Y: s.Cycles})
		top = max(top, s.Cycles)
	}
	line, points, err := plotter.NewLinePoints(ours)
	if err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	line.Color, points.Color, points.Shape, points.Radius = groupColors[0], groupColors[0], draw.CircleGlyph{}, vg.Points(2.5)
	p.Add(line, points)
	p.Legend.Add("ours", line, points)
	from := ours[0].X
	for i, plateau := range validation.Plateaus {
		reach := min(float64(plateau.Reach)/mebi, ours[len(ours)-1].X)
		if reach <= from {
			break
		}
		published, err := plotter.NewLine(plotter.XYs{{X: from, Y: plateau.Cycles}, {X: reach, Y: plateau.Cycles}})
		if err != nil {
			return fmt.Errorf("plot %s: %w", path, err)
		}
		published.Color, published.Width = groupColors[1], vg.Points(1.5)
		p.Add(published)
		if i == 0 {
			p.Legend.Add("published plateaus", published)
		}
		from, top = reach, max(top, plateau.Cycles)
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Min, p.Y.Max = 0, 1.1*top
	p.Y.Tick.Marker = plot.TickerFunc(plots.WholeTicks)
	p.Legend.Top, p.Legend.Left = true, true
	return save(p, path)
}

// newPlot is an empty plot with a grid; it refuses a file name whose format is none we draw.
func newPlot(path, title, x, y string) (*plot.Plot, error) {
	return plots.New(title, x, y), plots.CheckFile(path)
}

func save(p *plot.Plot, path string) error { return plots.SavePlot(path, plotWidth, plotHeight, p) }
