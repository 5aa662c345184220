package draw

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report/plots"
	"github.com/keplersim/keplersim/report/roofline"
)

// Sizes of the picture in points.
const (
	plotWidth  vg.Length = 720
	plotHeight vg.Length = 480
)

// levelGlyphs are the marks of the levels, for single and for double precision; those of double precision are hollow.
var levelGlyphs = map[string][2]draw.GlyphDrawer{
	"shared memory": {draw.BoxGlyph{}, draw.SquareGlyph{}}, "L2": {draw.PyramidGlyph{}, draw.TriangleGlyph{}},
	"DRAM": {draw.CircleGlyph{}, draw.RingGlyph{}},
}

// levelRadii are the radii of the marks in points. Marks that are drawn later are smaller, so that all of them show at one place.
var levelRadii = map[string]vg.Length{"shared memory": 6, "L2": 6.5, "DRAM": 3}

// roofColors are the ceilings' colours for the first chip and for further ones.
var roofColors = []color.Color{color.Gray{Y: 0x30}, color.Gray{Y: 0x80}, color.Gray{Y: 0xb0}}

// point is a mark of the picture.
type point struct {
	series int
	level  string
	double bool
	at     plotter.XY
}

// Roofline draws the ceilings of each chip and the points of each series to a file, .svg, .png or .pdf. Operations per second are over
// operations per byte, both logarithmic. A series has a point for each level of memory that it used. Series without floating-point
// operations are only in the legend.
func Roofline(path string, picture roofline.Picture) error {
	series := picture.Series
	if err := plots.CheckFile(path); err != nil {
		return err
	}
	if len(series) == 0 {
		return errors.New("nothing to plot: no launch was timed")
	}
	points := pointsOf(series)
	p := plots.New("Roofline: "+picture.Title, "", "")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = extent(series, points)
	rates := []float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}
	for i := range series {
		c := &series[i].Ceilings
		rates = append(rates, c.Single, c.DRAM)
		for _, v := range []float64{c.Double, c.Shared, c.L2} {
			if v != 0 { // 0 means that there is none
				rates = append(rates, v)
			}
		}
	}
	for _, v := range rates {
		if !(v > 0) || math.IsInf(v, 0) { // it has no logarithm
			return fmt.Errorf("the chip's rates are not positive numbers, or the kernels' are not: %s is damaged", picture.Title)
		}
	}
	if p.X.Min >= p.X.Max || p.Y.Min >= p.Y.Max {
		return fmt.Errorf("the rates leave nothing to draw: %s is damaged", picture.Title)
	}
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plots.Decades(func(v float64) string {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}), plots.Decades(rate)
	var chips []string
	for i := range series {
		if n := len(chips); !slices.Contains(chips, series[i].Chip) {
			chips = append(chips, series[i].Chip)
			p.Add(roof{series[i].Ceilings, roofColors[min(n, len(roofColors)-1)], plots.Dashes[n%len(plots.Dashes)], n})
		}
	}
	if err := addPoints(p, series, points); err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	f := plots.Figure{Width: plotWidth, Panels: []plots.Panel{{Plot: p, Height: plotHeight, XLabel: "arithmetic intensity: operations " +
		"for each byte that a level moves (FLOP/byte)", YLabel: "operations a second"}, legend(series, chips, points)}}
	return f.Save(path)
}

// pointsOf returns the marks of all series.
func pointsOf(series []roofline.Series) []point {
	var all []point
	for i := range series {
		for _, precision := range series[i].Precisions() {
			for _, level := range series[i].Levels() {
				at := plotter.XY{X: level.Intensity(precision), Y: precision.Rate(series[i].Roofline)}
				all = append(all, point{i, level.Name, precision.Name == "double", at})
			}
		}
	}
	return all
}

// extent returns the range of the axes: all points and the ends of all slopes, with a margin.
func extent(series []roofline.Series, points []point) (left, right, bottom, top float64) {
	left, right, bottom, top = math.Inf(1), 0, math.Inf(1), 0
	for i := range series {
		c := &series[i].Ceilings
		ridge := c.Single / c.DRAM // the intensity from which DRAM allows all of the arithmetic
		left, right, top, bottom = min(left, ridge/100), max(right, 8*ridge), max(top, 3*c.Single, 3*c.Double), min(bottom, c.Single/1000)
	}
	for _, p := range points {
		left, right, bottom = min(left, p.at.X/3), max(right, 3*p.at.X), min(bottom, p.at.Y/3)
	}
	return left, right, bottom, top
}

// roof draws a chip's ceilings: a slope for each level of memory up to the highest arithmetic, and a line for each precision.
type roof struct {
	roofline.Ceilings
	color  color.Color
	dashes []vg.Length
	nth    int // among several chips: labels of the second are lower
}

// Plot implements plot.Plotter.
func (r roof) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: r.color, Width: vg.Points(1.2), Dashes: r.dashes}
	label := plots.LegendStyle()
	label.Font.Size, label.Color = 9, r.color
	most := max(r.Single, r.Double)
	for _, slope := range []struct {
		name      string
		bandwidth float64
	}{{"shared memory", r.Shared}, {"L2", r.L2}, {"DRAM", r.DRAM}} {
		if slope.bandwidth == 0 || most == 0 {
			continue
		}
		from, to := p.X.Min, most/slope.bandwidth
		if from*slope.bandwidth < p.Y.Min {
			from = p.Y.Min / slope.bandwidth
		}
		start, end := vg.Point{X: x(from), Y: y(from * slope.bandwidth)}, vg.Point{X: x(to), Y: y(most)}
		c.StrokeLines(style, []vg.Point{start, end})
		text := label
		text.Rotation = math.Atan2(float64(end.Y-start.Y), float64(end.X-start.X))
		along := 0.04
		at := vg.Point{X: start.X + (end.X-start.X)*vg.Length(along), Y: start.Y + (end.Y-start.Y)*vg.Length(along)}
		labelOffset := 7 - 14*vg.Length(r.nth%2) // above the line for the first chip, below it for the second
		at.X -= labelOffset * vg.Length(math.Sin(text.Rotation))
		at.Y += labelOffset * vg.Length(math.Cos(text.Rotation))
		c.FillText(text, at, fmt.Sprintf("%s %s", slope.name, bandwidth(slope.bandwidth)))
	}
	for _, level := range []struct {
		name string
		peak float64
	}{{"single precision", r.Single}, {"double precision", r.Double}} {
		if level.peak == 0 {
			continue
		}
		from := max(level.peak/max(r.Shared, r.L2, r.DRAM), p.X.Min)
		c.StrokeLines(style, []vg.Point{{X: x(from), Y: y(level.peak)}, {X: x(p.X.Max), Y: y(level.peak)}})
		text := level.name + " " + rate(level.peak)
		c.FillText(label, vg.Point{X: x(p.X.Max) - 1.1*label.Width(text) - 2, Y: y(level.peak) + 7 - 14*vg.Length(r.nth%2)}, text)
	}
}

// addPoints draws the points, with the series' number if there are several.
func addPoints(p *plot.Plot, series []roofline.Series, points []point) error {
	for _, one := range points {
		mark, err := plotter.NewScatter(plotter.XYs{one.at})
		if err != nil {
			return fmt.Errorf("a point of %s: %w", series[one.series].Name, err)
		}
		mark.Shape, mark.Radius, mark.Color = levelGlyphs[one.level][0], levelRadii[one.level], seriesColor(one.series)
		if one.double {
			mark.Shape = levelGlyphs[one.level][1]
		}
		p.Add(mark)
		if len(series) == 1 {
			continue
		}
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{one.at}, Labels: []string{strconv.Itoa(one.series + 1)}})
		if err != nil {
			return fmt.Errorf("a point of %s: %w", series[one.series].Name, err)
		}
		labels.Offset = vg.Point{X: 5, Y: 2}
		labels.TextStyle[0].Font.Variant, labels.TextStyle[0].Font.Size, labels.TextStyle[0].Color = plots.FontVariant, 9,
			seriesColor(one.series)
		p.Add(labels)
	}
	return nil
}

func seriesColor(series int) color.Color { return plots.Color(series) }

// legend lists the series with their rates, the marks, and the chips if there are several.
func legend(series []roofline.Series, chips []string, points []point) plots.Panel {
	var names, marks, roofs []plots.Entry
	for i := range series {
		s := &series[i]
		name := s.Name
		if len(series) > 1 {
			name = strconv.Itoa(i+1) + "  " + name
		}
		var rates []string
		for _, precision := range s.Precisions() {
			rates = append(rates, rate(precision.Rate(s.Roofline))+" "+precision.Name)
		}
		if len(rates) == 0 {
			rates = []string{"no floating-point operations"}
		}
		if nearest, reached := s.Nearest(); nearest != "" {
			rates = append(rates, fmt.Sprintf("%.0f %% of %s", 100*reached, nearest))
		}
		names = append(names, plots.Entry{Name: name + ": " + strings.Join(rates, ", "), Color: seriesColor(i), Square: true})
	}
	for _, level := range []string{"shared memory", "L2", "DRAM"} {
		for double, precision := range []string{"", ", double precision"} {
			for _, one := range points {
				if one.level == level && one.double == (double == 1) {
					marks = append(marks, plots.Entry{
						Name: "by bytes of " + level + precision, Color: color.Black, Glyph: levelGlyphs[level][double],
					})
					break
				}
			}
		}
	}
	groups := [][]plots.Entry{names}
	if len(marks) > 0 {
		groups = append(groups, marks)
	}
	if len(chips) > 1 {
		for n, chip := range chips {
			roofs = append(roofs, plots.Entry{
				Name: "ceilings of " + chip, Color: roofColors[min(n, len(roofColors)-1)], Dashes: plots.Dashes[n%len(plots.Dashes)],
			})
		}
		groups = append(groups, roofs)
	}
	return plots.LegendPanel(plotWidth, groups...)
}

func rate(v float64) string      { return scaled(v, "FLOP/s") }
func bandwidth(v float64) string { return scaled(v, "B/s") }

// scaled formats a number with three digits and the largest prefix that leaves at least 1.
func scaled(v float64, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P"}
	i := 0
	for ; v >= 999.5 && i < len(prefixes)-1; i++ {
		v /= 1000
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " " + prefixes[i] + unit
}
