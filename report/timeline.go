package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// Timeline is what happened when, for a run of several commands.
type Timeline struct {
	Intervals []stats.Interval
	// HostUS is when the host's last call returned, DeviceUS when the devices' last command ended, in microseconds from the start.
	HostUS, DeviceUS float64
}

// Commands returns the number of intervals in which a device worked.
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

// Lane is a row of a timeline: the calls of a process, or what a stream did.
type Lane struct {
	Name      string
	Intervals []*stats.Interval
}

// Lanes returns the rows: each process's calls, then each stream of each device, in the order of their first intervals.
func (t *Timeline) Lanes() (list []Lane) {
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
		return cmp.Or(cmp.Compare(btoi(a.Kind != "host"), btoi(b.Kind != "host")), cmp.Compare(a.Device, b.Device),
			cmp.Compare(a.Process, b.Process), cmp.Compare(a.Start, b.Start))
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
			list = append(list, Lane{Name: name})
		}
		list[n].Intervals = append(list[n].Intervals, i)
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
	lanes := t.Lanes()
	width := 0
	for _, l := range lanes {
		width = max(width, len(l.Name))
	}
	p.line("Timeline: %s from the host's first call to its last, the devices at work until %s", microseconds(t.HostUS),
		microseconds(t.DeviceUS))
	p.line("(- the host in a call, # kernel, = copy, ~ memset or copy within, ! callback; a column is %s)", microseconds(end/ganttWidth))
	for n, l := range lanes {
		if n == mostLanes {
			p.line("and %d streams more (--format json has all, --plot-timeline draws them)", len(lanes)-n)
			break
		}
		row := []byte(strings.Repeat(" ", ganttWidth))
		for _, i := range l.Intervals {
			first := min(ganttWidth-1, int(i.Start/end*ganttWidth))
			last := max(first, min(ganttWidth, int(math.Ceil(i.End/end*ganttWidth)))-1)
			for k := first; k <= last; k++ {
				row[k] = ganttMarks[i.Kind]
			}
		}
		p.line("  %-*s |%s|", width, l.Name, row)
	}
	p.line("")
}

// jsonInterval is an interval of the timeline; times are in microseconds.
type jsonInterval struct {
	Kind      string     `json:"kind"`
	Name      string     `json:"name"`
	Process   int        `json:"process"`
	Device    *int       `json:"device"`
	Stream    string     `json:"stream,omitempty"`
	Queue     *int       `json:"queue,omitempty"`
	Depth     int        `json:"depth,omitempty"`
	Parent    string     `json:"parent,omitempty"`
	SMX       *int       `json:"smx,omitempty"`
	Block     *[3]uint32 `json:"block,omitempty"`
	Direction string     `json:"direction,omitempty"`
	Start     float64    `json:"start_us"`
	End       float64    `json:"end_us"`
}

// interval is what was written.
func (j *jsonInterval) interval() stats.Interval {
	i := stats.Interval{
		Kind: j.Kind, Name: j.Name, Process: j.Process, Device: -1, Stream: j.Stream, Engine: j.Direction, SMX: -1, Block: j.Block,
		Start: j.Start, End: j.End,
	}
	if j.Device != nil {
		i.Device = *j.Device
	}
	if j.Queue != nil {
		i.Queue = *j.Queue
	}
	if j.SMX != nil {
		i.SMX = *j.SMX
	}
	return i
}

func timelineJSON(t *Timeline) []jsonInterval {
	if t == nil || t.DeviceUS == 0 {
		return nil
	}
	list := make([]jsonInterval, len(t.Intervals))
	for n := range t.Intervals {
		i := &t.Intervals[n]
		list[n] = jsonInterval{Kind: i.Kind, Name: i.Name, Process: i.Process, Stream: i.Stream, Direction: i.Engine, Block: i.Block,
			Depth: i.Depth, Parent: i.Parent, Start: i.Start, End: i.End}
		if i.Device >= 0 {
			list[n].Device, list[n].Queue = &i.Device, &i.Queue
		}
		if i.SMX >= 0 {
			list[n].SMX = &i.SMX
		}
	}
	return list
}
