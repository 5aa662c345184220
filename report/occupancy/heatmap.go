package occupancy

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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

// heatColor is a point's colour: its limiter's, paler with fewer warps.
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
			c.Fill(vg.Rectangle{Min: vg.Point{X: x(left[j]), Y: y(bottom[i])}, Max: vg.Point{X: x(left[end]) + 0.3, Y: y(bottom[i+1]) + 0.3}}.Path())
		}
	}
}

// DataRange implements plot.DataRanger.
func (h heatCells) DataRange() (xmin, xmax, ymin, ymax float64) {
	x, y := cellEdges(h.columns), cellEdges(h.rows)
	return x[0], x[len(x)-1], y[0], y[len(y)-1]
}

// cellEdges are the borders of cells around values: half-way between neighbours.
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
func (s *Study) heatMaps() (*figure, error) {
	f := &figure{}
	height := panelHeight * 3 / 2
	if len(s.Chips) > 1 {
		height = panelHeight * 6 / 5
	}
	rows, columns := s.Axes[0], s.Axes[1]
	for _, chip := range s.Chips {
		points, n := s.Of(chip), len(columns.Values)
		p := s.newHeatPanel(fmt.Sprintf("%s (cc %s): what stops the next block%s", chip.Name, chip.Capability, heldStill(s.Launch[chip.Name], s.Axes, s.Kernel)))
		p.Add(heatCells{rows.Values, columns.Values, func(i, j int) color.Color { return heatColor(points[i*n+j]) }})
		p.Add(regionLabels{rows.Values, columns.Values, func(i, j int) (int, smx.Limiters) {
			r := points[i*n+j].Result
			return r.Warps, r.Limiters
		}})
		f.panels = append(f.panels, panel{plot: p, height: height})
	}
	f.panels = append(f.panels, limiterLegend())
	for _, chip := range s.Chips {
		points, n := s.Of(chip), len(columns.Values)
		least, most := measuredRange(points)
		if most == 0 {
			continue
		}
		p := s.newHeatPanel(fmt.Sprintf("%s: simulated cycles, %d (dark) to %d (pale); white: not simulated", chip.Name, least, most))
		p.Add(heatCells{rows.Values, columns.Values, func(i, j int) color.Color {
			m := points[i*n+j].Measured
			if m == nil {
				return color.White
			}
			strength := 1.0
			if most > least {
				strength = 1 - math.Log(float64(m.Cycles)/float64(least))/math.Log(float64(most)/float64(least))
			}
			return paler(color.RGBA{R: 0x10, G: 0x40, B: 0x50, A: 0xff}, strength)
		}})
		f.panels = append(f.panels, panel{plot: p, height: height})
	}
	return f, nil
}

// newHeatPanel is an empty map over the two axes.
func (s *Study) newHeatPanel(title string) *plot.Plot {
	p := s.newPanel(s.Axes[1], s.Axes[0].Title())
	p.Y.Tick.Marker = axisTicks{s.Axes[0].Name}
	p.Title.Text = title
	p.Y.Min = math.Inf(1) // the map begins where the sweep does
	return p
}

// heldStill names what a two-axis sweep does not vary.
func heldStill(launch smx.Launch, axes []Axis, kernel string) string {
	text := ""
	if kernel != "" {
		text = ", " + kernel
	}
	for _, k := range axisKinds {
		if k.name != axes[0].Name && k.name != axes[1].Name {
			text += fmt.Sprintf(", %s %s", k.name, sizeLabel(k.name, k.get(launch)))
		}
	}
	return text
}

// measuredRange is the least and the most cycles of simulated points, 0 and 0 where there is none.
func measuredRange(points []Point) (least, most int64) {
	for _, p := range points {
		if m := p.Measured; m != nil {
			if least == 0 || m.Cycles < least {
				least = m.Cycles
			}
			most = max(most, m.Cycles)
		}
	}
	return least, most
}
