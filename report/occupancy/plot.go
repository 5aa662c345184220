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

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report/plots"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// plotWidth is 800 pixels at 96 to the inch, in points; a panel is panelHeight.
const (
	plotWidth   vg.Length = 600
	panelHeight vg.Length = 220
)

// chipColor and chipDashes tell the lines of several chips apart.
func chipColor(chip int) color.Color { return plots.Colors[chip%len(plots.Colors)] }

func chipDashes(chip int) []vg.Length { return plots.Dashes[chip/len(plots.Colors)%len(plots.Dashes)] }

// WritePlot writes the study's plot to a file, .svg, .png or .pdf: for a single launch the three curves of NVIDIA's spreadsheet
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
	return f.Save(path)
}

// figure chooses the picture for the number of axes.
func (s *Study) figure() (*plots.Figure, error) {
	switch len(s.Axes) {
	case 0:
		return s.curves()
	case 1:
		return s.lines()
	default:
		return s.heatMaps()
	}
}

// curveAxes returns the spreadsheet's three curves on a chip.
func curveAxes(l smx.Limits) []Axis {
	return []Axis{steps("block", 32, l.ThreadsPerBlock, 32), steps("registers", 1, l.RegistersPerThread, 1),
		steps("shared", 0, l.SharedPerBlock, l.SharedUnit)}
}

func steps(name string, from, to, step int) Axis {
	a := Axis{Name: name}
	for v := from; v <= to; v += step {
		a.Values = append(a.Values, v)
	}
	return a
}

// curve returns the resident warps over an axis, all else as in the launch.
func curve(l smx.Limits, launch smx.Launch, a Axis) plotter.XYs {
	points := make(plotter.XYs, len(a.Values))
	for i, v := range a.Values {
		points[i] = plotter.XY{X: float64(v), Y: float64(l.Calculate(a.with(launch, v)).Warps)}
	}
	return points
}

// curves draws the three curves, a line for each chip, with the launch marked on each.
func (s *Study) curves() (*plots.Figure, error) {
	f := &plots.Figure{Width: plotWidth}
	for kind := range axisKinds {
		var p *plot.Plot
		labelled := map[plotter.XY]bool{}
		for i, chip := range s.Chips {
			launch, axis := s.Launch[chip.Name], curveAxes(chip)[kind]
			if p == nil {
				p = s.newPanel(axis, "resident warps per SMX")
				p.Title.Text = fmt.Sprintf("Warps over %s%s", axisKinds[kind].title, s.others(axis))
			}
			if err := s.addSteps(p, chip.Name, axis, curve(chip, launch, axis), i); err != nil {
				return nil, err
			}
			here := plotter.XY{X: float64(axis.of(launch)), Y: float64(chip.Calculate(launch).Warps)}
			if err := s.addMark(p, here, i, !labelled[here]); err != nil {
				return nil, err
			}
			labelled[here] = true
			p.Y.Max = max(p.Y.Max, float64(chip.Warps))
		}
		f.Panels = append(f.Panels, plots.Panel{Plot: p, Height: panelHeight})
	}
	f.Panels = append(f.Panels, plots.LegendPanel(plotWidth, s.chipEntries(),
		[]plots.Entry{{Name: "this launch, with its warps", Color: color.Black, Glyph: draw.CircleGlyph{}}}))
	return f, nil
}

// others names what the launch holds still while an axis varies, and where: of several chips each value once.
func (s *Study) others(axis Axis) string {
	var parts, chips []string
	if s.Kernel != "" {
		parts = append(parts, s.Kernel)
	}
	for _, chip := range s.Chips {
		chips = append(chips, chip.Name)
	}
	for _, k := range axisKinds {
		if k.name == axis.Name {
			continue
		}
		var values []string
		for _, chip := range s.Chips {
			if v := sizeLabel(k.name, k.get(s.Launch[chip.Name])); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		parts = append(parts, k.name+" "+strings.Join(values, " or "))
	}
	text := " (" + strings.Join(parts, ", ") + ")\non " + strings.Join(chips, ", ")
	if len(s.Overrides) > 0 {
		text += " with " + configs.JoinOverrides(s.Overrides)
	}
	return text
}

// newPanel returns an empty plot over an axis.
func (s *Study) newPanel(axis Axis, y string) *plot.Plot {
	p := plots.New("", axis.Title(), y)
	p.Y.Min = 0
	p.X.Tick.Marker, p.Y.Tick.Marker = axisTicks{axis.Name}, wholeTicks{}
	return p
}

// addSteps draws the warps of a chip over an axis: a registers' or a shared memory's value holds from the one before it up to itself,
// block sizes are whole warps, between which there is nothing. Lines of several chips that coincide lie inside each other.
func (s *Study) addSteps(p *plot.Plot, name string, axis Axis, points plotter.XYs, chip int) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("line of %s: %w", name, err)
	}
	if axis.Name != "block" {
		line.StepStyle = plotter.PreStep
	}
	line.Color, line.Dashes, line.Width = chipColor(chip), chipDashes(chip), plots.NestedWidth(chip, len(s.Chips))
	p.Add(line)
	return nil
}

// addMark marks the launch with a dot and, once for all chips that have them, its warps.
func (s *Study) addMark(p *plot.Plot, at plotter.XY, chip int, labelled bool) error {
	mark, err := plotter.NewScatter(plotter.XYs{at})
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	mark.Shape, mark.Radius, mark.Color = draw.CircleGlyph{}, plots.NestedRadius(chip, len(s.Chips))+2, chipColor(chip)
	p.Add(mark)
	if !labelled {
		return nil
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{strconv.Itoa(int(at.Y))}})
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	labels.Offset = vg.Point{X: 8, Y: 6}
	labels.TextStyle[0].Font.Variant = plots.FontVariant
	p.Add(labels)
	return nil
}

// wrongMark is the colour of points with wrong results.
var wrongMark = color.RGBA{R: 0xc0, A: 0xff}

// lines draws a one-axis sweep: resident warps, and where points were simulated the achieved ones, cycles and IPC under it.
func (s *Study) lines() (*plots.Figure, error) {
	axis := s.Axes[0]
	warps := s.newPanel(axis, "warps per SMX")
	warps.Title.Text = "Resident warps over " + axisKinds[axis.kind()].title + s.others(axis)
	cycles, ipc := s.newPanel(axis, "cycles"), s.newPanel(axis, "IPC")
	cycles.Title.Text, ipc.Title.Text = "Simulated: cycles of the kernel", "Simulated: warp instructions per cycle and SMX"
	least, most := float64(slices.Min(axis.Values)), float64(slices.Max(axis.Values))
	if least == most {
		least, most = least-1, most+1
	}
	for _, p := range []*plot.Plot{warps, cycles, ipc} { // one axis for all, also where few points could be simulated
		p.X.Min, p.X.Max, p.X.Tick.Marker = least, most, axis.ticks()
	}
	anyWrong := false
	for i, chip := range s.Chips {
		var theory plotter.XYs
		for _, p := range s.Of(chip) {
			theory = append(theory, plotter.XY{X: float64(axis.of(p.Launch)), Y: float64(p.Result.Warps)})
		}
		warps.Y.Max = max(warps.Y.Max, float64(chip.Warps))
		if err := s.addSteps(warps, chip.Name, axis, theory, i); err != nil {
			return nil, err
		}
		for _, measured := range []struct {
			plot *plot.Plot
			of   func(*Measured) float64
		}{
			{warps, func(m *Measured) float64 { return m.AchievedOccupancy * float64(chip.Warps) }},
			{cycles, func(m *Measured) float64 { return float64(m.Cycles) }}, {ipc, func(m *Measured) float64 { return m.IPC }},
		} {
			wrong, err := s.addMeasured(measured.plot, axis, i, measured.of)
			if err != nil {
				return nil, err
			}
			anyWrong = anyWrong || wrong
		}
	}
	f := &plots.Figure{Width: plotWidth, Panels: []plots.Panel{{Plot: warps, Height: panelHeight}}}
	marks := []plots.Entry{{Name: "theoretical", Color: color.Black}}
	if s.Simulated() {
		f.Panels = append(f.Panels, plots.Panel{Plot: cycles, Height: panelHeight}, plots.Panel{Plot: ipc, Height: panelHeight})
		marks = append(marks, plots.Entry{Name: "simulated (warps: achieved)", Color: color.Black, Glyph: draw.CircleGlyph{}})
	}
	if anyWrong {
		marks = append(marks, plots.Entry{Name: "simulated, wrong result", Color: wrongMark, Glyph: draw.CrossGlyph{}})
	}
	f.Panels = append(f.Panels, plots.LegendPanel(plotWidth, s.chipEntries(), marks))
	return f, nil
}

// addMeasured draws what the simulations of a chip's points gave: dots on a line, and a cross for each point with a wrong result, which the
// line passes by. It reports whether there is one.
func (s *Study) addMeasured(p *plot.Plot, axis Axis, chip int, of func(*Measured) float64) (wrong bool, err error) {
	var right, crossed plotter.XYs
	points := s.Of(s.Chips[chip])
	for i := range points {
		if m := points[i].Measured; m != nil {
			at := plotter.XY{X: float64(axis.of(points[i].Launch)), Y: of(m)}
			if points[i].wrong() {
				crossed = append(crossed, at)
			} else {
				right = append(right, at)
			}
		}
	}
	if len(right) > 0 {
		line, dots, err := plotter.NewLinePoints(right)
		if err != nil {
			return false, fmt.Errorf("measured points of %s: %w", s.Chips[chip].Name, err)
		}
		line.Color, line.Dashes, line.Width = chipColor(chip), chipDashes(chip), vg.Points(0.8)
		dots.Color, dots.Shape, dots.Radius = chipColor(chip), draw.CircleGlyph{}, plots.NestedRadius(chip, len(s.Chips))
		p.Add(line, dots)
	}
	if len(crossed) > 0 {
		crosses, err := plotter.NewScatter(crossed)
		if err != nil {
			return false, fmt.Errorf("measured points of %s: %w", s.Chips[chip].Name, err)
		}
		crosses.Color, crosses.Shape, crosses.Radius = wrongMark, draw.CrossGlyph{}, vg.Points(4)
		p.Add(crosses)
	}
	return len(crossed) > 0, nil
}

// ticks are at the axis's values.
func (a Axis) ticks() plot.Ticker {
	values := make([]float64, len(a.Values))
	for i, v := range a.Values {
		values[i] = float64(v)
	}
	return plots.ValueTicks{Values: values, Label: func(v float64) string { return sizeLabel(a.Name, int(v)) }}
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
	steps := map[string][]float64{"block": {32, 64, 128, 256}, "registers": {1, 2, 4, 8, 16, 32, 64},
		"shared": {256, 512, 1024, 2048, 4096, 8192, 16384}}[t.axis]
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
