package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// progressInterval is how often Options.Progress is called, in host time.
const progressInterval = 100 * time.Millisecond

// runTimed runs a grid in epochs until its last block has ended and its last store has been written.
func (g *GPU) runTimed(ctx context.Context, grid *smx.Grid, result *stats.Launch) error {
	list, err := g.newSMXs(grid, g.options.Observer)
	if err != nil {
		return err
	}
	g.memory.ResetStats()
	if g.options.ReuseDistance {
		g.memory.RecordReuse()
	}
	start := g.now
	workers := startWorkers(list, g.options.Threads)
	defer workers.stop()
	blocks := newDistributor(grid, len(list))
	gap := engine.Cycle(g.config.Launch.BlockCycles)
	epoch := g.memory.EpochCycles()
	reported := time.Now()
	for {
		blocks.collect(list)
		if blocks.left() == 0 && idle(list) && g.memory.Idle() {
			break
		}
		blocks.deal(list, g.now, gap)
		wake := g.memory.NextEvent()
		for _, s := range list {
			wake = min(wake, s.Wake())
		}
		if wake == engine.Never {
			err = deadlock(list)
			break
		}
		until := max(g.now, wake) + epoch
		workers.run(until)
		g.memory.Step(until)
		g.system.serve(list, until)
		g.now = until
		if err = firstFault(list); err != nil {
			break
		}
		if cycles := int64(g.now - start); cycles > g.options.MaxCycles {
			err = fmt.Errorf("%w: %d cycles (--max-cycles), with %d of %d blocks done: the kernel may never end%s", ErrMaxCycles, g.options.MaxCycles, finished(list), grid.Blocks(), unstarted(grid, list)+smx.Standing(list))
			break
		}
		if ctx.Err() != nil {
			err = fmt.Errorf("%w after %d cycles, with %d of %d blocks done%s", ErrInterrupted, g.now-start, finished(list), grid.Blocks(), unstarted(grid, list)+smx.Standing(list))
			break
		}
		if g.options.Progress != nil && time.Since(reported) >= progressInterval {
			reported = time.Now()
			g.options.Progress(g.progress(grid, list, g.now-start))
		}
	}
	end := start
	for _, s := range list {
		end = max(end, s.Last)
	}
	if err != nil {
		end = g.now
	}
	g.end(grid, g.options.Observer, end)
	g.finish(grid, result, list, start, end)
	g.memory.WriteBackAll()
	result.Memory = *g.memory.Stats()
	if err != nil { // what was under way has no one to answer to
		g.memory = memory.New(g.config, g.global)
	}
	return err
}

func (g *GPU) progress(grid *smx.Grid, list []*smx.SMX, cycles engine.Cycle) Progress {
	machine := grid.Program.Machine
	p := Progress{Kernel: machine.Kernel.Name, Title: machine.Program.Title(machine.Kernel.Name), Cycles: int64(cycles), BlocksDone: finished(list), BlocksTotal: grid.Blocks()}
	for _, s := range list {
		p.WarpInstructions += s.Counters.InstExecuted
		p.BlocksRunning += uint64(s.Blocks(grid))
	}
	return p
}

func idle(list []*smx.SMX) bool {
	for _, s := range list {
		if !s.Idle() {
			return false
		}
	}
	return true
}

func finished(list []*smx.SMX) (n uint64) {
	for _, s := range list {
		n += s.Finished
	}
	return n
}

// firstFault is the fault of the earliest cycle, and among those of one cycle of the SMX with the lowest number.
func firstFault(list []*smx.SMX) error {
	var first *smx.Fault
	for _, s := range list {
		if s.Fault != nil && (first == nil || s.Fault.Cycle < first.Cycle) {
			first = s.Fault
		}
	}
	if first == nil {
		return nil
	}
	return first
}

// deadlock describes a device in which nothing can happen any more.
func deadlock(list []*smx.SMX) error {
	for _, s := range list {
		if f := s.Deadlock(); f != nil {
			return f
		}
	}
	return fmt.Errorf("simulator bug: nothing can happen, and no warp waits at a barrier")
}
