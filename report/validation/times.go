package validation

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/keplersim/keplersim/report/plots"
)

// Time is the time of one launch on a card and in the simulator, in microseconds.
type Time struct {
	Board, Chip  string // the card as --config takes it, and its die
	Theirs, Ours float64
}

func (t Time) ratio() float64 { return t.Ours / t.Theirs }

// band is a range of errors. within is its half-width, as a part of the card's time.
type band struct {
	within float64
	name   string
	color  color.Color
}

// bandsOf returns the bands with nine in ten and with half of the launches, the wider one first.
func bandsOf(times []Time) []band {
	var off []float64
	for _, t := range times {
		off = append(off, math.Abs(t.ratio()-1))
	}
	slices.Sort(off)
	of := func(part float64, name string, shade uint8) band {
		within := share(off, part)
		return band{within, fmt.Sprintf("%s are within %.0f %%", name, 100*within), color.Gray{Y: shade}}
	}
	return []band{of(0.9, "9 in 10 launches", 0xec), of(0.5, "half of the launches", 0xd2)}
}

// WriteTimes draws launches on cards: our times against theirs, and ours over theirs for each board, both logarithmic. Bands hold half and
// nine in ten of the launches. The file's name ends in .svg, .png or .pdf.
func WriteTimes(path string, times []Time) error {
	if err := plots.CheckFile(path); err != nil {
		return err
	}
	if len(times) == 0 {
		return errors.New("nothing to plot: no row ran")
	}
	times = slices.Clone(times)
	slices.SortStableFunc(times, func(a, b Time) int {
		return cmp.Or(cmp.Compare(a.Chip, b.Chip), cmp.Compare(a.Board, b.Board), cmp.Compare(a.Theirs, b.Theirs))
	})
	boards, bands := boardsOf(times), bandsOf(times)
	whole, err := wholeTimes(times, bands)
	if err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	ratios, err := boardRatios(boards, bands)
	if err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	var chips, notes []plots.Entry
	for i, chip := range chipsOf(times) {
		chips = append(chips, plots.Entry{
			Name: chip, Color: groupColors[i%len(groupColors)], Glyph: groupShapes[i%len(groupShapes)],
		})
	}
	for _, b := range bands {
		notes = append(notes, plots.Entry{Name: b.name, Color: b.color, Square: true})
	}
	f := plots.Figure{Width: plotWidth, Panels: []plots.Panel{
		{Plot: whole, Height: figuresHeight, XLabel: "time on the card, microseconds", YLabel: "simulated, microseconds"},
		{Plot: ratios, Height: ratiosHeight, XLabel: "card and number of launches, from short to long", YLabel: "simulated / card"},
		plots.LegendPanel(plotWidth, chips, notes),
	}}
	return f.Save(path)
}

// boardsOf groups sorted times by board.
func boardsOf(times []Time) (boards [][]Time) {
	for i, t := range times {
		if i == 0 || t.Board != times[i-1].Board {
			boards = append(boards, nil)
		}
		last := len(boards) - 1
		boards[last] = append(boards[last], t)
	}
	return boards
}

// chipsOf returns the dies of sorted times.
func chipsOf(times []Time) (chips []string) {
	for _, t := range times {
		chips = append(chips, t.Chip)
	}
	return slices.Compact(chips)
}

// wholeTimes draws ours against theirs.
func wholeTimes(times []Time, bands []band) (*plot.Plot, error) {
	p := plots.New(fmt.Sprintf("Simulated times against times on cards: %d launches", len(times)), "", "")
	least, most := math.Inf(1), 0.0
	for _, t := range times {
		least, most = min(least, t.Theirs, t.Ours), max(most, t.Theirs, t.Ours)
	}
	least, most = least/1.5, most*1.5
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Min, axis.Max, axis.Scale, axis.Tick.Marker = least, most, plot.LogScale{}, plots.Decades(numberText)
	}
	for _, b := range bands {
		up, down := 1+b.within, max(1-b.within, least/most)
		if err := fill(p, b.color, plotter.XYs{
			{X: least, Y: least}, {X: least, Y: min(most, least*up)}, {X: most / up, Y: most}, {X: most, Y: most},
			{X: most, Y: most * down}, {X: least / down, Y: least},
		}); err != nil {
			return nil, err
		}
	}
	if err := equality(p, plotter.XYs{{X: least, Y: least}, {X: most, Y: most}}); err != nil {
		return nil, err
	}
	return p, scatterByChip(p, times, func(i int) plotter.XY { return plotter.XY{X: times[i].Theirs, Y: times[i].Ours} })
}

// boardRatios draws ours over theirs, with a column for each board.
func boardRatios(boards [][]Time, bands []band) (*plot.Plot, error) {
	p := plots.New("The same launches, card by card", "", "")
	p.X.Min, p.X.Max = -0.5, float64(len(boards))-0.5
	var ticks plot.ConstantTicks
	var all []Time
	var places plotter.XYs
	reach := 1.25
	const columnPart = 0.7 // of a column, the width of its launches
	for i, board := range boards {
		name := board[0].Board + "\n" + strconv.Itoa(len(board))
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		for n, t := range board {
			at := columnPart * ((float64(n)+0.5)/float64(len(board)) - 0.5)
			places = append(places, plotter.XY{X: float64(i) + at, Y: t.ratio()})
			reach = max(reach, t.ratio(), 1/t.ratio())
		}
		all = append(all, board...)
	}
	reach *= 1.1
	p.X.Tick.Marker, p.Y.Tick.Marker, p.Y.Scale = ticks, plot.TickerFunc(ratioTicks), plot.LogScale{}
	p.Y.Min, p.Y.Max = 1/reach, reach
	for _, b := range bands {
		down, up := max(1-b.within, p.Y.Min), min(1+b.within, p.Y.Max)
		if err := fill(p, b.color, plotter.XYs{
			{X: p.X.Min, Y: down}, {X: p.X.Min, Y: up}, {X: p.X.Max, Y: up}, {X: p.X.Max, Y: down},
		}); err != nil {
			return nil, err
		}
	}
	if err := equality(p, plotter.XYs{{X: p.X.Min, Y: 1}, {X: p.X.Max, Y: 1}}); err != nil {
		return nil, err
	}
	return p, scatterByChip(p, all, func(i int) plotter.XY { return places[i] })
}

// fill adds an area without an edge.
func fill(p *plot.Plot, c color.Color, corners plotter.XYs) error {
	area, err := plotter.NewPolygon(corners)
	if err != nil {
		return err
	}
	area.Color, area.LineStyle.Width = c, 0
	p.Add(area)
	return nil
}

// equality adds the line of equal times.
func equality(p *plot.Plot, ends plotter.XYs) error {
	line, err := plotter.NewLine(ends)
	if err != nil {
		return err
	}
	line.Color = gray
	p.Add(line)
	return nil
}

// scatterByChip draws sorted times, with a colour and a shape for each die.
func scatterByChip(p *plot.Plot, times []Time, at func(int) plotter.XY) error {
	for nth, chip := range chipsOf(times) {
		var places plotter.XYs
		for i, t := range times {
			if t.Chip == chip {
				places = append(places, at(i))
			}
		}
		scatter, err := plotter.NewScatter(places)
		if err != nil {
			return err
		}
		scatter.Color, scatter.Shape, scatter.Radius = groupColors[nth%len(groupColors)], groupShapes[nth%len(groupShapes)], vg.Points(3)
		p.Add(scatter)
	}
	return nil
}
