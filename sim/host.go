package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/spill"
	"github.com/keplersim/keplersim/sim/check"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Host is a host program's side: a clock for each of its processes, and the devices that they use. The host runs beside the devices: a call
// takes its time and returns, and what it asks for reaches the device later. Devices run when the host waits for them.
type Host struct {
	config   *configs.Config
	options  Options
	gpus     []*GPU
	clocks   []hyperq.Time // by process
	ended    hyperq.Time   // of the command that ended last
	failure  error
	walls    walls
	watch    watch
	findings check.List
	commands *check.Commands
	timeline []stats.Interval
	more     *spill.List[stats.Interval] // what Options.Spill keeps behind timeline
	scratch  *stats.Interval             // that more does not need, nil for none
	blocks   int                         // of both, those that are blocks
}

// ErrStuck is wrapped by the error of a host that waits for what can never happen.
var ErrStuck = device.ErrStuck

// NewHost makes a host with so many devices of one kind, at most as many as are on its board, with empty memories. config is not changed.
func NewHost(config *configs.Config, options Options, devices int) (*Host, error) {
	if most := config.Host.Devices; devices > most {
		return nil, fmt.Errorf("%d devices: %s has %d (host.devices)", devices, config.Name, most)
	}
	h := &Host{config: config, options: options, clocks: make([]hyperq.Time, 1), findings: check.List{Keep: options.Keep,
		Found: options.Found}, commands: check.NewCommands()}
	for i := range devices {
		own := options
		if several, ok := options.Observer.(observe.PerDevice); ok {
			own.Observer = several.ForDevice(i)
		}
		g, err := newGPU(config, own)
		if err != nil {
			return nil, err
		}
		g.host, g.index = h, i
		h.attach(g)
		g.device.Watch(g)
		h.gpus = append(h.gpus, g)
	}
	return h, nil
}

// Host is the host that the device belongs to.
func (g *GPU) Host() *Host { return g.host }

// GPUs are the devices.
func (h *Host) GPUs() []*GPU { return h.gpus }

// Clock is a process's time, in picoseconds from its start.
func (h *Host) Clock(process int) hyperq.Time {
	h.know(process)
	return h.clocks[process]
}

func (h *Host) know(process int) {
	for len(h.clocks) <= process {
		h.clocks = append(h.clocks, 0)
	}
}

// Elapsed is the time from the host's start to the end of its last call, and to that of the devices' last command, in microseconds.
func (h *Host) Elapsed() (host, device float64) {
	var last hyperq.Time
	for _, at := range h.clocks {
		last = max(last, at)
	}
	return microseconds(last), microseconds(h.ended)
}

// Timeline is what happened when, in the order of ends; empty without Options.Timeline. With Options.Spill it is the first of it alone.
func (h *Host) Timeline() []stats.Interval { return h.timeline }

// More is what happened behind Timeline; nil for nothing. Whoever has made the host closes it.
func (h *Host) More() *spill.List[stats.Interval] { return h.more }

// firstIntervals is how many intervals lie as they are, also with Options.Spill, and spilledBytes how much memory those behind them take.
const firstIntervals, spilledBytes = 4096, 1 << 20

func microseconds(t hyperq.Time) float64 { return float64(t) / 1e6 }

// call takes a process's time for a call, and is when the device sees what it asked for.
func (h *Host) call(process int, name string, us float64) (visible hyperq.Time) {
	h.know(process)
	start := h.clocks[process]
	h.clocks[process] += device.Microseconds(us)
	h.record(stats.Interval{Kind: "host", Name: name, Process: process, SMX: -1, Device: -1, Start: microseconds(start),
		End: microseconds(h.clocks[process])})
	return h.clocks[process] + device.Microseconds(h.config.Host.Arrival)
}

func (h *Host) record(i stats.Interval) {
	switch {
	case !h.options.Timeline:
	case !h.options.Spill || len(h.timeline) < firstIntervals:
		h.timeline = append(h.timeline, i)
	default:
		if h.more == nil {
			h.more = spill.New(spilledBytes, func(i *stats.Interval) string { return i.Kind })
		}
		if h.scratch == nil {
			h.scratch = new(stats.Interval)
		}
		*h.scratch = i
		h.scratch = h.more.Append(h.scratch)
	}
}

// Advance lets the device go on that is behind the others. It fails with what stopped a kernel, when a limit is reached, and with ErrStuck
// when nothing can go on. Whoever reads or changes a device's memory between two calls, by other means than its GPU, calls Settle before.
func (h *Host) Advance(ctx context.Context) error {
	if h.failure != nil {
		return h.failure
	}
	next := h.gpus[0]
	for _, g := range h.gpus[1:] {
		if g.device.Next() < next.device.Next() {
			next = g
		}
	}
	next.system.over = ctx.Done()
	err := next.device.Advance()
	if h.peers() {
		next.device.Settle() // the others may reach its memory
	}
	switch {
	case errors.Is(err, device.ErrStuck):
		return fmt.Errorf("%w: %s", err, h.stuck())
	case err == nil:
		err = h.watch.look(ctx, next)
	}
	if err != nil {
		h.fail(next, launchError(err, next.device.Grids()))
		return h.failure
	}
	return nil
}

// launchError says which launch an error is of: the fault's, or the one that has run longest.
func launchError(err error, running []*device.Grid) error {
	var fault *smx.Fault
	switch {
	case errors.As(err, &fault):
		return fmt.Errorf("launch of %s: %w", fault.Title, err)
	case len(running) > 0:
		machine := running[0].Program.Machine
		return fmt.Errorf("launch of %s: %w", machine.Program.Title(machine.Kernel.Name), err)
	}
	return err
}

// stuck says what waits for what.
func (h *Host) stuck() string {
	for _, g := range h.gpus {
		if text := g.device.Manager().Stuck(); text != "" {
			return text
		}
	}
	return "the host waits for something that no step asks for"
}

// fail ends everything that runs. The grids' figures so far are kept.
func (h *Host) fail(of *GPU, err error) {
	h.failure = err
	h.stuckBarriers(of, err)
	for _, g := range h.gpus {
		grids, failed := g.device.Abandon()
		h.failure = errors.Join(h.failure, failed)
		for _, ran := range grids {
			g.finishLaunch(ran.Command, ran)
		}
	}
	if flushed := of.system.flush(); flushed != nil {
		h.failure = errors.Join(h.failure, flushed)
	}
	for _, g := range h.gpus {
		clear(g.pending)
		g.system.nested.forget()
	}
	h.walls = walls{}
}

// wait lets the devices run until something is so, and a process go on then.
func (h *Host) wait(ctx context.Context, process int, name string, so func() bool, at func() hyperq.Time) error {
	h.know(process)
	start := h.clocks[process]
	for !so() {
		if err := h.Advance(ctx); err != nil {
			return err
		}
	}
	h.Settle()
	h.Resume(process, name, start, at())
	return nil
}

// peers reports that a device reaches another's memory.
func (h *Host) peers() bool {
	return slices.ContainsFunc(h.gpus, func(g *GPU) bool { return g.global.HasPeers() })
}

// Settle has the devices' memories hold what they do at this time: between two calls of Advance a part of it may be under way.
func (h *Host) Settle() {
	for _, g := range h.gpus {
		g.device.Settle()
	}
}

// Resume has a process go on that has waited since a time for something that happened at another.
func (h *Host) Resume(process int, name string, since, at hyperq.Time) {
	h.clocks[process] = max(since, at) + device.Microseconds(h.config.Host.Synchronize)
	h.record(stats.Interval{Kind: "host", Name: name, Process: process, SMX: -1, Device: -1, Start: microseconds(since),
		End: microseconds(h.clocks[process])})
}

// progressInterval is how often Options.Progress is called, in host time.
const progressInterval = 100 * time.Millisecond

// watch ends what runs too long or is not wanted any more, and shows progress.
type watch struct {
	reported time.Time
	skip     int // looks to leave out: one at many grids takes long, and there are as many steps
}

// look is called when a device has run for a while.
func (w *watch) look(ctx context.Context, g *GPU) error {
	if w.skip--; w.skip > 0 && ctx.Err() == nil {
		return nil
	}
	w.skip = len(g.device.Grids())
	for _, running := range g.device.Grids() {
		cycles, interrupted := int64(g.device.Now()-running.Start), ctx.Err() != nil
		ran, unit := cycles, "cycles (--max-cycles)"
		if g.device.Timeless() {
			cycles = 0
			ran, unit = int64(g.progress(running, 0).WarpInstructions), "warp instructions (--max-cycles counts them in a functional run)"
		}
		if ran <= g.options.MaxCycles && !interrupted {
			continue
		}
		p := g.progress(running, cycles)
		where := g.device.Unstarted(running) + g.device.Standing()
		switch {
		case ran > g.options.MaxCycles:
			return fmt.Errorf("%w: %d %s, with %d of %d blocks done: the kernel may never end%s",
				ErrMaxCycles, g.options.MaxCycles, unit, p.BlocksDone, p.BlocksTotal, where)
		case g.options.Functional:
			return fmt.Errorf("%w with %d of %d blocks done%s", ErrInterrupted, p.BlocksDone, p.BlocksTotal, where)
		}
		return fmt.Errorf("%w after %d cycles, with %d of %d blocks done%s", ErrInterrupted, cycles, p.BlocksDone, p.BlocksTotal, where)
	}
	if list := g.device.Grids(); g.options.Progress != nil && len(list) > 0 && time.Since(w.reported) >= progressInterval {
		if !w.reported.IsZero() {
			g.options.Progress(g.progress(list[0], int64(g.device.Now()-list[0].Start)))
		}
		w.reported = time.Now()
	}
	return nil
}

func (g *GPU) progress(running *device.Grid, cycles int64) Progress {
	machine := running.Program.Machine
	p := Progress{Kernel: machine.Kernel.Name, Title: machine.Program.Title(machine.Kernel.Name), Cycles: cycles,
		BlocksTotal: running.Blocks()}
	p.BlocksDone, p.BlocksRunning, p.WarpInstructions = g.device.Progress(running)
	return p
}
