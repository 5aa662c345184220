package draw

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/plots"
)

// laneColors are the colours of bars, by the kind of interval.
var laneColors = map[string]color.Color{
	"host": color.Gray{0xb0}, "kernel": color.RGBA{0x0b, 0x57, 0xd0, 0xff}, "copy": color.RGBA{0xb3, 0x26, 0x1e, 0xff},
	"memset": color.RGBA{0x1b, 0x87, 0x3f, 0xff}, "callback": color.RGBA{0x8a, 0x4f, 0xbf, 0xff},
}

// waitingColor is for a kernel before its first block starts.
var waitingColor = color.RGBA{0xb5, 0xcc, 0xf2, 0xff}

// bars draws the intervals of the lanes, the first lane on top.
type bars struct{ lanes []report.Lane }

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for n, l := range b.lanes {
		middle := float64(len(b.lanes) - 1 - n)
		for _, i := range l.Intervals {
			bottom, top := y(middle-0.38), y(middle+0.38)
			left, right := x(report.Runs(i)), x(i.End)
			if left > x(i.Start) {
				c.FillPolygon(waitingColor, box(x(i.Start), left, bottom, top))
			}
			right = max(right, left+vg.Points(0.4))
			c.FillPolygon(laneColors[i.Kind], box(left, right, bottom, top))
		}
	}
}

// Timeline draws a run's timeline to a file, .svg, .png or .pdf: a row for the calls of each process and for each stream.
func Timeline(path string, r *report.Run) error {
	lanes := r.Timeline.Lanes()
	p := plots.New(fmt.Sprintf("%s on %s", r.Workload, configs.TitleOf(r.Config, r.Overrides)),
		"µs; host grey, kernel blue (pale: waiting for its first block), copy red, memset green, callback violet", "")
	ticks := make(plot.ConstantTicks, len(lanes))
	for n, l := range lanes {
		ticks[n] = plot.Tick{Value: float64(len(lanes) - 1 - n), Label: l.Name}
	}
	p.Y.Tick.Marker = ticks
	p.Y.Min, p.Y.Max = -0.6, float64(len(lanes))-0.4
	p.X.Min, p.X.Max = 0, max(r.Timeline.HostUS, r.Timeline.DeviceUS)
	p.Add(plotter.NewGrid(), bars{lanes})
	return plots.SavePlot(path, 9*vg.Inch, vg.Length(len(lanes))*0.3*vg.Inch+1.2*vg.Inch, p)
}
