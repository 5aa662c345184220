package report

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/internal/spill"
	"github.com/keplersim/keplersim/sim/stats"
)

// Timeline says when calls and commands ran, for a run of several commands.
type Timeline struct {
	Intervals []stats.Interval
	More      *spill.List[stats.Interval] // the intervals after them, in a run of thousands of commands; nil for none
	// HostUS is when the host's last call returned, DeviceUS when the devices' last command ended, in microseconds from the start.
	HostUS, DeviceUS float64
}

// All returns the intervals. Callers must not change them.
func (t *Timeline) All() iter.Seq[*stats.Interval] {
	return func(yield func(*stats.Interval) bool) {
		for i := range t.Intervals {
			if !yield(&t.Intervals[i]) {
				return
			}
		}
		for _, i := range t.More.All() {
			if !yield(i) {
				return
			}
		}
	}
}

// works reports whether an interval is a command that occupies a device, and not a call, an event or a part of a command.
func works(i *stats.Interval) bool {
	return i.Kind == "kernel" || i.Kind == "copy" || i.Kind == "memset"
}

// Lane is a row of a timeline: the calls of a process, or the commands of a stream.
type Lane struct {
	Name      string
	Intervals []*stats.Interval
}

// Lanes returns the rows: each process's calls, then each stream of each device, in the order of their first intervals.
func (t *Timeline) Lanes() (list []Lane) {
	var sorted []*stats.Interval
	var names laneNames
	for i := range t.All() {
		names.include(i)
		if hasLane(i) {
			sorted = append(sorted, i)
		}
	}
	slices.SortStableFunc(sorted, func(a, b *stats.Interval) int { return placeOf(a, 0).compare(placeOf(b, 0)) })
	at := map[string]int{}
	for _, i := range sorted {
		name := names.of(i)
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

// hasLane reports whether an interval is in a lane.
func hasLane(i *stats.Interval) bool { return i.Kind == "host" || works(i) || i.Kind == "callback" }

// place orders intervals: by lane, and within a lane.
type place struct {
	device, process, number int
	start                   float64
	ofDevice                bool
}

func placeOf(i *stats.Interval, number int) place {
	return place{i.Device, i.Process, number, i.Start, i.Kind != "host"}
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(btoi(p.ofDevice), btoi(q.ofDevice)), cmp.Compare(p.device, q.device), cmp.Compare(p.process, q.process),
		cmp.Compare(p.start, q.start), cmp.Compare(p.number, q.number))
}

// laneNames makes the names of lanes. They have devices and processes only if the run has several.
type laneNames struct {
	devices, processes int // the greatest numbers
}

// include takes an interval into account.
func (n *laneNames) include(i *stats.Interval) {
	n.devices, n.processes = max(n.devices, i.Device), max(n.processes, i.Process)
}

// of returns the name of an interval's lane.
func (n *laneNames) of(i *stats.Interval) string {
	name := "host"
	if i.Kind != "host" {
		name = "stream " + i.Stream
	}
	if n.processes > 0 {
		name = fmt.Sprintf("process %d, %s", i.Process, name)
	}
	if n.devices > 0 && i.Kind != "host" {
		name = fmt.Sprintf("device %d, %s", i.Device, name)
	}
	return name
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
	briefGantt = 48 // characters of the short report's drawing; briefLane are those of a lane's name
	briefLane  = briefWidth - briefGantt - 5
)

// ganttMarks are the characters for intervals, by kind.
var ganttMarks = map[string]byte{"host": '-', "kernel": '#', "copy": '=', "memset": '~', "callback": '!'}

// ganttWaits marks a kernel before its first block starts.
const ganttWaits = '.'

// drawnLane is a lane in characters.
type drawnLane struct {
	name  string
	of    stats.Interval // one of its intervals
	first place
	marks []byte
	drawn []place // the interval that each mark shows: the last one in the lane's order
}

// draw marks an interval.
func (d *drawnLane) draw(i *stats.Interval, at place, end float64) {
	if runs := Runs(i); runs > i.Start {
		d.fill(i.Start, runs, ganttWaits, at, end)
	}
	d.fill(Runs(i), i.End, ganttMarks[i.Kind], at, end)
}

// Runs returns when an interval's work began: for a kernel, the start of its first block.
func Runs(i *stats.Interval) float64 {
	if i.Kind == "kernel" {
		return max(i.Start, i.First)
	}
	return i.Start
}

func (d *drawnLane) fill(start, stop float64, mark byte, at place, end float64) {
	columns := len(d.marks)
	first := min(columns-1, int(start/end*float64(columns)))
	last := max(first, min(columns, int(math.Ceil(stop/end*float64(columns))))-1)
	for k := first; k <= last; k++ {
		if d.marks[k] == ' ' || at.compare(d.drawn[k]) >= 0 {
			d.marks[k], d.drawn[k] = mark, at
		}
	}
}

// overlay adds the marks of another lane.
func (d *drawnLane) overlay(o *drawnLane) {
	if o.first.compare(d.first) < 0 {
		d.first = o.first
	}
	for k, mark := range o.marks {
		if mark != ' ' && (d.marks[k] == ' ' || o.drawn[k].compare(d.drawn[k]) > 0) {
			d.marks[k], d.drawn[k] = mark, o.drawn[k]
		}
	}
}

// drawnLanes draws the rows of Lanes in a number of columns, and counts the commands. It keeps only the rows in memory, not the intervals.
func (t *Timeline) drawnLanes(end float64, columns int) (list []*drawnLane, commands int) {
	type key struct {
		host            bool
		process, device int
		stream          string
	}
	var names laneNames
	lanes := map[key]*drawnLane{}
	number := 0
	for i := range t.All() {
		names.include(i)
		if works(i) {
			commands++
		}
		if !hasLane(i) {
			continue
		}
		at, k := placeOf(i, number), key{i.Kind == "host", i.Process, i.Device, i.Stream}
		number++
		lane := lanes[k]
		if lane == nil {
			lane = &drawnLane{of: *i, first: at, marks: bytes.Repeat([]byte{' '}, columns), drawn: make([]place, columns)}
			lanes[k] = lane
			list = append(list, lane)
		}
		if at.compare(lane.first) < 0 {
			lane.first = at
		}
		lane.draw(i, at, end)
	}
	named := map[string]*drawnLane{} // lanes with the same name are one
	list = slices.DeleteFunc(list, func(l *drawnLane) bool {
		l.name = names.of(&l.of)
		one := named[l.name]
		if one == nil {
			named[l.name] = l
			return false
		}
		one.overlay(l)
		return true
	})
	slices.SortFunc(list, func(a, b *drawnLane) int { return a.first.compare(b.first) })
	return list, commands
}

// timeline draws the timeline, a row for each stream, if there was more than one command.
func (p *printer) timeline(t *Timeline) {
	if t == nil || t.DeviceUS == 0 {
		return
	}
	end := max(t.HostUS, t.DeviceUS)
	columns := ganttWidth
	if p.short() {
		columns = briefGantt
	}
	lanes, commands := t.drawnLanes(end, columns)
	if commands < 2 {
		return
	}
	width := 0
	for _, l := range lanes {
		if p.short() {
			l.name = cutTo(l.name, briefLane)
		}
		width = max(width, len([]rune(l.name)))
	}
	p.wrapped("", fmt.Sprintf("Timeline: %s from the host's first call to its last, the devices at work until %s",
		microseconds(t.HostUS), microseconds(t.DeviceUS)))
	p.wrapped("", fmt.Sprintf("(- the host in a call, . a kernel waiting, # running, = copy, ~ memset or copy within, ! callback; "+
		"a column is %s)",
		microseconds(end/float64(columns))))
	for n, l := range lanes {
		if n == mostLanes {
			p.wrapped("", fmt.Sprintf("and %d streams more (--format json has all, keplersim plot timeline draws them)", len(lanes)-n))
			break
		}
		p.line("  %-*s |%s|", width, l.name, l.marks)
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
	First     float64    `json:"first_us,omitempty"`
	End       float64    `json:"end_us"`
}

// interval converts back to the interval that was written.
func (j *jsonInterval) interval() stats.Interval {
	i := stats.Interval{
		Kind: j.Kind, Name: j.Name, Process: j.Process, Device: -1, Stream: j.Stream, Engine: j.Direction, SMX: -1, Block: j.Block,
		Start: j.Start, End: j.End, First: j.First,
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

// jsonIntervals is a list of a timeline's intervals, each converted when it is written; empty if devices had nothing to do.
type jsonIntervals struct{ of *Timeline }

// JSONSchema describes a list of intervals.
func (jsonIntervals) JSONSchema(of func(reflect.Type) jsonschema.Object) jsonschema.Object {
	return jsonschema.Array(of(reflect.TypeFor[jsonInterval]()))
}

func (j jsonIntervals) depth() int { return 0 }
func (j jsonIntervals) length() int {
	if j.of == nil || j.of.DeviceUS == 0 {
		return 0
	}
	return len(j.of.Intervals) + j.of.More.Len()
}

func (j jsonIntervals) all() iter.Seq[any] {
	return func(yield func(any) bool) {
		for i := range j.of.All() {
			if !yield(intervalJSON(i)) {
				return
			}
		}
	}
}

func intervalJSON(i *stats.Interval) *jsonInterval {
	j := &jsonInterval{Kind: i.Kind, Name: i.Name, Process: i.Process, Stream: i.Stream, Direction: i.Engine, Block: i.Block,
		Depth: i.Depth, Parent: i.Parent, Start: i.Start, End: i.End,
		First: i.First}
	if i.Device >= 0 {
		j.Device, j.Queue = &i.Device, &i.Queue
	}
	if i.SMX >= 0 {
		j.SMX = &i.SMX
	}
	return j
}
