package occupancy

import (
	"errors"
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

// plotWidth is 800 pixels at 96 per inch, in points; panelHeight is the height of a panel.
const (
	plotWidth   vg.Length = 600
	panelHeight vg.Length = 220
)

// chipColor and chipDashes distinguish the lines of several chips.
func chipColor(chip int) color.Color { return plots.Colors[chip%len(plots.Colors)] }

func chipDashes(chip int) []vg.Length { return plots.Dashes[chip/len(plots.Colors)%len(plots.Dashes)] }

// WritePlot writes the study's plot to a file, .svg, .png or .pdf. A single launch gives the three curves of NVIDIA's spreadsheet with the
// launch marked; one axis gives the resident warps over it.
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
	}
	return nil, errors.New("a plot has one axis at most")
}

// curveAxes returns the axes of the spreadsheet's three curves on a chip.
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

// curve returns the resident warps over an axis, with all other numbers as in the launch.
func curve(l smx.Limits, launch smx.Launch, a Axis) plotter.XYs {
	points := make(plotter.XYs, len(a.Values))
	for i, v := range a.Values {
		points[i] = plotter.XY{X: float64(v), Y: float64(l.Calculate(a.apply(launch, v)).Warps)}
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

// others lists the launch's other numbers while an axis varies; values of several chips appear once each.
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
	p.X.Tick.Marker, p.Y.Tick.Marker = axisTicks{axis.Name}, warpTicks{}
	return p
}

// addSteps draws a chip's resident warps over an axis. A value of registers or shared memory holds from the previous value up to itself.
// Block sizes are whole warps, with nothing between them. Coinciding lines of several chips are drawn inside each other.
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

// addMark marks the launch with a dot and, once for all chips with the same number, its warps.
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

// lines draws a one-axis sweep: the resident warps of each chip.
func (s *Study) lines() (*plots.Figure, error) {
	axis := s.Axes[0]
	warps := s.newPanel(axis, "warps per SMX")
	warps.Title.Text = "Resident warps over " + axisKinds[axis.kind()].title + s.others(axis)
	warps.X.Tick.Marker = axis.ticks()
	for i, chip := range s.Chips {
		var points plotter.XYs
		for _, p := range s.Of(chip) {
			points = append(points, plotter.XY{X: float64(axis.of(p.Launch)), Y: float64(p.Result.Warps)})
		}
		warps.Y.Max = max(warps.Y.Max, float64(chip.Warps))
		if err := s.addSteps(warps, chip.Name, axis, points, i); err != nil {
			return nil, err
		}
	}
	return &plots.Figure{Width: plotWidth, Panels: []plots.Panel{
		{Plot: warps, Height: panelHeight}, plots.LegendPanel(plotWidth, s.chipEntries()),
	}}, nil
}

// chipEntries returns the legend entries of the study's chips.
func (s *Study) chipEntries() []plots.Entry {
	var entries []plots.Entry
	for i, chip := range s.Chips {
		entries = append(entries, plots.Entry{Name: chip.Name + " (cc " + chip.Capability + ")", Color: chipColor(i), Dashes: chipDashes(i),
			Width: min(plots.NestedWidth(i, len(s.Chips)), mostLegendWidth)})
	}
	return entries
}

// mostLegendWidth is the largest width of a legend line, in points.
const mostLegendWidth vg.Length = 8

// ticks returns ticks at the axis's values.
func (a Axis) ticks() plot.Ticker {
	values := make([]float64, len(a.Values))
	for i, v := range a.Values {
		values[i] = float64(v)
	}
	return plots.ValueTicks{Values: values, Label: func(v float64) string { return sizeLabel(a.Name, int(v)) }}
}

// sizeLabel formats an axis's value; whole multiples of 1,024 bytes are in K.
func sizeLabel(axis string, v int) string {
	if axis == "shared" && v != 0 && v%1024 == 0 {
		return strconv.Itoa(v/1024) + "K"
	}
	return strconv.Itoa(v)
}

// axisTicks puts ticks at round numbers of threads, registers or bytes.
type axisTicks struct{ axis string }

// Ticks implements plot.Ticker.
func (t axisTicks) Ticks(low, high float64) []plot.Tick {
	steps := map[string][]float64{"block": {32, 64, 128, 256}, "registers": {1, 2, 4, 8, 16, 32, 64},
		"shared": {256, 512, 1024, 2048, 4096, 8192, 16384}}[t.axis]
	return stepTicks(low, high, steps, func(v float64) string { return sizeLabel(t.axis, int(v)) })
}

// warpTicks puts ticks at whole, round numbers of warps.
type warpTicks struct{}

// Ticks implements plot.Ticker.
func (warpTicks) Ticks(low, high float64) []plot.Tick {
	return stepTicks(low, high, []float64{1, 2, 4, 8}, func(v float64) string { return strconv.Itoa(int(v)) })
}

// maxTicks is the most labelled ticks of an axis.
const maxTicks = 14

// stepTicks puts ticks at multiples of the smallest step that gives few enough of them.
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
