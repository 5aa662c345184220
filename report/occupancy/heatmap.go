package occupancy

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report/plots"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// limiterColors are the colours of full occupancy under each limiter; fewer warps are paler.
var limiterColors = map[smx.Resource]color.RGBA{
	smx.Warps:        {R: 0x1b, G: 0x7f, B: 0x3b, A: 0xff},
	smx.Registers:    {R: 0x1f, G: 0x5f, B: 0xb4, A: 0xff},
	smx.SharedMemory: {R: 0xd9, G: 0x5f, B: 0x02, A: 0xff},
	smx.Blocks:       {R: 0x8e, G: 0x2f, B: 0x9c, A: 0xff},
}

// severalColor is that of a point with several limiters, unfitColor that of a block that does not fit.
var (
	severalColor = color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff}
	unfitColor   = color.RGBA{R: 0x00, G: 0x00, B: 0x00, A: 0xff}
)

// heatColor returns a point's colour: its limiter's, paler with fewer warps.
func heatColor(p Point) color.Color {
	if p.Result.Blocks == 0 {
		return unfitColor
	}
	names := p.Result.Limiters.Names()
	base := severalColor
	if len(names) == 1 {
		for r, c := range limiterColors {
			if p.Result.Limiters.Has(r) {
				base = c
			}
		}
	}
	return paler(base, p.Result.Occupancy)
}

// paler mixes a colour with white: all of it at strength 1, a seventh at 0.
func paler(c color.RGBA, strength float64) color.Color {
	part := 1./7 + 6./7*strength
	mix := func(x uint8) uint8 { return uint8(math.Round(255 - part*float64(255-x))) }
	return color.RGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: 0xff}
}

// heatCells fills a rectangle for each point of a two-axis sweep: the first axis goes up, the second to the right.
type heatCells struct {
	rows, columns []int
	color         func(row, column int) color.Color
}

// Plot implements plot.Plotter.
func (h heatCells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	left, bottom := cellEdges(h.columns), cellEdges(h.rows)
	for i := range h.rows {
		for j, end := 0, 0; j < len(h.columns); j = end {
			fill := h.color(i, j)
			for end = j + 1; end < len(h.columns) && h.color(i, end) == fill; end++ { // one rectangle for a run of cells
			}
			c.SetColor(fill)
			// A little larger than the cells, so that no seam shows between neighbours.
			c.Fill(
				vg.Rectangle{Min: vg.Point{X: x(left[j]), Y: y(bottom[i])},
					Max: vg.Point{X: x(left[end]) + 0.3, Y: y(bottom[i+1]) + 0.3}}.Path(),
			)
		}
	}
}

// DataRange implements plot.DataRanger.
func (h heatCells) DataRange() (xmin, xmax, ymin, ymax float64) {
	x, y := cellEdges(h.columns), cellEdges(h.rows)
	return x[0], x[len(x)-1], y[0], y[len(y)-1]
}

// cellEdges returns the borders of cells around values: half-way between neighbours.
func cellEdges(values []int) []float64 {
	edges := make([]float64, len(values)+1)
	for i := 1; i < len(values); i++ {
		edges[i] = float64(values[i-1]+values[i]) / 2
	}
	first, last := 0.5, 0.5
	if n := len(values); n > 1 {
		first, last = float64(values[1]-values[0])/2, float64(values[n-1]-values[n-2])/2
	}
	edges[0], edges[len(values)] = float64(values[0])-first, float64(values[len(values)-1])+last
	return edges
}

// heatMaps draws a two-axis sweep: for each chip the limiter by colour and the warps by its strength, and where points were
// simulated the cycles.
func (s *Study) heatMaps() (*plots.Figure, error) {
	f := &plots.Figure{Width: plotWidth}
	height := panelHeight * 3 / 2
	if len(s.Chips) > 1 {
		height = panelHeight * 6 / 5
	}
	rows, columns := s.Axes[0], s.Axes[1]
	most := 0
	for _, chip := range s.Chips {
		points, n := s.Of(chip), len(columns.Values)
		most = max(most, chip.Warps)
		p := s.newHeatPanel(fmt.Sprintf("%s (cc %s): what stops the next block%s", chip.Name, chip.Capability, s.heldStill(chip)))
		p.Add(heatCells{rows.Values, columns.Values, func(i, j int) color.Color { return heatColor(points[i*n+j]) }})
		p.Add(regionLabels{rows.Values, columns.Values, func(i, j int) (int, smx.Limiters) {
			r := points[i*n+j].Result
			return r.Warps, r.Limiters
		}})
		f.Panels = append(f.Panels, plots.Panel{Plot: p, Height: height})
	}
	f.Panels = append(f.Panels, limiterLegend(), warpsBar(most))
	for _, chip := range s.Chips {
		f.Panels = append(f.Panels, s.cyclesMap(chip, height)...)
	}
	return f, nil
}

// cyclesColor is that of the fewest simulated cycles; wrongColor lies behind points with wrong results.
var (
	cyclesColor = color.RGBA{R: 0x10, G: 0x40, B: 0x50, A: 0xff}
	wrongColor  = color.RGBA{R: 0xf6, G: 0xc9, B: 0xc4, A: 0xff}
)

// cyclesMap returns the simulated cycles of a chip, with the bar that explains its colours; nothing where no point was simulated.
func (s *Study) cyclesMap(chip smx.Limits, height vg.Length) []plots.Panel {
	rows, columns := s.Axes[0], s.Axes[1]
	points, n := s.Of(chip), len(columns.Values)
	least, most, wrong := measuredRange(points)
	if most == 0 && !wrong {
		return nil
	}
	strength := func(cycles int64) float64 {
		if most <= least {
			return 1
		}
		return 1 - math.Log(float64(cycles)/float64(least))/math.Log(float64(most)/float64(least))
	}
	title := fmt.Sprintf("%s: simulated cycles; white: not simulated", chip.Name)
	if wrong {
		title += "; ×: wrong result"
	}
	p := s.newHeatPanel(title)
	p.Add(heatCells{rows.Values, columns.Values, func(i, j int) color.Color {
		switch point := &points[i*n+j]; {
		case point.Measured == nil:
			return color.White
		case point.wrong():
			return wrongColor
		default:
			return paler(cyclesColor, strength(point.Measured.Cycles))
		}
	}})
	p.Add(cellLabels{rows.Values, columns.Values, func(i, j int) (string, bool) {
		switch point := &points[i*n+j]; {
		case point.Measured == nil:
			return "", false
		case point.wrong():
			return "×", false
		default:
			return cyclesLabel(float64(point.Measured.Cycles), float64(least), float64(most)), strength(point.Measured.Cycles) > 0.5
		}
	}})
	panels := []plots.Panel{{Plot: p, Height: height}}
	if most > 0 {
		panels = append(panels, cyclesBar(float64(least), float64(most)))
	}
	return panels
}

// cyclesBar says what the colours of a map of cycles mean: they are logarithmic.
func cyclesBar(least, most float64) plots.Panel {
	var ticks []plot.Tick
	for _, at := range []float64{0, 0.25, 0.5, 0.75, 1} {
		ticks = append(ticks, plot.Tick{Value: at, Label: cyclesLabel(least*math.Pow(most/least, at), least, most)})
		if most == least {
			break
		}
	}
	return plots.ColorBarPanel("cycles", ticks, func(v float64) color.Color { return paler(cyclesColor, 1-v) })
}

// cyclesLabel writes cycles with as many digits as tell those of a map apart.
func cyclesLabel(cycles, least, most float64) string {
	switch {
	case most-least < most/20:
		return plots.Grouped(int(cycles))
	case most >= 1e6:
		return strconv.FormatFloat(cycles/1e6, 'f', 2, 64) + " M"
	case most >= 1e4:
		return strconv.FormatFloat(cycles/1e3, 'f', 1, 64) + " k"
	}
	return strconv.FormatFloat(cycles, 'f', 0, 64)
}

// cellLabels writes a text into each cell that has room for it, white on dark cells.
type cellLabels struct {
	rows, columns []int
	of            func(row, column int) (label string, dark bool)
}

// Plot implements plot.Plotter.
func (l cellLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	left, bottom := cellEdges(l.columns), cellEdges(l.rows)
	style := plots.LegendStyle()
	style.XAlign = text.XCenter
	for i := range l.rows {
		for j := range l.columns {
			label, dark := l.of(i, j)
			width, height := x(left[j+1])-x(left[j]), y(bottom[i+1])-y(bottom[i])
			if label == "" || label != "×" && (width < style.Width(label)+4 || height < plots.LegendSize+2) {
				continue
			}
			style.Color = color.Black
			if dark {
				style.Color = color.White
			}
			c.FillText(style, vg.Point{X: (x(left[j]) + x(left[j+1])) / 2, Y: (y(bottom[i]) + y(bottom[i+1])) / 2}, label)
		}
	}
}

// newHeatPanel returns an empty map over the two axes.
func (s *Study) newHeatPanel(title string) *plot.Plot {
	p := s.newPanel(s.Axes[1], s.Axes[0].Title())
	p.X.Tick.Marker, p.Y.Tick.Marker = s.Axes[1].ticks(), s.Axes[0].ticks()
	p.Title.Text = title
	p.Y.Min = math.Inf(1) // the map begins where the sweep does
	return p
}

// heldStill names what a two-axis sweep does not vary.
func (s *Study) heldStill(chip smx.Limits) string {
	text := ""
	if s.Kernel != "" {
		text = ", " + s.Kernel
	}
	for _, k := range axisKinds {
		if k.name != s.Axes[0].Name && k.name != s.Axes[1].Name {
			text += fmt.Sprintf(", %s %s", k.name, sizeLabel(k.name, k.get(s.Launch[chip.Name])))
		}
	}
	if len(s.Overrides) > 0 {
		text += "\nwith " + configs.JoinOverrides(s.Overrides)
	}
	return text
}

// measuredRange returns the least and the most cycles of simulated points with right results, 0 and 0 where there is none, and whether
// there are some with wrong ones.
func measuredRange(points []Point) (least, most int64, wrong bool) {
	for i := range points {
		m := points[i].Measured
		if m == nil || points[i].wrong() {
			wrong = wrong || m != nil
			continue
		}
		if least == 0 || m.Cycles < least {
			least = m.Cycles
		}
		most = max(most, m.Cycles)
	}
	return least, most, wrong
}
