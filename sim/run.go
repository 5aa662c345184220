package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keplersim/keplersim/sim/check"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// progressInterval is how often Options.Progress is called, in host time.
const progressInterval = 100 * time.Millisecond

// run runs a grid on the idle device, until its last block has ended and its last store has been written.
func (g *GPU) run(ctx context.Context, grid *smx.Grid, result *stats.Launch) error {
	observer := g.options.Observer
	var hazards *check.Hazards
	if g.options.Check {
		hazards = check.NewHazards(g.global)
		observer = observe.Join(observer, hazards)
	}
	g.device.Observe(observer)
	if observer != nil {
		grid.Observed = &observe.Grid{ID: grid.ID, Machine: grid.Program.Machine, Dim: grid.Dim, Threads: grid.Block}
		observer.Grid(g.device.Now(), grid.Observed, observe.Started)
	}
	running := g.device.Begin(grid, 0)
	watch := &watch{gpu: g, reported: time.Now()}
	var err error
	for ended := false; !ended && err == nil; {
		var list []*device.Grid
		if list, err = g.device.Step(); err == nil && len(list) == 0 {
			err = watch.look(ctx, running)
		}
		ended = len(list) > 0
	}
	if err != nil {
		if _, failed := g.device.Abandon(); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	if observer != nil {
		observer.Grid(running.End, grid.Observed, observe.Ended)
	}
	g.finish(running, result)
	if hazards != nil {
		result.Hazards = g.named(hazards.List())
	}
	return err
}

// watch ends what runs too long or is not wanted any more, and shows progress.
type watch struct {
	gpu      *GPU
	reported time.Time
}

// look is called after each epoch.
func (w *watch) look(ctx context.Context, running *device.Grid) error {
	g := w.gpu
	cycles := int64(g.device.Now() - running.Start)
	if g.options.Functional {
		cycles = 0
	}
	p := g.progress(running, cycles)
	switch {
	case g.options.Functional && p.WarpInstructions > uint64(g.options.MaxCycles):
		return fmt.Errorf("%w: %d warp instructions (--max-cycles counts them in a functional run), with %d of %d blocks done: the kernel may never end%s", ErrMaxCycles, g.options.MaxCycles, p.BlocksDone, p.BlocksTotal, g.device.Standing())
	case cycles > g.options.MaxCycles:
		return fmt.Errorf("%w: %d cycles (--max-cycles), with %d of %d blocks done: the kernel may never end%s", ErrMaxCycles, g.options.MaxCycles, p.BlocksDone, p.BlocksTotal, g.device.Standing())
	case ctx.Err() != nil && g.options.Functional:
		return fmt.Errorf("%w with %d of %d blocks done%s", ErrInterrupted, p.BlocksDone, p.BlocksTotal, g.device.Standing())
	case ctx.Err() != nil:
		return fmt.Errorf("%w after %d cycles, with %d of %d blocks done%s", ErrInterrupted, cycles, p.BlocksDone, p.BlocksTotal, g.device.Standing())
	}
	if g.options.Progress != nil && time.Since(w.reported) >= progressInterval {
		w.reported = time.Now()
		g.options.Progress(p)
	}
	return nil
}

func (g *GPU) progress(running *device.Grid, cycles int64) Progress {
	machine := running.Program.Machine
	p := Progress{Kernel: machine.Kernel.Name, Title: machine.Program.Title(machine.Kernel.Name), Cycles: cycles, BlocksTotal: running.Blocks()}
	p.BlocksDone, p.WarpInstructions = g.device.Progress(running)
	return p
}

// named adds to hazards in global memory the allocations that they are in.
func (g *GPU) named(list []stats.Hazard) []stats.Hazard {
	for i := range list {
		if h := &list[i]; !h.Shared {
			a, _ := g.global.Nearest(h.Address)
			if h.Name = a.Name; h.Address > a.Address {
				h.Name = fmt.Sprintf("%s+%d", a.Name, h.Address-a.Address)
			}
		}
	}
	return list
}
