package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/sim/stats"
)

// Launch is a kernel launch.
type Launch struct {
	Module *Module
	Kernel string
	Grid   [3]int // blocks; 0 counts as 1
	Block  [3]int // threads; 0 counts as 1
	Shared int    // dynamic shared memory of a block, bytes
	// Parameters are the bytes of the kernel's parameter space.
	Parameters []byte
	Stream     int
	// CacheConfig is the launch's own split of shared memory and L1; "" or none takes Options.CacheConfig.
	CacheConfig string
	// BankMode is the launch's own width of shared memory's banks; the zero value takes Options.BankMode.
	BankMode memorymode.BankMode
	// GlobalLoads is where the launch's global loads without a cache operator go; the zero value takes Options.GlobalLoads.
	GlobalLoads memorymode.GlobalLoads
}

// Launch runs a kernel to its end and returns what it did. An error that stopped a running kernel comes with the counters so far.
func (g *GPU) Launch(ctx context.Context, l Launch) (*stats.Launch, error) {
	program, err := l.Module.prepared(ctx, l.Kernel)
	if err != nil {
		return nil, err
	}
	for i := range 3 {
		l.Grid[i], l.Block[i] = max(l.Grid[i], 1), max(l.Block[i], 1)
	}
	grid, err := g.grid(program, &l)
	if err != nil {
		return nil, fmt.Errorf("launch of %s: %w", program.Machine.Program.Title(l.Kernel), err)
	}
	result := g.describe(grid, &l)
	begin := time.Now()
	command := &observe.Command{Kind: observe.CommandKernel, Name: l.Kernel, Stream: l.Stream}
	g.command(command, observe.Started)
	err = g.run(ctx, grid, result)
	g.command(command, observe.Ended)
	if flushed := g.system.flush(); err == nil {
		err = flushed
	}
	result.Wall = time.Since(begin)
	result.Interrupted = err != nil
	result.Sum()
	if err != nil {
		return result, fmt.Errorf("launch of %s: %w", program.Machine.Program.Title(l.Kernel), err)
	}
	return result, nil
}

// command lets an observer, if any, hear of a command.
func (g *GPU) command(c *observe.Command, stage observe.Stage) {
	if o := g.options.Observer; o != nil {
		o.Command(g.device.Now(), c, stage)
	}
}

// grid checks a launch against the chip's limits and makes it ready to run.
func (g *GPU) grid(program *smx.Program, l *Launch) (*smx.Grid, error) {
	if want := program.Machine.Kernel.ParameterBytes(); len(l.Parameters) != want {
		return nil, fmt.Errorf("%d bytes of parameters were given, the kernel has %d", len(l.Parameters), want)
	}
	grid := &smx.Grid{
		Program: program, ID: g.grids, Shared: program.Machine.SharedBytes + l.Shared, Dynamic: l.Shared,
		BankMode: int(l.BankMode.Or(g.options.BankMode)), CacheGlobalLoads: l.GlobalLoads.Or(g.options.GlobalLoads) == memorymode.LoadsThroughL1,
	}
	g.grids++
	if _, err := memorymode.ParseBankMode(grid.BankMode); err != nil {
		return nil, fmt.Errorf("bank mode %d: %w", grid.BankMode, err)
	}
	threads := 1
	for i, axis := range []string{"x", "y", "z"} {
		if most := g.config.SMX.MaxGridDim[i]; l.Grid[i] > most {
			return nil, fmt.Errorf("a grid of %d blocks in %s: at most %d", l.Grid[i], axis, most)
		}
		if most := g.config.SMX.MaxBlockDim[i]; l.Block[i] > most {
			return nil, fmt.Errorf("a block of %d threads in %s: at most %d", l.Block[i], axis, most)
		}
		grid.Dim[i], grid.Block[i] = uint32(l.Grid[i]), uint32(l.Block[i])
		threads *= l.Block[i]
	}
	for i, required := range program.Machine.Kernel.Limits.RequiredThreads {
		if required > 0 && l.Block[i] != required {
			return nil, fmt.Errorf("a block of %v threads: the kernel's .reqntid asks for %v", l.Block, program.Machine.Kernel.Limits.RequiredThreads)
		}
	}
	cache := g.cache
	limits := occupancy.FromConfig(g.config)
	if l.CacheConfig != "" && l.CacheConfig != occupancy.PreferNone.String() {
		var err error
		if cache, err = limits.CacheConfig(l.CacheConfig); err != nil {
			return nil, err
		}
	}
	registers := program.Machine.Registers
	if g.options.Registers > 0 {
		registers = g.options.Registers
	}
	ask := occupancy.Launch{Threads: threads, Registers: registers, Shared: grid.Shared, Cache: cache}
	if err := limits.Check(ask); err != nil {
		return nil, fmt.Errorf("the launch can never be resident: %w", err)
	}
	grid.Occupancy = limits.Calculate(ask)
	if grid.Occupancy.Blocks == 0 {
		return nil, fmt.Errorf("the launch can never be resident: a block of %d threads with %d registers each and %d bytes of shared memory does not fit an SMX (limited by %s)",
			threads, ask.Registers, ask.Shared, grid.Occupancy.Limiters)
	}
	grid.System, grid.Split = g.system, g.split(grid)
	grid.Launch = program.Code.Launch(l.Parameters)
	grid.Launch.Objects = &g.objects
	if l.Module.constants != nil {
		grid.Launch.WriteConstant(0, l.Module.constants)
	}
	return grid, checkObjects(program.Code, grid.Launch)
}

// describe fills the part of the result that does not depend on the run.
func (g *GPU) describe(grid *smx.Grid, l *Launch) *stats.Launch {
	machine := grid.Program.Machine
	result := &stats.Launch{
		Kernel: l.Kernel, Name: machine.Program.Title(l.Kernel), Chip: stats.NewChip(g.config), Grid: l.Grid, Block: l.Block, Stream: l.Stream,
		CodeBytes: grid.Program.Bytes(g.config), Registers: machine.Registers, StaticShared: machine.SharedBytes, DynamicShared: l.Shared, LocalBytes: machine.LocalBytes,
		SpillBytes: machine.SpillBytes, SpillLoads: machine.SpillLoads, SpillStores: machine.SpillStores, Functional: g.options.Functional,
		Occupancy: stats.Occupancy{Blocks: grid.Occupancy.Blocks, Warps: grid.Occupancy.Warps},
	}
	for _, r := range occupancy.Resources() {
		blocks := grid.Occupancy.Limit[r]
		if blocks == occupancy.Unlimited {
			blocks = -1
		}
		name := r.String()
		if r == occupancy.SharedMemory {
			name = "shared_memory" // "shared" is the name of the occupancy study's axis
		}
		result.Occupancy.Limits = append(result.Occupancy.Limits, stats.ResourceLimit{Resource: name, Blocks: blocks})
		if grid.Occupancy.Limiters.Has(r) {
			result.Occupancy.Limiters = append(result.Occupancy.Limiters, name)
		}
	}
	return result
}

// split is the carve-out of shared memory and L1 that a launch runs with.
func (g *GPU) split(grid *smx.Grid) configs.CarveOut {
	for _, c := range g.config.SharedMemory.CarveOuts {
		if c.Shared == grid.Occupancy.SharedPerSMX {
			return c
		}
	}
	return g.config.SharedMemory.CarveOuts[0]
}

// finish fills the result's counters after a run, complete or not.
func (g *GPU) finish(ran *device.Grid, result *stats.Launch) {
	l := &g.config.Launch
	duration := uint64(ran.End-ran.Start) + uint64(l.DeviceCycles+l.DrainCycles)
	result.Cycles = duration + uint64(l.CounterCycles)
	result.TimeUS = float64(duration) / float64(g.config.Clocks.Core)
	result.BlocksDone = 0
	for _, h := range ran.Shares {
		counters := stats.SMX{}
		if h != nil {
			counters = h.Counters
			result.BlocksDone += h.Finished
		}
		counters.ElapsedCycles = result.Cycles
		result.SMXs = append(result.SMXs, counters)
	}
	result.Memory = ran.Memory
	describeSource(ran.Program.Machine, ran.Shares, result)
	if g.options.Functional {
		withoutTime(result)
	}
}

// withoutTime clears the counters of time, which a functional run does not have.
func withoutTime(result *stats.Launch) {
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
}
