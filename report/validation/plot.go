package validation

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
	"github.com/keplersim/keplersim/validation"
)

// Size of the plots: 960 by 720 pixels at 96 to the inch, in points.
const (
	plotWidth  vg.Length = 720
	plotHeight vg.Length = 540
)

// Heights of the panels, in points.
const (
	figuresHeight vg.Length = 380
	ratiosHeight  vg.Length = 300
)

// groupColors and groupShapes distinguish the groups. The shapes are hollow, so that one shows inside another.
var (
	groupColors = plots.Colors
	groupShapes = []draw.GlyphDrawer{draw.RingGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{},
		draw.RingGlyph{}, draw.SquareGlyph{}}
	gray = color.Gray{Y: 0x90}
)

// mark is one row of the plot.
type mark struct {
	group  int
	at     plotter.XY // theirs, ours
	nth    int        // index among the marks at its place
	missed string     // the row's name if it is beyond its tolerance
	board  string
}

// WritePlot draws every row that ran: ours against theirs, and below it ours over theirs, which shows the error; all axes are logarithmic.
// It names rows beyond their tolerance. A third panel has the ratios by card with error bands. The file's name ends in .svg or .png.
func WritePlot(path string, results []validation.Result) error {
	if err := plots.CheckFile(path); err != nil {
		return err
	}
	marks, boards := marksOf(results)
	if len(marks) == 0 {
		return errors.New("nothing to plot: no row ran")
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, m := range marks {
		least, most = min(least, m.at.X/2, m.at.Y/2), max(most, 2*m.at.X, 2*m.at.Y)
	}
	on := strings.Join(boards, ", ")
	if len(boards) > 6 {
		on = fmt.Sprintf("%d boards", len(boards))
	}
	figures := plots.New(fmt.Sprintf("Ours against theirs: %d rows on %s", len(marks), on), "", "")
	ratios := plots.New("Ours over theirs; named: beyond the row's tolerance", "", "")
	for _, p := range []*plot.Plot{figures, ratios} {
		p.X.Min, p.X.Max = least, most
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker = plots.Decades(numberText)
	}
	figures.Y.Min, figures.Y.Max, figures.Y.Tick.Marker = least, most, plots.Decades(numberText)
	reach := 1.05
	for _, m := range marks {
		reach = max(reach, m.at.Y/m.at.X, m.at.X/m.at.Y)
	}
	reach = math.Pow(reach, 1.1)
	ratios.Y.Min, ratios.Y.Max, ratios.Y.Tick.Marker = 1/reach, reach, plot.TickerFunc(ratioTicks)
	if err := guideLines(figures, ratios, least, most); err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	if err := addMarks(figures, ratios, marks); err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	const theirs = "theirs, each in its own unit"
	f := plots.Figure{Width: plotWidth, Panels: []plots.Panel{
		{Plot: figures, Height: figuresHeight, XLabel: theirs, YLabel: "ours"},
		{Plot: ratios, Height: ratiosHeight, XLabel: theirs, YLabel: "ours / theirs"},
		cardsPanel(marks, reach),
		groupLegend(results, marks),
	}}
	return f.Save(path)
}

// marksOf returns the rows that ran and can be drawn, and the boards that they ran on. nth numbers the rows at one place.
func marksOf(results []validation.Result) (marks []mark, boards []string) {
	at := map[plotter.XY]int{}
	for g, group := range validation.Summarise(results) {
		for i := range results {
			r := &results[i]
			if r.Row.Group() != group.Name || !r.Ran() {
				continue
			}
			m := mark{group: g, board: r.Row.Config, at: plotter.XY{X: r.Main().Theirs.Middle(), Y: r.Main().Ours}}
			if m.at.X <= 0 || m.at.Y <= 0 {
				continue
			}
			if r.Status == validation.Missed {
				m.missed = strings.TrimPrefix(r.Row.Name, group.Name+"/")
			}
			m.nth = at[m.at]
			at[m.at]++
			marks = append(marks, m)
			if !slices.Contains(boards, r.Row.Config) {
				boards = append(boards, r.Row.Config)
			}
		}
	}
	return marks, boards
}

// guideLines draws equality, and dashed lines for a factor of two.
func guideLines(figures, ratios *plot.Plot, least, most float64) error {
	for _, factor := range []float64{0.5, 1, 2} {
		for _, p := range []*plot.Plot{figures, ratios} {
			ends := plotter.XYs{{X: least, Y: factor}, {X: most, Y: factor}}
			if p == figures {
				ends = plotter.XYs{
					{X: max(least, least/factor), Y: max(least, least*factor)}, {X: min(most, most/factor), Y: min(most, most*factor)},
				}
			} else if factor < p.Y.Min || factor > p.Y.Max {
				continue
			}
			line, err := plotter.NewLine(ends)
			if err != nil {
				return err
			}
			line.Color = gray
			if factor != 1 {
				line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
			}
			p.Add(line)
		}
	}
	return nil
}

// mostNamed is the most rows beyond their tolerance that are named.
const mostNamed = 40

// addMarks draws the rows into both panels. At one place each mark is drawn around those before it.
func addMarks(figures, ratios *plot.Plot, marks []mark) error {
	named := 0
	for _, m := range marks {
		ratio := plotter.XY{X: m.at.X, Y: m.at.Y / m.at.X}
		for _, panel := range []struct {
			plot *plot.Plot
			at   plotter.XY
		}{{figures, m.at}, {ratios, ratio}} {
			scatter, err := plotter.NewScatter(plotter.XYs{panel.at})
			if err != nil {
				return err
			}
			scatter.Color, scatter.Shape, scatter.Radius = groupColors[m.group%len(groupColors)], groupShapes[m.group%len(groupShapes)],
				vg.Points(2.5+1.5*float64(min(m.nth, 6)))
			panel.plot.Add(scatter)
		}
		if named++; m.missed == "" || named > mostNamed {
			continue
		}
		label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{ratio}, Labels: []string{m.missed}})
		if err != nil {
			return err
		}
		label.Offset = vg.Point{X: 5, Y: 2}
		label.TextStyle[0].Font.Variant, label.TextStyle[0].Font.Size = plots.FontVariant, 8
		label.TextStyle[0].Color = groupColors[m.group%len(groupColors)]
		ratios.Add(label)
	}
	return nil
}

// groupLegend names the groups with their mean errors.
func groupLegend(results []validation.Result, marks []mark) plots.Panel {
	var entries []plots.Entry
	for g, group := range validation.Summarise(results) {
		if slices.ContainsFunc(marks, func(m mark) bool { return m.group == g }) {
			entries = append(entries, plots.Entry{Name: fmt.Sprintf("%s, mean error %.1f %%", group.Name, group.MeanError),
				Color: groupColors[g%len(groupColors)], Glyph: groupShapes[g%len(groupShapes)]})
		}
	}
	notes := []plots.Entry{{Name: "a factor of two", Color: gray, Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}}
	if slices.ContainsFunc(marks, func(m mark) bool { return m.nth > 0 }) {
		notes = append(notes, plots.Entry{
			Name: "marks around each other: rows of equal figures, as of several boards", Color: color.Black, Glyph: draw.RingGlyph{},
		})
	}
	return plots.LegendPanel(plotWidth, entries, notes)
}

// ratioTicks returns familiar ratios, as many as there is room for.
func ratioTicks(least, most float64) []plot.Tick {
	room := math.Log(most/least) / 16
	ticks := []plot.Tick{{Value: 1, Label: "1"}}
	for _, side := range [][]float64{
		{0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.2, 0.1, 0.01}, {1.01, 1.02, 1.05, 1.1, 1.2, 1.4, 2, 3, 5, 10, 100},
	} {
		last := 1.0
		for _, v := range side {
			if v >= least && v <= most && math.Abs(math.Log(v/last)) >= room {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
				last = v
			}
		}
	}
	return ticks
}

// WriteStaircase draws the cycles per load over the footprint of a pointer chase on a board, with the published plateaus.
func WriteStaircase(path, board string, steps []validation.Step) error {
	p, err := newPlot(path, "Latency of a load by footprint, on "+board, "", "cycles")
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
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(doublings)
	p.Y.Min, p.Y.Max = 0, 1.1*top
	p.Y.Tick.Marker = plot.TickerFunc(plots.WholeTicks)
	p.Legend.Top, p.Legend.Left = true, true
	f := plots.Figure{Width: plotWidth, Panels: []plots.Panel{{Plot: p, Height: plotHeight, XLabel: "footprint, MiB"}}}
	return f.Save(path)
}

// doublings returns ticks at powers of two.
func doublings(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for v := math.Exp2(math.Ceil(math.Log2(least))); v <= most; v *= 2 {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return ticks
}

// newPlot returns an empty plot with a grid. It fails if the file's format is not supported.
func newPlot(path, title, x, y string) (*plot.Plot, error) {
	return plots.New(title, x, y), plots.CheckFile(path)
}
