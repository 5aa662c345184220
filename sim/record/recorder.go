package record

import (
	"io"
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// Options select what is recorded.
type Options struct {
	// Window is the cycles to record of each grid, from its start; the zero value is all.
	Window recording.Window
	// SMXs are the SMXs to record; empty for all.
	SMXs []int
	// LivesAlone records only when grids and blocks began and ended.
	LivesAlone bool
}

// Limits of tracks before compression: about a million cycles of a busy SMX. Further events are dropped, and the header says so.
const (
	mostTrackBytes  = 32 << 20
	mostMemoryBytes = 256 << 20
)

// mostSMXs is more than a configuration can have.
const mostSMXs = 1 << 10

// Recorder is an observer that records. Set it as sim.Options.Observer. It observes each device separately.
type Recorder struct {
	observe.Silent
	options Options
	devices []*device
}

// New makes a recorder.
func New(o Options) *Recorder { return &Recorder{options: o} }

// ForDevice implements observe.PerDevice.
func (r *Recorder) ForDevice(index int) observe.Observer {
	for len(r.devices) <= index {
		r.devices = append(r.devices, &device{
			options: &r.options, byGrid: map[*observe.Grid]int{}, smxs: make([]*track, mostSMXs),
		})
	}
	return r.devices[index]
}

// About has facts about a run that an observer does not receive.
type About struct {
	Workload string
	Config   *configs.Config
	Launches []*stats.Launch
	Timeline []stats.Interval
}

// Write writes the recording.
func (r *Recorder) Write(w io.Writer, about *About) error {
	h, parts := r.finish(about)
	return recording.Write(w, h, parts)
}

// Recording returns the recording as if read from a file.
func (r *Recorder) Recording(about *About) (*recording.Recording, error) {
	h, parts := r.finish(about)
	return recording.Assemble(h, parts)
}

// finish makes the header, and lists the tracks.
func (r *Recorder) finish(about *About) (*recording.Header, []recording.Part) {
	h := &recording.Header{
		Workload: about.Workload, Config: about.Config.Name, ConfigHash: about.Config.Hash(),
		Program: version.This().Short(), Overrides: about.Config.Overrides(), Chip: stats.NewChip(about.Config),
		Window: r.options.Window, SMXs: r.options.SMXs, Kernels: []recording.Kernel{}, Grids: []recording.Grid{},
		Timeline: about.Timeline,
	}
	for s := range stats.StallCount {
		h.Stalls = append(h.Stalls, s.String())
	}
	var parts []recording.Part
	table := kernels{config: about.Config, header: h}
	for number, d := range r.devices {
		for _, g := range d.grids {
			life := recording.Grid{
				Kernel: table.index(g.grid.Machine), ID: g.grid.ID, Device: number, Stream: g.grid.Stream, Dim: g.grid.Dim,
				Threads: g.grid.Threads, BankMode: g.grid.BankMode,
				Start: g.start, End: g.end,
			}
			if g.grid.Parent != nil {
				life.Parent = &g.grid.Parent.ID
			}
			for _, l := range about.Launches {
				if l.Device == number && l.Number == g.grid.ID {
					life.Cycles, life.StartUS, life.EndUS, life.Samples = l.Cycles, l.StartUS, l.EndUS, l.Samples
					life.FirstUS, life.LastUS = l.FirstUS, l.LastUS
				}
			}
			h.Grids = append(h.Grids, life)
		}
		for i, t := range d.smxs {
			if t != nil {
				h.Truncated = h.Truncated || t.full
				parts = append(parts, recording.Part{Device: number, SMX: i, Encoder: &t.Encoder})
			}
		}
		if d.memory.Len() > 0 {
			h.Truncated = h.Truncated || d.full
			parts = append(parts, recording.Part{Device: number, SMX: -1, Encoder: &d.memory})
		}
	}
	return h, parts
}

// device records one device.
type device struct {
	options *Options
	grids   []*life // in the order of their starts
	byGrid  map[*observe.Grid]int
	running []*life
	smxs    []*track // by number, nil for those without blocks
	memory  recording.Encoder
	full    bool
}

// life is a grid's start and end.
type life struct {
	grid       *observe.Grid
	start, end engine.Cycle
	from, to   engine.Cycle // the recorded cycles
}

// Grid implements observe.Observer.
func (d *device) Grid(at engine.Cycle, g *observe.Grid, stage observe.Stage) {
	if stage == observe.Started {
		l := &life{grid: g, start: at, from: at + d.options.Window.From, to: engine.Never}
		if d.options.Window.To > 0 {
			l.to = at + d.options.Window.To
		}
		if d.options.LivesAlone {
			l.from, l.to = engine.Never, engine.Never
		}
		d.byGrid[g] = len(d.grids)
		d.grids, d.running = append(d.grids, l), append(d.running, l)
		return
	}
	if i, ok := d.byGrid[g]; ok {
		l := d.grids[i]
		l.end = at
		d.running = slices.DeleteFunc(d.running, func(other *life) bool { return other == l })
	}
}

// open reports whether some running grid is recorded in a cycle.
func (d *device) open(at engine.Cycle) bool {
	for _, l := range d.running {
		if l.from <= at && at < l.to {
			return true
		}
	}
	return false
}

func (d *device) wants(smx int) bool {
	return len(d.options.SMXs) == 0 || slices.Contains(d.options.SMXs, smx)
}

// Flight implements observe.Observer.
func (d *device) Flight(f observe.Flight) {
	if d.open(f.Issued) && d.wants(f.SMX) && d.room() {
		d.memory.Flight(&f)
	}
}

// Burst implements observe.Observer.
func (d *device) Burst(b observe.Burst) {
	if d.open(b.Decided) && d.room() {
		d.memory.Burst(&b)
	}
}

func (d *device) room() bool {
	d.full = d.full || d.memory.Len() > mostMemoryBytes
	return !d.full
}

// Command implements observe.Observer.
func (d *device) Command(engine.Cycle, *observe.Command, observe.Stage) {}

// Request implements observe.Observer; flights say more.
func (d *device) Request(observe.Request) {}
