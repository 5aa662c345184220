package trace

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/stats"
)

// Run is the content of a trace.
type Run struct {
	Workload  string
	Chip      stats.Chip
	Launches  []*stats.Launch
	Timeline  []stats.Interval
	Power     []*stats.Power       // of each device's board; nil if not asked for
	Recording *recording.Recording // nil if nothing was recorded
}

// Numbers of processes in the trace. They determine the order.
const (
	processHost   = 1
	processDevice = 100  // plus the device's number
	processMemory = 200  // plus the device's number
	processSMX    = 1000 // plus the SMX's number; each further device adds processSMX
)

// Threads of a device.
const (
	threadQueue  = 1000
	threadEngine = 2000
)

// Compressed reports from a file's name whether to compress a trace.
func Compressed(file string) bool { return strings.HasSuffix(strings.ToLower(file), ".gz") }

// Write writes a run as a trace, compressed by gzip or not.
func Write(to io.Writer, r *Run, compressed bool) error {
	if !compressed {
		return write(to, r)
	}
	z := gzip.NewWriter(to)
	if err := write(z, r); err != nil {
		return err
	}
	return z.Close()
}

func write(to io.Writer, r *Run) error {
	w := newWriter(to)
	w.text("{\"displayTimeUnit\":\"ns\",\"otherData\":")
	w.text(fmt.Sprintf("{\"program\":\"keplersim\",\"workload\":%q,\"config\":%q},\n\"traceEvents\":[\n", r.Workload, r.Chip.Config))
	w.commands(r)
	w.blocks(r)
	w.counters(r)
	w.power(r)
	if r.Recording != nil {
		w.recording(r.Recording)
	}
	w.text("\n]}\n")
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}

func smxProcess(device, smx int) int { return processSMX*(device+1) + smx }

// byStart returns the intervals of some kinds, sorted by start.
func byStart(list []stats.Interval, kinds ...string) (chosen []*stats.Interval) {
	for i := range list {
		if slices.Contains(kinds, list[i].Kind) {
			chosen = append(chosen, &list[i])
		}
	}
	slices.SortStableFunc(chosen, func(a, b *stats.Interval) int { return cmp.Compare(a.Start, b.Start) })
	return chosen
}

// commands writes the host's calls, and each command in its stream, its queue and, for a copy, its engine.
func (w *writer) commands(r *Run) {
	for _, i := range byStart(r.Timeline, "host", "callback") {
		w.process(processHost, "host")
		w.thread(processHost, i.Process+1, fmt.Sprintf("process %d", i.Process))
		w.slice(processHost, i.Process+1, i.Name, i.Kind, nanoseconds(i.Start), nanoseconds(i.End), nil)
	}
	streams, engines, queues := map[string]int{}, map[string]int{}, map[[2]int]*lanes{}
	for _, i := range byStart(r.Timeline, "kernel", "copy", "memset", "record", "wait") {
		p := processDevice + i.Device
		w.process(p, fmt.Sprintf("device %d: streams, queues, copy engines", i.Device))
		from, to := nanoseconds(i.Start), nanoseconds(i.End)
		stream := fmt.Sprintf("%d %d %s", i.Device, i.Process, i.Stream)
		if _, ok := streams[stream]; !ok {
			streams[stream] = len(streams) + 1
		}
		name := "stream " + i.Stream
		if i.Process > 0 {
			name = fmt.Sprintf("process %d, %s", i.Process, name)
		}
		w.thread(p, streams[stream], name)
		w.slice(p, streams[stream], i.Name, i.Kind, from, to, map[string]any{"queue": i.Queue})
		queue := [2]int{i.Device, i.Queue}
		if queues[queue] == nil {
			queues[queue] = &lanes{}
		}
		lane := queues[queue].take(from, to)
		thread := threadQueue + i.Queue*16 + lane
		w.thread(p, thread, fmt.Sprintf("queue %d", i.Queue))
		w.slice(p, thread, i.Name, i.Kind, from, to, map[string]any{"stream": i.Stream})
		if i.Engine != "" {
			if _, ok := engines[i.Engine]; !ok {
				engines[i.Engine] = threadEngine + len(engines)
			}
			w.thread(p, engines[i.Engine], "copies "+i.Engine)
			w.slice(p, engines[i.Engine], i.Name, i.Kind, from, to, nil)
		}
	}
}

// blocks writes the blocks of each SMX; blocks that are resident at the same time are in different lanes.
func (w *writer) blocks(r *Run) {
	free := map[int]*lanes{}
	for _, i := range byStart(r.Timeline, "block") {
		p := smxProcess(i.Device, i.SMX)
		name := fmt.Sprintf("SMX %d", i.SMX)
		if i.Device > 0 {
			name = fmt.Sprintf("device %d, %s", i.Device, name)
		}
		w.process(p, name)
		if free[p] == nil {
			free[p] = &lanes{}
		}
		from, to := nanoseconds(i.Start), nanoseconds(i.End)
		lane := free[p].take(from, to)
		w.thread(p, lane+1, fmt.Sprintf("blocks %d", lane))
		label := i.Name
		if i.Block != nil {
			label = fmt.Sprintf("%s (%d,%d,%d)", i.Name, i.Block[0], i.Block[1], i.Block[2])
		}
		w.slice(p, lane+1, label, "block", from, to, nil)
	}
}

// counters writes the samples of each launch as rates.
func (w *writer) counters(r *Run) {
	for _, l := range r.Launches {
		p := processDevice + l.Device
		last := stats.Sample{}
		cycles := float64(1)
		if n := len(l.Samples); n > 0 {
			cycles = float64(max(1, l.Samples[n-1].Cycle))
		}
		at := func(cycle uint64) micro { return nanoseconds(l.FirstUS + (l.LastUS-l.FirstUS)*float64(cycle)/cycles) }
		for _, s := range l.Samples {
			span := float64(s.Cycle - last.Cycle)
			if span == 0 {
				continue
			}
			from := at(last.Cycle)
			seconds := float64(at(s.Cycle)-from) / 1e9
			active := float64(s.ActiveCycles - last.ActiveCycles)
			w.counter(p, "IPC of all SMXs", "instructions per cycle", from, float64(s.Instructions-last.Instructions)/span)
			if active > 0 {
				w.counter(p, "active warps", "warps per SMX", from, float64(s.WarpCycles-last.WarpCycles)/active)
			}
			if seconds > 0 {
				w.counter(p, "L2", "GB/s", from, stats.SectorBytes*float64(s.L2Sectors-last.L2Sectors)/seconds/1e9)
				w.counter(p, "DRAM reads", "GB/s", from,
					stats.SectorBytes*float64(s.DRAMReadSectors-last.DRAMReadSectors)/seconds/1e9)
				w.counter(p, "DRAM writes", "GB/s", from,
					stats.SectorBytes*float64(s.DRAMWriteSectors-last.DRAMWriteSectors)/seconds/1e9)
				w.counter(p, "core clock", "MHz", from, span/seconds/1e6)
			}
			last = s
		}
		if len(l.Samples) > 0 { // no activity until the next launch
			for _, c := range [][2]string{{"IPC of all SMXs", "instructions per cycle"}, {"active warps", "warps per SMX"},
				{"L2", "GB/s"}, {"DRAM reads", "GB/s"}, {"DRAM writes", "GB/s"}} {
				w.counter(p, c[0], c[1], at(last.Cycle), 0)
			}
		}
	}
}

// power writes the boards' power, clocks and temperatures.
func (w *writer) power(r *Run) {
	for device, p := range r.Power {
		if p == nil {
			continue
		}
		number := processDevice + device
		for i := range p.Samples {
			s := &p.Samples[i]
			at := nanoseconds(s.Start)
			w.counter(number, "power", "W", at, s.Total())
			w.counter(number, "temperature", "C", at, s.Temperature)
			w.counter(number, "core clock of the board", "MHz", at, s.MHz)
		}
	}
}
