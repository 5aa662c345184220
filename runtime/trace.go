package runtime

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// Activity is a kernel, a copy or a memset on a device, as in nvprof's GPU trace.
type Activity struct {
	Name       string
	Start, End float64 // µs since the program's start
	Device     int
	Stream     string
	Launch     *stats.Launch // of a kernel, nil if its counters were not kept
	Kernel     bool
	Bytes      uint64 // of a copy or memset
	Pinned     bool   // the host's side of a copy is page-locked
}

// Trace lists the devices' activities by start time. It needs Options.Simulator.Timeline.
func (s *Session) Trace() []Activity {
	type key struct {
		device int
		start  float64
		name   string
	}
	launches := map[key]*stats.Launch{}
	for _, l := range s.summary.Launches {
		launches[key{l.Device, l.StartUS, l.DisplayName()}] = l
	}
	var all []Activity
	for _, d := range s.devices {
		for _, i := range d.gpu.Host().Timeline() {
			a := Activity{Name: i.Name, Start: i.Start, End: i.End, Device: d.number, Stream: i.Stream}
			switch i.Kind {
			case "kernel":
				a.Kernel, a.Launch = true, launches[key{d.number, i.Start, i.Name}]
			case "copy", "memset":
				a.Bytes, a.Pinned = i.Bytes, i.Pinned
			default:
				continue
			}
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b Activity) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// Timeline lists the intervals of all devices. It needs Options.Simulator.Timeline.
func (s *Session) Timeline() (list []stats.Interval) {
	for _, d := range s.devices {
		for _, i := range d.gpu.Host().Timeline() {
			if i.Device >= 0 {
				i.Device = d.number
			}
			list = append(list, i)
		}
	}
	return list
}
