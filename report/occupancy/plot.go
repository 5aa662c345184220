package occupancy

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report/plots"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// plotWidth is 800 pixels at 96 to the inch, in points; a panel is panelHeight.
const (
	plotWidth   vg.Length = 600
	panelHeight vg.Length = 220
)

// chipColors tell the lines of several chips apart.
var chipColors = plots.Colors

// chipDashes tell them apart where they lie on each other.
var chipDashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(3), vg.Points(2), vg.Points(3)}}

// panel is one rectangle of a figure: a plot, or what drawExtra draws.
type panel struct {
	plot   *plot.Plot
	draw   func(draw.Canvas)
	height vg.Length
}

// figure is panels one under the other.
type figure struct {
	panels []panel
}

// WritePlot writes the study's plot to a file, .svg or .png: for a single launch the three curves of NVIDIA's spreadsheet
// with the launch marked; for one axis the resident warps over it, and what was measured; for two axes a heat map with the
// limiter by colour for each chip.
func (s *Study) WritePlot(path string) error {
	if err := plots.CheckFile(path); err != nil {
		return err
	}
	f, err := s.figure()
	if err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	var height vg.Length
	for _, p := range f.panels {
		height += p.height
	}
	return plots.Save(path, plotWidth, height, f.drawTo)
}

// drawTo draws the panels from the top down.
func (f *figure) drawTo(c draw.Canvas) {
	top := c.Max.Y
	for _, p := range f.panels {
		part := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top - p.height}, Max: vg.Point{X: c.Max.X, Y: top}}}
		part = draw.Crop(part, 6, -10, 4, -6)
		if p.plot != nil {
			p.plot.Draw(part)
		}
		if p.draw != nil {
			p.draw(part)
		}
		top -= p.height
	}
}

// figure chooses the picture for the number of axes.
func (s *Study) figure() (*figure, error) {
	switch len(s.Axes) {
	case 0:
		return s.curves()
	case 1:
		return s.lines()
	default:
		return s.heatMaps()
	}
}

// curveAxes are the spreadsheet's three curves on a chip.
func curveAxes(l smx.Limits) []Axis {
	return []Axis{steps("block", 32, l.ThreadsPerBlock, 32), steps("registers", 1, l.RegistersPerThread, 1), steps("shared", 0, l.SharedPerBlock, l.SharedUnit)}
}

func steps(name string, from, to, step int) Axis {
	a := Axis{Name: name}
	for v := from; v <= to; v += step {
		a.Values = append(a.Values, v)
	}
	return a
}

// curve is the resident warps over an axis, all else as in the launch.
func curve(l smx.Limits, launch smx.Launch, a Axis) plotter.XYs {
	points := make(plotter.XYs, len(a.Values))
	for i, v := range a.Values {
		points[i] = plotter.XY{X: float64(v), Y: float64(l.Calculate(a.with(launch, v)).Warps)}
	}
	return points
}

// curves draws the three curves, a line for each chip, with the launch marked on each.
func (s *Study) curves() (*figure, error) {
	f := &figure{}
	for kind := range axisKinds {
		var p *plot.Plot
		for i, chip := range s.Chips {
			launch, axis := s.Launch[chip.Name], curveAxes(chip)[kind]
			if p == nil {
				p = s.newPanel(axis, "resident warps per SMX")
				p.Title.Text = fmt.Sprintf("Warps over %s%s", axisKinds[kind].title, others(launch, axis, s.Kernel))
			}
			if err := addSteps(p, chip.Name, axis, curve(chip, launch, axis), i); err != nil {
				return nil, err
			}
			here := plotter.XY{X: float64(axis.of(launch)), Y: float64(chip.Calculate(launch).Warps)}
			if err := addMark(p, here, i); err != nil {
				return nil, err
			}
			p.Y.Max = max(p.Y.Max, float64(chip.Warps))
		}
		f.panels = append(f.panels, panel{plot: p, height: panelHeight})
	}
	entries := s.chipEntries("")
	f.panels = append(f.panels, legendPanel(append(entries, legendEntry{name: "this launch, with its warps", color: color.Black, dot: true})))
	return f, nil
}

// others names what the launch holds still while an axis varies.
func others(launch smx.Launch, axis Axis, kernel string) string {
	var parts []string
	if kernel != "" {
		parts = append(parts, kernel)
	}
	for _, k := range axisKinds {
		if k.name != axis.Name {
			parts = append(parts, fmt.Sprintf("%s %s", k.name, sizeLabel(k.name, k.get(launch))))
		}
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// newPanel is an empty plot over an axis.
func (s *Study) newPanel(axis Axis, y string) *plot.Plot {
	p := plots.New("", axis.Title(), y)
	p.Y.Min = 0
	p.X.Tick.Marker, p.Y.Tick.Marker = axisTicks{axis.Name}, wholeTicks{}
	return p
}

// addSteps draws the warps of a chip over an axis: a registers' or a shared memory's value holds from the one before it up to itself,
// block sizes are whole warps, between which there is nothing.
func addSteps(p *plot.Plot, name string, axis Axis, points plotter.XYs, chip int) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("line of %s: %w", name, err)
	}
	if axis.Name != "block" {
		line.StepStyle = plotter.PreStep
	}
	line.Color, line.Dashes, line.Width = chipColors[chip%len(chipColors)], chipDashes[chip%len(chipDashes)], vg.Points(1.6)
	p.Add(line)
	return nil
}

// addMark marks the launch with a ring and its numbers.
func addMark(p *plot.Plot, at plotter.XY, chip int) error {
	mark, err := plotter.NewScatter(plotter.XYs{at})
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	mark.Shape, mark.Radius, mark.Color = draw.CircleGlyph{}, vg.Points(4.5), chipColors[chip%len(chipColors)]
	p.Add(mark)
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{strconv.Itoa(int(at.Y))}})
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	labels.Offset = vg.Point{X: 6, Y: 4}
	labels.TextStyle[0].Font.Variant = plots.FontVariant
	p.Add(labels)
	return nil
}

// lines draws a one-axis sweep: resident warps, and where points were simulated the achieved ones, cycles and IPC under it.
func (s *Study) lines() (*figure, error) {
	axis := s.Axes[0]
	warps := s.newPanel(axis, "warps per SMX")
	warps.Title.Text = "Resident warps over " + axisKinds[axis.kind()].title + others(s.Launch[s.Chips[0].Name], axis, s.Kernel)
	cycles, ipc := s.newPanel(axis, "cycles"), s.newPanel(axis, "IPC")
	cycles.Title.Text, ipc.Title.Text = "Simulated: cycles of the kernel", "Simulated: warp instructions per cycle and SMX"
	least, most := float64(slices.Min(axis.Values)), float64(slices.Max(axis.Values))
	for _, p := range []*plot.Plot{warps, cycles, ipc} { // one axis for all, also where few points could be simulated
		p.X.Min, p.X.Max = least, max(most, least+1)
	}
	for i, chip := range s.Chips {
		var theory, achieved, time, rate plotter.XYs
		for _, p := range s.Of(chip) {
			x := float64(axis.of(p.Launch))
			theory = append(theory, plotter.XY{X: x, Y: float64(p.Result.Warps)})
			if m := p.Measured; m != nil {
				achieved = append(achieved, plotter.XY{X: x, Y: m.AchievedOccupancy * float64(chip.Warps)})
				time = append(time, plotter.XY{X: x, Y: float64(m.Cycles)})
				rate = append(rate, plotter.XY{X: x, Y: m.IPC})
			}
		}
		warps.Y.Max = max(warps.Y.Max, float64(chip.Warps))
		if err := addSteps(warps, chip.Name, axis, theory, i); err != nil {
			return nil, err
		}
		if len(achieved) == 0 {
			continue
		}
		for _, measured := range []struct {
			plot   *plot.Plot
			points plotter.XYs
		}{{warps, achieved}, {cycles, time}, {ipc, rate}} {
			line, dots, err := plotter.NewLinePoints(measured.points)
			if err != nil {
				return nil, fmt.Errorf("measured points of %s: %w", chip.Name, err)
			}
			line.Color, dots.Color, dots.Shape, dots.Radius = chipColors[i%len(chipColors)], chipColors[i%len(chipColors)], draw.CircleGlyph{}, vg.Points(2.5)
			line.Width = vg.Points(0.8)
			measured.plot.Add(line, dots)
		}
	}
	f := &figure{panels: []panel{{plot: warps, height: panelHeight}}}
	entries := s.chipEntries("")
	if s.Simulated() {
		f.panels = append(f.panels, panel{plot: cycles, height: panelHeight}, panel{plot: ipc, height: panelHeight})
		entries = append(s.chipEntries(", theoretical"), legendEntry{name: "simulated (warps: achieved)", color: color.Black, dot: true})
	}
	f.panels = append(f.panels, legendPanel(entries))
	return f, nil
}

// sizeLabel writes an axis's value: bytes in K where whole.
func sizeLabel(axis string, v int) string {
	if axis == "shared" && v != 0 && v%1024 == 0 {
		return strconv.Itoa(v/1024) + "K"
	}
	return strconv.Itoa(v)
}

// axisTicks puts ticks where a warp, a byte or a register count is a round number.
type axisTicks struct{ axis string }

// Ticks implements plot.Ticker.
func (t axisTicks) Ticks(low, high float64) []plot.Tick {
	steps := map[string][]float64{"block": {32, 64, 128, 256}, "registers": {1, 2, 4, 8, 16, 32, 64}, "shared": {256, 512, 1024, 2048, 4096, 8192, 16384}}[t.axis]
	return stepTicks(low, high, steps, func(v float64) string { return sizeLabel(t.axis, int(v)) })
}

// wholeTicks puts ticks at whole, round numbers, and at parts of one where all lie below.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(low, high float64) []plot.Tick {
	var steps []float64
	for decade := 0.01; decade < 1e18; decade *= 10 {
		steps = append(steps, decade, 2*decade, 4*decade)
	}
	if high > 8 && high <= 64 {
		steps = []float64{1, 2, 4, 8}
	}
	return stepTicks(low, high, steps, func(v float64) string {
		switch {
		case v == 0:
			return "0"
		case high >= 2e6:
			return strconv.FormatFloat(v/1e6, 'g', 4, 64) + " M"
		case high >= 1e4:
			return strconv.FormatFloat(v/1e3, 'g', 4, 64) + " k"
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
}

// maxTicks is how many labelled ticks an axis has.
const maxTicks = 14

// stepTicks puts ticks at multiples of the least step that makes few enough of them.
func stepTicks(low, high float64, steps []float64, label func(float64) string) []plot.Tick {
	step := steps[len(steps)-1]
	for _, s := range steps {
		if (high-low)/s <= maxTicks {
			step = s
			break
		}
	}
	var ticks []plot.Tick
	for n := int(low / step); float64(n)*step <= high; n++ {
		if v := float64(n) * step; v >= low {
			ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
		}
	}
	return ticks
}
