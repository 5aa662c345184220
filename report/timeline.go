package report

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report/plots"
	"github.com/keplersim/keplersim/sim/stats"
)

// Timeline is what happened when, for a run of several commands.
type Timeline struct {
	Intervals []stats.Interval
	// HostUS is when the host's last call returned, DeviceUS when the devices' last command ended, in microseconds from the start.
	HostUS, DeviceUS float64
}

// Commands is the number of intervals in which a device worked.
func (t *Timeline) Commands() (n int) {
	for i := range t.Intervals {
		if works(&t.Intervals[i]) {
			n++
		}
	}
	return n
}

// works tells a command that takes time on a device from calls, events and parts of commands.
func works(i *stats.Interval) bool {
	return i.Kind == "kernel" || i.Kind == "copy" || i.Kind == "memset"
}

// lane is a row of a timeline.
type lane struct {
	name string
	list []*stats.Interval
}

// lanes are the rows: each process's calls, then each stream of each device, in the order of their first intervals.
func (t *Timeline) lanes() (list []lane) {
	devices, processes := 0, 0
	for i := range t.Intervals {
		devices, processes = max(devices, t.Intervals[i].Device), max(processes, t.Intervals[i].Process)
	}
	sorted := make([]*stats.Interval, 0, len(t.Intervals))
	for i := range t.Intervals {
		if k := &t.Intervals[i]; k.Kind == "host" || works(k) || k.Kind == "callback" {
			sorted = append(sorted, k)
		}
	}
	slices.SortStableFunc(sorted, func(a, b *stats.Interval) int {
		return cmp.Or(cmp.Compare(btoi(a.Kind != "host"), btoi(b.Kind != "host")), cmp.Compare(a.Device, b.Device), cmp.Compare(a.Process, b.Process), cmp.Compare(a.Start, b.Start))
	})
	at := map[string]int{}
	for _, i := range sorted {
		name := "host"
		if i.Kind != "host" {
			name = "stream " + i.Stream
		}
		if processes > 0 {
			name = fmt.Sprintf("process %d, %s", i.Process, name)
		}
		if devices > 0 && i.Kind != "host" {
			name = fmt.Sprintf("device %d, %s", i.Device, name)
		}
		n, ok := at[name]
		if !ok {
			n = len(list)
			at[name] = n
			list = append(list, lane{name: name})
		}
		list[n].list = append(list[n].list, i)
	}
	return list
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

const (
	ganttWidth = 72 // characters
	mostLanes  = 40
)

// ganttMarks are what the text draws intervals with, by kind.
var ganttMarks = map[string]byte{"host": '-', "kernel": '#', "copy": '=', "memset": '~', "callback": '!'}

// timeline draws what happened when, a row a stream, where there was more than one command.
func (p *printer) timeline(t *Timeline) {
	if t == nil || t.Commands() < 2 || t.DeviceUS == 0 {
		return
	}
	end := max(t.HostUS, t.DeviceUS)
	lanes := t.lanes()
	width := 0
	for _, l := range lanes {
		width = max(width, len(l.name))
	}
	p.line("Timeline: %s from the host's first call to its last, the devices at work until %s", microseconds(t.HostUS), microseconds(t.DeviceUS))
	p.line("(- the host in a call, # kernel, = copy, ~ memset or copy within, ! callback; a column is %s)", microseconds(end/ganttWidth))
	for n, l := range lanes {
		if n == mostLanes {
			p.line("and %d streams more (--format json has all, --plot-timeline draws them)", len(lanes)-n)
			break
		}
		row := []byte(strings.Repeat(" ", ganttWidth))
		for _, i := range l.list {
			first := min(ganttWidth-1, int(i.Start/end*ganttWidth))
			last := max(first, min(ganttWidth, int(math.Ceil(i.End/end*ganttWidth)))-1)
			for k := first; k <= last; k++ {
				row[k] = ganttMarks[i.Kind]
			}
		}
		p.line("  %-*s |%s|", width, l.name, row)
	}
	p.line("")
}

// jsonInterval is an interval of the timeline; times are in microseconds.
type jsonInterval struct {
	Kind      string  `json:"kind"`
	Name      string  `json:"name"`
	Process   int     `json:"process"`
	Device    *int    `json:"device"`
	Stream    string  `json:"stream,omitempty"`
	Queue     *int    `json:"queue,omitempty"`
	SMX       *int    `json:"smx,omitempty"`
	Direction string  `json:"direction,omitempty"`
	Start     float64 `json:"start_us"`
	End       float64 `json:"end_us"`
}

func timelineJSON(t *Timeline) []jsonInterval {
	if t == nil || t.DeviceUS == 0 {
		return nil
	}
	list := make([]jsonInterval, len(t.Intervals))
	for n := range t.Intervals {
		i := &t.Intervals[n]
		list[n] = jsonInterval{Kind: i.Kind, Name: i.Name, Process: i.Process, Stream: i.Stream, Direction: i.Engine, Start: i.Start, End: i.End}
		if i.Device >= 0 {
			list[n].Device, list[n].Queue = &i.Device, &i.Queue
		}
		if i.SMX >= 0 {
			list[n].SMX = &i.SMX
		}
	}
	return list
}

// laneColors are the colours of the drawing's bars, by kind.
var laneColors = map[string]color.Color{
	"host": color.Gray{0xb0}, "kernel": color.RGBA{0x0b, 0x57, 0xd0, 0xff}, "copy": color.RGBA{0xb3, 0x26, 0x1e, 0xff},
	"memset": color.RGBA{0x1b, 0x87, 0x3f, 0xff}, "callback": color.RGBA{0x8a, 0x4f, 0xbf, 0xff},
}

// bars draws the intervals of the lanes, the first on top.
type bars struct{ lanes []lane }

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for n, l := range b.lanes {
		middle := float64(len(b.lanes) - 1 - n)
		for _, i := range l.list {
			bottom, top := y(middle-0.38), y(middle+0.38)
			left, right := x(i.Start), x(i.End)
			right = max(right, left+vg.Points(0.4))
			c.FillPolygon(laneColors[i.Kind], []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
		}
	}
}

// WriteTimeline draws a run's timeline to a file, .svg or .png: a row for the calls of each process and for each stream.
func WriteTimeline(path string, r *Run) error {
	lanes := r.Timeline.lanes()
	p := plots.New(fmt.Sprintf("%s on %s", r.Workload, configs.TitleOf(r.Config, r.Overrides)),
		"µs; host grey, kernel blue, copy red, memset green, callback violet", "")
	ticks := make(plot.ConstantTicks, len(lanes))
	for n, l := range lanes {
		ticks[n] = plot.Tick{Value: float64(len(lanes) - 1 - n), Label: l.name}
	}
	p.Y.Tick.Marker = ticks
	p.Y.Min, p.Y.Max = -0.6, float64(len(lanes))-0.4
	p.X.Min, p.X.Max = 0, max(r.Timeline.HostUS, r.Timeline.DeviceUS)
	p.Add(plotter.NewGrid(), bars{lanes})
	return plots.SavePlot(path, 9*vg.Inch, vg.Length(len(lanes))*0.3*vg.Inch+1.2*vg.Inch, p)
}
