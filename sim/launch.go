package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
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
	// Parameters has the bytes of the kernel's parameter space.
	Parameters []byte
	// Stream is the number of a stream of the process; see GPU.Stream. In, if not nil, overrides it.
	Stream  int
	Process int
	In      *Stream
	// CacheConfig is the launch's split of shared memory and L1; "" or none: Options.CacheConfig.
	CacheConfig string
	// BankMode is the launch's width of shared memory's banks; the zero value: Options.BankMode.
	BankMode memorymode.BankMode
	// GlobalLoads is where the launch's global loads without a cache operator go; the zero value: Options.GlobalLoads.
	GlobalLoads memorymode.GlobalLoads
}

// Launch runs a kernel to its end and returns its counters. An error that stopped a running kernel comes with the counters so far.
func (g *GPU) Launch(ctx context.Context, l Launch) (*stats.Launch, error) {
	p, err := g.Start(ctx, l)
	if err != nil {
		return nil, err
	}
	return p.Wait(ctx)
}

// Pending is a submitted launch.
type Pending struct {
	gpu     *GPU
	command *hyperq.Command
	launch  *stats.Launch
	title   string
	module  *Module
	running bool          // it has begun
	begun   time.Duration // see walls
	done    bool
}

// Start submits a kernel to its stream and returns at once. The device runs when the host waits for something. The context only cancels
// lowering.
func (g *GPU) Start(ctx context.Context, l Launch) (*Pending, error) {
	program, err := l.Module.prepared(ctx, l.Kernel)
	if err != nil {
		return nil, err
	}
	g.host.failure = nil // it has been reported; the devices were renewed, except their memories
	for i := range 3 {
		l.Grid[i], l.Block[i] = max(l.Grid[i], 1), max(l.Block[i], 1)
	}
	grid, err := g.grid(ctx, &l)
	title := program.Machine.Program.Title(l.Kernel)
	if err != nil {
		return nil, fmt.Errorf("launch of %s: %w", title, err)
	}
	s := l.In
	if s == nil {
		s = g.Stream(l.Process, l.Stream)
	}
	p := &Pending{gpu: g, launch: g.describe(grid, &l), title: title, module: l.Module}
	p.launch.Device = g.index
	after, err := g.bringManaged(s)
	if err != nil {
		return nil, fmt.Errorf("launch of %s: %w", title, err)
	}
	visible := g.host.call(s.Process(), "launch "+title, g.config.Host.Launch)
	p.command = &hyperq.Command{Kind: hyperq.Kernel, Name: title, Grid: grid, Visible: visible, After: after}
	g.pending[p.command] = p
	g.system.nested.running[grid] = p.command
	s.submit(p.command)
	return p, nil
}

// Done reports whether the launch has ended, also by an error.
func (p *Pending) Done() bool { return p.done }

// Result returns the launch's counters, nil before it has ended.
func (p *Pending) Result() *stats.Launch {
	if !p.done {
		return nil
	}
	return p.launch
}

// Wait waits for the launch's end and returns its counters; see GPU.Launch.
func (p *Pending) Wait(ctx context.Context) (*stats.Launch, error) {
	h := p.gpu.host
	defer h.waited(p.command.Stream.Context, p.command)
	if err := h.wait(ctx, p.command.Stream.Context, "wait for "+p.title, p.command.Ended,
		func() hyperq.Time { return p.command.End }); err != nil {
		return p.Result(), err
	}
	return p.launch, nil
}

// Began reports a command that begins to observers. It implements device.Observer.
func (g *GPU) Began(c *hyperq.Command) {
	if g.checker != nil && c.Parent == nil {
		g.host.commands.Begin(c)
	}
	p := g.pending[c]
	if p == nil {
		g.system.nested.began(c)
		return
	}
	p.running, p.begun = true, g.host.walls.begin(time.Now())
	if g.options.Timeline {
		c.Grid.NotedBlocks = min(mostBlocksHere, mostBlocks-g.host.blocks)
	}
	if p.module.constants != nil { // as the stream's earlier copies have left them
		p.module.fetchConstants()
		c.Grid.Launch.WriteConstant(0, p.module.constants)
	}
	if g.observer == nil {
		return
	}
	c.Grid.Observed = observed(c.Grid, p.launch.Stream)
	if g.checker != nil {
		g.checker.Launch(c.Grid.Observed, c)
		c.Grid.Stage = g.stage(c.Grid)
	}
	g.observer.Command(g.device.Now(), p.observed(), observe.Started)
	g.observer.Grid(g.device.Now(), c.Grid.Observed, observe.Started)
}

// observed returns the launch's command as observers see it.
func (p *Pending) observed() *observe.Command {
	return &observe.Command{Kind: observe.CommandKernel, Name: p.launch.Kernel, Stream: p.launch.Stream}
}

// observed returns a grid as observers see it.
func observed(g *smx.Grid, stream int) *observe.Grid {
	return &observe.Grid{ID: g.ID, Machine: g.Program.Machine, Dim: g.Dim, Threads: g.Block, Stream: stream, BankMode: g.BankMode}
}

// Ended completes the figures of a kernel that has ended, and records the command in the timeline. It implements device.Observer.
func (g *GPU) Ended(c *hyperq.Command, ran *device.Grid) {
	g.host.ended = max(g.host.ended, c.End)
	g.system.nested.ended(c, ran)
	if ran != nil && c.Parent == nil {
		g.finishLaunch(c, ran)
	}
	if !g.options.Timeline {
		return
	}
	i := stats.Interval{
		Kind: c.Kind.String(), Name: c.Name, Process: c.Stream.Context, Device: g.index, Stream: c.Stream.Name, Queue: c.Queue, SMX: -1,
		Engine: c.Detail, Bytes: c.Bytes, Pinned: c.Pinned,
		Start: microseconds(c.Start), End: microseconds(c.End),
	}
	if c.Parent != nil {
		if g.system.nested.shown++; g.system.nested.shown > mostNested {
			return
		}
		i.Depth, i.Parent, i.Stream = c.Depth, c.Parent.Name, fmt.Sprintf("of kernels, depth %d", c.Depth)
	}
	i.First = firstBlock(ran)
	g.host.record(i)
	if i.First = 0; ran == nil {
		return
	}
	for _, h := range ran.States {
		if h != nil && h.Finished > 0 {
			i.Kind, i.SMX = "smx", h.SMX
			i.Start, i.End = microseconds(ran.At(h.First)), microseconds(ran.At(h.Last))
			g.host.record(i)
			g.recordBlocks(i, ran, h)
		}
	}
}

// firstBlock returns when the first block of a grid started, 0 for none.
func firstBlock(ran *device.Grid) (first float64) {
	if ran == nil {
		return 0
	}
	for _, h := range ran.States {
		if h == nil || h.Finished == 0 {
			continue
		}
		if at := microseconds(ran.At(h.First)); first == 0 || at < first {
			first = at
		}
	}
	return first
}

// mostNested is the most commands of kernels in a timeline.
const mostNested = 4096

// mostBlocks is the most blocks in a timeline, mostBlocksHere those of one grid on one SMX.
const mostBlocks, mostBlocksHere = 4096, 64

// recordBlocks adds the blocks of a grid on an SMX to the timeline. i is the interval of the grid there.
func (g *GPU) recordBlocks(i stats.Interval, ran *device.Grid, h *smx.GridState) {
	i.Kind = "block"
	for n := range h.Noted {
		if b := &h.Noted[n]; b.End > 0 && g.host.blocks < mostBlocks {
			g.host.blocks++
			i.Block, i.Start, i.End = &b.Place, microseconds(ran.At(b.Start)), microseconds(ran.At(b.End))
			g.host.record(i)
		}
	}
}

// finishLaunch fills in a grid's results, complete or not.
func (g *GPU) finishLaunch(c *hyperq.Command, ran *device.Grid) {
	p := g.pending[c]
	if p == nil {
		return
	}
	delete(g.pending, c)
	p.done = true
	g.finish(ran, p.launch)
	if p.running {
		p.launch.Wall = g.host.walls.end(p.begun, time.Now())
	}
	p.launch.Interrupted = !c.Ended()
	p.launch.Concurrent = !ran.Alone
	p.launch.StartUS, p.launch.EndUS = microseconds(c.Start), microseconds(c.End)
	p.launch.FirstUS, p.launch.LastUS = microseconds(ran.At(ran.Start)), microseconds(ran.At(ran.End)+ran.Idle)
	total(p.launch, ran)
	if p.launch.Nested != nil {
		p.launch.Nested.Sort()
	}
	if g.observer != nil {
		g.observer.Grid(ran.End, c.Grid.Observed, observe.Ended)
		g.observer.Command(g.device.Now(), p.observed(), observe.Ended)
	}
	if g.options.Finished != nil {
		g.options.Finished(p.launch)
	}
	if flushed := g.system.flush(); flushed != nil {
		g.host.failure = errors.Join(g.host.failure, flushed)
	}
}

// total sums the SMXs' counters. SMXs without work of the launch only add elapsed cycles.
func total(l *stats.Launch, ran *device.Grid) {
	l.Total = stats.SMX{}
	for i := range l.SMXs {
		took := ran.States[i] != nil
		for _, part := range ran.Parts() {
			took = took || part.States[i] != nil
		}
		if took {
			l.Total.Add(&l.SMXs[i])
		} else {
			l.Total.ElapsedCycles += l.SMXs[i].ElapsedCycles
		}
	}
}

// checkBankMode returns an error for a bank width that the chip does not have.
func checkBankMode(bytes int, c *configs.Config) error {
	if _, err := memorymode.ParseBankMode(bytes); err != nil {
		return fmt.Errorf("bank mode %d: %w", bytes, err)
	}
	if most := c.SharedMemory.BankBytes; bytes > most {
		return fmt.Errorf("bank mode %d: the banks of %s are %d bytes wide", bytes, c.Name, most)
	}
	return nil
}

// grid checks a launch against the chip's limits and prepares its grid.
func (g *GPU) grid(ctx context.Context, l *Launch) (*smx.Grid, error) {
	program, resident, err := g.admit(ctx, l)
	if err != nil {
		return nil, err
	}
	if want := program.Machine.Kernel.ParameterBytes(); len(l.Parameters) != want {
		return nil, fmt.Errorf("%d bytes of parameters were given, the kernel has %d", len(l.Parameters), want)
	}
	grid := &smx.Grid{
		Program: program, Occupancy: resident, ID: g.grids, Shared: program.Machine.SharedBytes + l.Shared, Dynamic: l.Shared,
		BankMode:         int(l.BankMode.Or(g.options.BankMode)),
		CacheGlobalLoads: l.GlobalLoads.Or(g.options.GlobalLoads) == memorymode.LoadsThroughL1,
	}
	g.grids++
	if err := checkBankMode(grid.BankMode, g.config); err != nil {
		return nil, err
	}
	for i := range 3 {
		grid.Dim[i], grid.Block[i] = uint32(l.Grid[i]), uint32(l.Block[i])
	}
	threads := uint64(grid.Dim[0]) * uint64(grid.Dim[1]) * uint64(grid.Dim[2]) * uint64(grid.Threads())
	if err := g.global.Room("local memory", min(grid.LocalBytes(g.config), threads*uint64(program.Machine.LocalBytes))); err != nil {
		return nil, err
	}
	grid.System, grid.CarveOut = g.system, g.carveOut(grid)
	grid.Launch = program.Code.Launch(l.Parameters)
	grid.Launch.Objects = &g.objects
	return grid, checkObjects(program.Code, grid.Launch)
}

// resources returns the chip's limits, and the resources that a launch with some threads in a block asks of an SMX.
func (g *GPU) resources(program *smx.Program, l *Launch, threads int) (limits occupancy.Limits, ask occupancy.Launch, err error) {
	machine := program.Machine
	limits = occupancy.FromConfig(g.config)
	ask = occupancy.Launch{Threads: threads, Registers: machine.Registers, Shared: machine.SharedBytes + l.Shared, Cache: g.cache}
	if g.options.Registers > 0 {
		ask.Registers = g.options.Registers
	}
	if l.CacheConfig != "" && l.CacheConfig != occupancy.PreferNone.String() {
		ask.Cache, err = limits.CacheConfig(l.CacheConfig)
	}
	return limits, ask, err
}

// describe fills in the results that do not depend on the run.
func (g *GPU) describe(grid *smx.Grid, l *Launch) *stats.Launch {
	machine := grid.Program.Machine
	result := g.result()
	result.Number, result.Kernel, result.Name, result.Chip = grid.ID, l.Kernel, machine.Program.Title(l.Kernel), g.chip
	result.Grid, result.Block, result.Stream, result.Functional = l.Grid, l.Block, l.Stream, g.options.Functional
	result.CodeBytes, result.Registers, result.LocalBytes = grid.Program.Bytes(g.config), machine.Registers, machine.LocalBytes
	result.StaticShared, result.DynamicShared = machine.SharedBytes, l.Shared
	if first := l.Module.programs[l.Kernel].Machine; first.Registers > machine.Registers {
		result.LoweredRegisters = first.Registers
	}
	result.SpillBytes, result.SpillLoads, result.SpillStores = machine.SpillBytes, machine.SpillLoads, machine.SpillStores
	result.Occupancy.Blocks, result.Occupancy.Warps = grid.Occupancy.Blocks, grid.Occupancy.Warps
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

// carveOut returns the division of shared memory and L1 for a launch.
func (g *GPU) carveOut(grid *smx.Grid) configs.CarveOut {
	for _, c := range g.config.SharedMemory.CarveOuts {
		if c.Shared == grid.Occupancy.SharedPerSMX {
			return c
		}
	}
	return g.config.SharedMemory.CarveOuts[0]
}

// finish fills in the counters after a run, complete or not.
func (g *GPU) finish(ran *device.Grid, result *stats.Launch) {
	l := &g.config.Launch
	duration := uint64(ran.End-ran.Start) + uint64(l.DeviceCycles+l.DrainCycles) + ran.IdleCycles()
	result.KernelCycles, result.LaunchCycles, result.Cycles = uint64(ran.End-ran.Start), duration, duration+uint64(l.CounterCycles)
	result.TimeUS = float64(duration) / float64(g.config.Clocks.Core)
	if clock, changed := ran.Clock(); changed {
		result.TimeUS = float64(duration) / clock
		result.Chip.CommandCycles *= clock / float64(g.config.Clocks.Core)
		result.Chip.CoreMHz = int(clock + 0.5)
	}
	result.Power = ran.Power
	result.BlocksDone, result.SMXs = 0, g.counters(len(ran.States))
	for i, h := range ran.States {
		if h != nil {
			result.SMXs[i] = h.Counters
			result.BlocksDone += h.Finished
		}
		for _, part := range ran.Parts() {
			if h := part.States[i]; h != nil {
				result.SMXs[i].Add(&h.Counters)
			}
		}
		result.SMXs[i].ElapsedCycles = result.Cycles
	}
	result.Memory, result.Samples, result.Estimate = ran.Memory, ran.Samples.List, ran.Estimate
	g.describeSource(ran, result)
	if g.options.Functional {
		withoutTime(result)
	}
}

// counters returns cleared counters for a number of SMXs.
func (g *GPU) counters(count int) []stats.SMX {
	last := len(g.free) - 1
	if last < 0 {
		return make([]stats.SMX, count)
	}
	list := g.free[last]
	g.free = g.free[:last]
	clear(list)
	return list
}

// result returns an empty result, with memory for lists.
func (g *GPU) result() *stats.Launch {
	last := len(g.unused) - 1
	if last < 0 {
		return &stats.Launch{}
	}
	l := g.unused[last]
	g.unused = g.unused[:last]
	*l = stats.Launch{Occupancy: stats.Occupancy{Limiters: l.Occupancy.Limiters[:0], Limits: l.Occupancy.Limits[:0]}}
	return l
}

// lists are the lists of a result that are made at the launch's end.
type lists struct {
	functions []stats.FunctionCount
	source    []stats.SourceCount
}

// mostUnused is the most results kept for reuse: they come back one by one.
const mostUnused = 64

// Reuse takes the memory of a result that the caller no longer needs.
func (g *GPU) Reuse(result *stats.Launch) {
	if len(g.unused) < mostUnused {
		g.unused = append(g.unused, result)
	}
	if len(g.lists) < mostUnused {
		g.lists = append(g.lists, lists{result.Functions[:0], result.Source[:0]})
	}
}

// Slim drops a result's counters of single SMXs; see stats.Launch.Slim. Later launches reuse their memory.
func (g *GPU) Slim(result *stats.Launch) {
	if len(result.SMXs) == g.config.SMX.Count {
		g.free = append(g.free, result.SMXs)
	}
	result.Slim()
}

// withoutTime clears the counters of time after a functional run.
func withoutTime(result *stats.Launch) {
	result.KernelCycles, result.LaunchCycles, result.Cycles, result.TimeUS = 0, 0, 0, 0
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
