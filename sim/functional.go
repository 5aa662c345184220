package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/keplersim/keplersim/sim/check"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// functionalQuantum is how many operations a warp executes before the next has its turn.
const functionalQuantum = 256

// runFunctional runs a grid without timing, on one host thread: device memory changes at once, in the order of execution.
func (g *GPU) runFunctional(ctx context.Context, grid *smx.Grid, result *stats.Launch) error {
	observer := g.options.Observer
	var hazards *check.Hazards
	if g.options.Check {
		hazards = check.NewHazards(g.global)
		observer = observe.Join(observer, hazards)
	}
	list, err := g.newSMXs(grid, observer)
	if err != nil {
		return err
	}
	blocks := newDistributor(grid, len(list))
	reported := time.Now()
	most := uint64(g.options.MaxCycles)
	for {
		blocks.collect(list)
		if blocks.left() == 0 && idle(list) {
			break
		}
		blocks.deal(list, 0, 0)
		progress := false
		for _, s := range list {
			progress = s.RunFunctional(functionalQuantum) || progress
		}
		if err = firstFault(list); err != nil {
			break
		}
		if !progress {
			err = deadlock(list)
			break
		}
		p := g.progress(grid, list, 0)
		if p.WarpInstructions > most {
			err = fmt.Errorf("%w: %d warp instructions (--max-cycles counts them in a functional run), with %d of %d blocks done: the kernel may never end%s", ErrMaxCycles, most, p.BlocksDone, p.BlocksTotal, unstarted(grid, list)+smx.Standing(list))
			break
		}
		if ctx.Err() != nil {
			err = fmt.Errorf("%w with %d of %d blocks done%s", ErrInterrupted, p.BlocksDone, p.BlocksTotal, unstarted(grid, list)+smx.Standing(list))
			break
		}
		if g.options.Progress != nil && time.Since(reported) >= progressInterval {
			reported = time.Now()
			g.options.Progress(p)
		}
	}
	g.end(grid, observer, 0)
	g.finish(grid, result, list, 0, 0)
	if hazards != nil {
		result.Hazards = g.named(hazards.List())
	}
	result.Cycles, result.TimeUS = 0, 0
	for i := range result.SMXs {
		result.SMXs[i].ElapsedCycles = 0
		result.SMXs[i].Stalls = stats.StallCycles{}
	}
	for i := range result.Source {
		result.Source[i].Stalls = stats.StallCycles{}
	}
	for i := range result.Functions {
		result.Functions[i].Stalls = stats.StallCycles{}
	}
	return err
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
