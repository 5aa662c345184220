package draw

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/plots"
	"github.com/keplersim/keplersim/sim/stats"
)

// Kind is a diagram of saved reports.
type Kind struct {
	Name, Meaning string
	Draw          func(path string, reports []report.Saved) error
}

// Kinds are the diagrams of saved reports.
var Kinds = []Kind{
	{"roofline", "the chip's ceilings, and a point for each kernel and level of memory", savedRoofline},
	{"stalls", "what each kernel's warps waited for, in parts of their waiting", savedStalls},
	{"timeline", "what happened when, of one report", savedTimeline},
	{"latency", "cycles from a load's issue to its data, by where they were", savedLatency},
	{"bandwidth", "what each kernel moved at each level of memory, in percent of its peak", savedBandwidth},
}

// kernel is a kernel of a report with all its launches.
type kernel struct {
	name     string
	launches []*report.SavedLaunch
}

// kernelsOf lists the kernels of the reports. If there are several reports, names include the report's.
func kernelsOf(reports []report.Saved) (list []kernel) {
	for r := range reports {
		first := len(list)
		for i := range reports[r].Launches {
			l := reports[r].Launches[i]
			at := slices.IndexFunc(list[first:], func(k kernel) bool { return k.launches[0].Symbol == l.Symbol })
			if at < 0 {
				name, _, _ := strings.Cut(l.Name, "(")
				if len(reports) > 1 {
					name = reports[r].Name + ": " + name
				}
				list = append(list, kernel{name: name})
				at = len(list) - 1 - first
			}
			list[first+at].launches = append(list[first+at].launches, l)
		}
	}
	return list
}

// mean returns a metric's mean over the kernel's launches, weighted by time.
func (k *kernel) mean(of func(l *report.SavedLaunch) float64) float64 {
	sum, weight := 0.0, 0.0
	for _, l := range k.launches {
		sum += l.TimeUS * of(l)
		weight += l.TimeUS
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// series is one colour of a bar diagram: a value for each kernel.
type series struct {
	name   string
	colour color.Color
	values plotter.Values
}

// errUntimed is the error for reports without times.
var errUntimed = errors.New("the reports are of functional runs: there is no time in them")

// drawBars draws horizontal bars, a group for each kernel, with the series stacked or side by side.
func drawBars(path, title, axis string, kernels []kernel, all []series, stacked bool) error {
	if len(kernels) == 0 || len(all) == 0 {
		return errUntimed
	}
	p := plots.New(title, axis, "")
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.TextStyle, legend.Padding = true, true, p.Legend.TextStyle, vg.Points(3)
	thickness := vg.Points(14)
	if !stacked {
		thickness = vg.Points(9)
	}
	var below *plotter.BarChart
	for n := range all {
		slices.Reverse(all[n].values) // so that the first kernel is on top
		bar, err := plotter.NewBarChart(all[n].values, thickness)
		if err != nil {
			return fmt.Errorf("plot %s: %w", path, err)
		}
		bar.Horizontal, bar.Color, bar.LineStyle.Width = true, all[n].colour, 0
		if stacked && below != nil {
			bar.StackOn(below)
		} else if !stacked {
			bar.Offset = thickness * vg.Length(float64(len(all)-1)/2-float64(n))
		}
		below = bar
		p.Add(bar)
		legend.Add(all[n].name, bar)
	}
	ticks := make(plot.ConstantTicks, len(kernels))
	for i := range kernels {
		ticks[i] = plot.Tick{Value: float64(len(kernels) - 1 - i), Label: kernels[i].name}
	}
	p.Y.Tick.Marker = ticks
	p.Y.Min, p.Y.Max = -0.6, float64(len(kernels))-0.4
	p.X.Min = 0
	group := vg.Length(1)
	if !stacked {
		group = vg.Length(len(all))
	}
	height := max(vg.Length(len(kernels))*(group*thickness+vg.Points(14))+90, vg.Length(len(all))*vg.Points(14)+90)
	const width, right = 9 * vg.Inch, 170
	return plots.Save(path, width, height, func(c draw.Canvas) {
		p.Draw(draw.Crop(c, 8, -right, 6, -8))
		legend.Draw(draw.Crop(c, width-right+10, -8, 6, -36))
	})
}

func savedRoofline(path string, reports []report.Saved) error {
	return Roofline(path, (&report.Comparison{Reports: reports}).Rooflines())
}

// stallColours are the colours of the stall reasons, in nvprof's order.
var stallColours = [stats.ProfilerStalls]color.Color{
	color.RGBA{0xb8, 0xa9, 0xc9, 0xff}, color.RGBA{0xf2, 0xc1, 0x4e, 0xff}, color.RGBA{0xd1, 0x49, 0x5b, 0xff},
	color.RGBA{0x6c, 0x8e, 0xad, 0xff},
	color.RGBA{0xe0, 0x8e, 0x45, 0xff}, color.RGBA{0x7a, 0x28, 0x35, 0xff}, color.RGBA{0xa8, 0xc6, 0x86, 0xff},
	color.RGBA{0xd9, 0x8c, 0xb3, 0xff},
	color.RGBA{0xc2, 0x6d, 0x9a, 0xff}, color.RGBA{0xc0, 0xc0, 0xc0, 0xff},
}

func savedStalls(path string, reports []report.Saved) error {
	kernels := kernelsOf(reports)
	var all []series
	for reason := range stats.ProfilerStalls {
		s := series{name: strings.ReplaceAll(reason.String(), "_", " "), colour: stallColours[reason]}
		occurs := false
		for i := range kernels {
			v := kernels[i].mean(func(l *report.SavedLaunch) float64 { return l.Metrics["stall_"+reason.String()] })
			s.values = append(s.values, v)
			occurs = occurs || v > 0
		}
		if occurs {
			all = append(all, s)
		}
	}
	return drawBars(path, "What warps wait for", "% of the waiting", kernels, all, true)
}

func savedLatency(path string, reports []report.Saved) error {
	kernels := kernelsOf(reports)
	var all []series
	for n, m := range [][2]string{{"l2_hit_latency", "L2 has the data"}, {"dram_latency", "DRAM has the data"}} {
		s := series{name: m[1], colour: plots.Colors[n]}
		for i := range kernels {
			s.values = append(s.values, kernels[i].mean(func(l *report.SavedLaunch) float64 { return l.Metrics[m[0]] }))
		}
		all = append(all, s)
	}
	if !slices.ContainsFunc(all, func(s series) bool { return slices.ContainsFunc(s.values, func(v float64) bool { return v > 0 }) }) {
		return errors.New("no load went to L2: there are no latencies to draw")
	}
	return drawBars(path, "Latency of loads behind the multiprocessors", "core cycles", kernels, all, false)
}

func savedBandwidth(path string, reports []report.Saved) error {
	kernels := kernelsOf(reports)
	kernels = slices.DeleteFunc(kernels, func(k kernel) bool { return k.launches[0].Roofline == nil })
	if len(kernels) == 0 {
		return errUntimed
	}
	var all []series
	for n, name := range []string{"shared memory", "L2", "DRAM"} {
		s := series{name: name, colour: plots.Colors[n]}
		for i := range kernels {
			s.values = append(s.values, kernels[i].mean(func(l *report.SavedLaunch) float64 {
				r := &l.Roofline.Roofline
				for _, level := range r.Levels() {
					if level.Name == name {
						return 100 * level.Reached(r)
					}
				}
				return 0
			}))
		}
		all = append(all, s)
	}
	return drawBars(path, "Bandwidth", "% of the level's peak", kernels, all, false)
}

func savedTimeline(path string, reports []report.Saved) error {
	if len(reports) != 1 {
		return fmt.Errorf("a timeline is of one report, and there are %d", len(reports))
	}
	run := reports[0].Run()
	if run.Timeline == nil {
		return fmt.Errorf("%s has no timeline", reports[0].Name)
	}
	return Timeline(path, run)
}
