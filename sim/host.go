package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/largepages"
	"github.com/keplersim/keplersim/internal/spill"
	"github.com/keplersim/keplersim/sim/check"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Host is a host program's side: a clock for each of its processes, and their devices. The host and the devices run at the same time: a
// call takes its time and returns, and its command reaches the device later. The simulation advances devices when the host waits for them.
type Host struct {
	config   *configs.Config
	options  Options
	gpus     []*GPU
	clocks   []hyperq.Time // by process
	ended    hyperq.Time   // end of the latest command
	failure  error
	walls    walls
	watch    watch
	findings check.List
	commands *check.Commands
	timeline []stats.Interval
	more     *spill.List[stats.Interval] // intervals after timeline, for Options.Spill
	scratch  *stats.Interval             // free for more, nil for none
	blocks   int                         // blocks in timeline and more
}

// ErrStuck is wrapped by the error of a host that waits for an event that can never happen.
var ErrStuck = device.ErrStuck

// NewHost makes a host with some devices of one kind, with empty memories. It fails if there are more than on the board. It does not change
// config.
func NewHost(config *configs.Config, options Options, devices int) (*Host, error) {
	largepages.Begin()
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

// Host returns the device's host.
func (g *GPU) Host() *Host { return g.host }

// GPUs returns the devices.
func (h *Host) GPUs() []*GPU { return h.gpus }

// Clock returns a process's time, in picoseconds from its start.
func (h *Host) Clock(process int) hyperq.Time {
	h.know(process)
	return h.clocks[process]
}

func (h *Host) know(process int) {
	for len(h.clocks) <= process {
		h.clocks = append(h.clocks, 0)
	}
}

// Elapsed returns the times from the host's start to the end of its last call and of the devices' last command, in microseconds.
func (h *Host) Elapsed() (host, device float64) {
	var last hyperq.Time
	for _, at := range h.clocks {
		last = max(last, at)
	}
	return microseconds(last), microseconds(h.ended)
}

// Timeline returns the intervals in the order of their ends; empty without Options.Timeline. With Options.Spill it has only the first ones.
func (h *Host) Timeline() []stats.Interval { return h.timeline }

// More returns the intervals after Timeline; nil for none. The maker of the host closes it.
func (h *Host) More() *spill.List[stats.Interval] { return h.more }

// firstIntervals is how many intervals stay in memory even with Options.Spill, and spilledBytes the memory for later ones.
const firstIntervals, spilledBytes = 4096, 1 << 20

func microseconds(t hyperq.Time) float64 { return float64(t) / 1e6 }

// call advances a process's time by a call, and returns when the device sees its command.
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

// Advance advances the device that is behind the others. It fails with a kernel's fault, at a limit, and with ErrStuck if nothing can go
// on. Before you access a device's memory between two calls, other than through its GPU, call Settle.
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
		next.device.Settle() // others may access its memory
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

// launchError adds the launch to an error: the fault's, or the one that has run longest.
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

// stuck describes which commands wait for which.
func (h *Host) stuck() string {
	for _, g := range h.gpus {
		if text := g.device.Manager().Stuck(); text != "" {
			return text
		}
	}
	return "the host waits for something that no step asks for"
}

// fail ends everything that runs. It keeps the grids' figures so far.
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

// wait advances the devices until a condition holds, and then lets a process go on.
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

// peers reports whether a device can access another's memory.
func (h *Host) peers() bool {
	return slices.ContainsFunc(h.gpus, func(g *GPU) bool { return g.global.HasPeers() })
}

// Settle completes the devices' effects on memory. Between two calls of Advance some may still be in progress.
func (h *Host) Settle() {
	for _, g := range h.gpus {
		g.device.Settle()
	}
}

// Resume lets a process go on that has waited since a time for an event at another.
func (h *Host) Resume(process int, name string, since, at hyperq.Time) {
	h.clocks[process] = max(since, at) + device.Microseconds(h.config.Host.Synchronize)
	h.record(stats.Interval{Kind: "host", Name: name, Process: process, SMX: -1, Device: -1, Start: microseconds(since),
		End: microseconds(h.clocks[process])})
}

// progressInterval is how often Options.Progress is called, in host time.
const progressInterval = 100 * time.Millisecond

// watch ends launches that run too long or are interrupted, and reports progress.
type watch struct {
	reported time.Time
	skip     int // calls of look to skip: with many grids each takes long, and there are many steps
}

// look is called after a device has run for a while.
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
