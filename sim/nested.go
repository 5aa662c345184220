package sim

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// nested is the device's part of CUDA's runtime: functions with which kernels launch kernels (dynamic parallelism, compute capability 3.5).
type nested struct {
	gpu     *GPU
	limits  NestedLimits
	buffers launchBuffers
	handles handles
	strings map[int]uint64 // addresses of error texts, by number
	// running has the commands of running grids, children the commands of kernels: grids and copies.
	running  map[*smx.Grid]*hyperq.Command
	children map[*hyperq.Command]*child
	given    *hyperq.Command // the last command given
	pending  int             // launches that have not begun
	taken    hyperq.Time     // when the device can take the next launch
	waited   hyperq.Time     // when it can end the next wait
	waits    map[*hyperq.Command]int
	shown    int // children in the timeline
}

// NestedLimits are cudaDeviceSetLimit's limits of the device's runtime.
type NestedLimits struct {
	// SyncDepth is the number of levels from the top that may call cudaDeviceSynchronize. Pending is the number of launches that fit the
	// fixed pool.
	SyncDepth, Pending int
}

// NestedLimits returns the limits of nested launches. Changes hold for later launches.
func (g *GPU) NestedLimits() *NestedLimits { return &g.system.nested.limits }

// blockCalls is the runtime's data of a block: its NULL stream, its threads' launches, and their last errors.
type blockCalls struct {
	null   *hyperq.Stream
	open   map[*child]bool
	ended  []any       // ended commands, if there are checks
	errors map[int]int // by thread
	// configured has, by thread, the configurations of kernel<<<...>>> in device code whose calls are to follow.
	configured map[int]*configuration
}

// child is a kernel, copy or memset of a kernel.
type child struct {
	command *hyperq.Command
	given   hyperq.Time
	block   *blockCalls
	waiters []*waiter
	root    *Pending
	title   string
}

// configuration is the contents of the brackets of kernel<<<grid, block, shared, stream>>>.
type configuration struct {
	geometry
	stream uint64
}

// waiter is a warp at cudaDeviceSynchronize.
type waiter struct {
	call *smx.SystemCall
	left int
	grid *hyperq.Command
	of   []any // the commands that it waits for, if there are checks
}

func newNested(g *GPU) *nested {
	n := &nested{gpu: g, limits: NestedLimits{g.config.Nested.SyncDepth, g.config.Nested.Pending}}
	n.forget()
	return n
}

// forget drops everything that runs, after an error.
func (n *nested) forget() {
	n.running, n.children, n.waits = map[*smx.Grid]*hyperq.Command{}, map[*hyperq.Command]*child{}, map[*hyperq.Command]int{}
	n.pending = 0
}

// of returns the data of a call's block.
func (n *nested) of(c *smx.SystemCall) *blockCalls {
	state := c.State()
	if *state == nil {
		*state = &blockCalls{open: map[*child]bool{}, errors: map[int]int{}, configured: map[int]*configuration{}}
	}
	return (*state).(*blockCalls)
}

// parent returns the command of a call's grid.
func (n *nested) parent(c *smx.SystemCall) *hyperq.Command { return n.running[c.Grid()] }

// root returns the host's launch above a command.
func (n *nested) root(c *hyperq.Command) *Pending {
	for c.Parent != nil {
		c = c.Parent
	}
	return n.gpu.pending[c]
}

// fail sets an error as a lane's result and its thread's last error, and reports it.
func (n *nested) fail(c *smx.SystemCall, lane, number int) {
	n.note(c, lane, number)
	c.SetResult(lane, uint64(number))
}

// note sets a thread's last error.
func (n *nested) note(c *smx.SystemCall, lane, number int) {
	n.of(c).errors[c.ThreadNumber(lane)] = number
	if p := n.root(n.parent(c)); p != nil {
		machine, call := c.Grid().Program.Machine, c.Name
		if kernel, ok := strings.CutPrefix(call, isa.LaunchPrefix); ok {
			call = isa.LaunchPrefix + machine.Program.Title(kernel)
		}
		p.nested().Fail(number, cudaErrors[number].name, call+" in "+machine.Program.Title(machine.Kernel.Name), who(c, lane))
	}
}

// nested returns the figures of a launch's nested launches.
func (p *Pending) nested() *stats.Nested {
	if p.launch.Nested == nil {
		p.launch.Nested = &stats.Nested{}
	}
	return p.launch.Nested
}

// took sets how long a call takes, in a timed run.
func (n *nested) took(c *smx.SystemCall, base, lane int) {
	if n.gpu.options.Functional {
		return
	}
	lanes := bits.OnesCount32(c.Lanes)
	c.Delay += engine.Cycle(base + lane*lanes)
	if p := n.root(n.parent(c)); p != nil {
		p.nested().CallCycles += uint64(base + lane*lanes)
	}
}

// geometry is a kernel's configuration of a launch.
type geometry struct {
	function    uint64
	grid, block [3]uint32
	shared      uint32
}

// kernelOf finds the kernel with an address.
func (n *nested) kernelOf(c *smx.SystemCall, address uint64) (*Module, *isa.Function, bool) {
	program := c.Grid().Program.Machine.Program
	index, ok := exec.FunctionAt(program, address)
	if !ok || !program.Functions[index].Kernel || !program.Functions[index].Defined {
		return nil, nil, false
	}
	for _, m := range n.gpu.modules {
		if m.program == program {
			return m, program.Functions[index], true
		}
	}
	return nil, nil, false
}

// prepare makes a grid from a configuration and its parameters, or returns an error number.
func (n *nested) prepare(c *smx.SystemCall, of *geometry, parameters func(bytes int) []byte) (grid *smx.Grid, number int) {
	g := n.gpu
	m, f, ok := n.kernelOf(c, of.function)
	if !ok {
		return nil, cudaInvalidDeviceFunction
	}
	l := Launch{Module: m, Kernel: f.Name, Shared: int(of.shared)}
	for i := range 3 {
		if of.grid[i] == 0 || of.block[i] == 0 {
			return nil, cudaInvalidConfiguration
		}
		l.Grid[i], l.Block[i] = int(of.grid[i]), int(of.block[i])
	}
	ctx := context.Background()
	if _, err := m.prepared(ctx, f.Name); err != nil {
		return nil, cudaInvalidKernelImage
	}
	var refused *Refused
	if _, _, err := g.admit(ctx, &l); errors.As(err, &refused) {
		return nil, refused.Number
	}
	if parameters == nil { // only a check
		return nil, cudaSuccess
	}
	if l.Parameters = parameters(f.ParameterBytes()); len(l.Parameters) != f.ParameterBytes() {
		return nil, cudaInvalidValue
	}
	own := c.Grid()
	l.BankMode = memorymode.BankMode(own.BankMode)
	if own.CacheGlobalLoads {
		l.GlobalLoads = memorymode.LoadsThroughL1
	}
	grid, err := g.grid(ctx, &l)
	if err != nil {
		return nil, cudaLaunchOutOfResources
	}
	if m.constants != nil {
		grid.Launch.WriteConstant(0, m.constants)
	}
	return grid, cudaSuccess
}

// launch submits a lane's launch. place is the lane's rank among those that launch, from 1.
func (n *nested) launch(c *smx.SystemCall, place int, of *geometry, stream uint64, parameters func(bytes int) []byte) (number int) {
	k := &n.gpu.config.Nested
	parent := n.parent(c)
	if number := n.allowed(c); number != cudaSuccess {
		return number
	}
	in, ok := n.stream(c, stream)
	if !ok {
		return cudaInvalidResourceHandle
	}
	grid, number := n.prepare(c, of, parameters)
	if number != cudaSuccess {
		return number
	}
	after := k.Launch + k.LaunchLane*place
	switch {
	case n.pending >= n.limits.Pending+k.Overflow:
		return cudaLaunchPendingCountExceeded
	case n.pending >= n.limits.Pending:
		c.Delay += engine.Cycle(k.OverflowCycles)
		after += k.OverflowCycles
	}
	n.pending++
	machine := grid.Program.Machine
	title := machine.Program.Title(machine.Kernel.Name)
	n.give(c, &hyperq.Command{Kind: hyperq.Kernel, Name: title, Grid: grid, Stream: in}, after)
	n.running[grid] = n.given
	if p := n.root(parent); p != nil {
		p.nested().Launches++
	}
	return cudaSuccess
}

// allowed returns an error number if a call may not launch, on this chip or at its depth.
func (n *nested) allowed(c *smx.SystemCall) (number int) {
	switch depth := n.gpu.config.Nested.Depth; {
	case depth == 0:
		return cudaNotSupported
	case n.parent(c).Depth+1 > depth:
		return cudaLaunchMaxDepthExceeded
	}
	return cudaSuccess
}

// give submits a command of a kernel. The device sees it after some cycles, and after it has taken earlier commands.
func (n *nested) give(c *smx.SystemCall, command *hyperq.Command, after int) {
	g, parent := n.gpu, n.parent(c)
	command.Parent, command.Depth = parent, parent.Depth+1
	at := g.device.CycleTime(c.Cycle)
	if !g.options.Functional {
		at = g.device.CycleTime(c.Cycle + engine.Cycle(after))
		if command.Kind <= hyperq.Memset {
			at = max(at, n.taken)
			n.taken = at + device.Microseconds(g.config.Nested.Interval)
		}
	}
	command.Visible = at
	if command.Kind <= hyperq.Memset {
		block := n.of(c)
		made := &child{command: command, given: g.device.CycleTime(c.Cycle), block: block, root: n.root(parent), title: command.Name}
		block.open[made] = true
		n.children[command] = made
	}
	n.given = command
	n.tellGiven(c, command)
	g.device.Give(command)
}

// synchronize makes warps wait for the launches of their block's threads so far.
func (n *nested) synchronize(c *smx.SystemCall) *smx.Fault {
	block, grid := n.of(c), n.parent(c)
	number := cudaSuccess
	switch {
	case n.gpu.config.Nested.Depth == 0:
		number = cudaNotSupported
	case grid.Depth >= n.limits.SyncDepth && len(block.open) > 0:
		number = cudaSyncDepthExceeded
	}
	n.took(c, n.gpu.config.Nested.Call, 0)
	_ = eachLane(c, func(lane int) *smx.Fault {
		if number != cudaSuccess {
			n.fail(c, lane, number)
		} else {
			c.SetResult(lane, cudaSuccess)
		}
		return nil
	})
	w := &waiter{call: c, left: len(block.open), grid: grid, of: slices.Clone(block.ended)}
	if number != cudaSuccess || len(block.open) == 0 {
		if number == cudaSuccess {
			n.tellSynchronized(w)
		}
		return nil
	}
	for made := range block.open {
		made.waiters = append(made.waiters, w)
		if n.gpu.checker != nil {
			w.of = append(w.of, made.command)
		}
	}
	if p := n.root(grid); p != nil {
		p.nested().Waits++
	}
	n.waits[grid]++
	n.gpu.device.Manager().Yield(grid)
	c.Hold()
	return nil
}

// began handles a child that begins.
func (n *nested) began(c *hyperq.Command) {
	made := n.children[c]
	if made == nil || c.Kind != hyperq.Kernel {
		n.tellBegun(c)
		return
	}
	n.pending--
	if observer := n.gpu.observer; observer != nil {
		c.Grid.Observed = observed(c.Grid, 0)
		c.Grid.Observed.Parent = c.Parent.Grid.Observed
		n.tellBegun(c)
		observer.Grid(n.gpu.device.Now(), c.Grid.Observed, observe.Started)
	}
}

// ended handles a child that has ended: warps that wait for it may go on, and its figures are added to its launch.
func (n *nested) ended(c *hyperq.Command, ran *device.Grid) {
	if c.Grid != nil {
		delete(n.running, c.Grid)
	}
	n.tellEnded(c)
	made := n.children[c]
	if made == nil {
		return
	}
	delete(n.children, c)
	delete(made.block.open, made)
	if n.gpu.checker != nil {
		made.block.ended = append(made.block.ended, c)
	}
	for _, w := range made.waiters {
		if w.left--; w.left == 0 {
			n.resume(w, c.End)
		}
	}
	if observer := n.gpu.observer; observer != nil && ran != nil {
		observer.Grid(ran.End, ran.Observed, observe.Ended)
	}
	if made.root != nil {
		made.root.nested().Add(n.figures(made, ran))
	}
}

// resume lets a warp go on that has waited until a time.
func (n *nested) resume(w *waiter, at hyperq.Time) {
	g := n.gpu
	n.tellSynchronized(w)
	if n.waits[w.grid]--; n.waits[w.grid] == 0 {
		delete(n.waits, w.grid)
		g.device.Manager().Continue(w.grid)
	}
	if g.options.Functional {
		w.call.Resume(g.device.Now())
		return
	}
	at = max(at, n.waited)
	n.waited = at + device.Microseconds(g.config.Nested.Wait)
	w.call.Resume(max(g.device.Now(), g.device.CycleAt(n.waited)))
}

// figures returns a child's figures for its launch.
func (n *nested) figures(made *child, ran *device.Grid) *stats.NestedKernel {
	c := made.command
	f := &stats.NestedKernel{Kernel: c.Name, Parent: c.Parent.Name, Depth: c.Depth, Launches: 1}
	f.WaitUS, f.TimeUS = microseconds(c.Start-made.given), microseconds(c.End-c.Start)
	if c.Kind != hyperq.Kernel {
		f.Kernel = c.Kind.String() + " " + c.Name
	}
	if ran == nil {
		return f
	}
	f.Blocks, f.Threads = ran.Blocks(), ran.Blocks()*uint64(ran.Threads())
	for _, h := range ran.States {
		if h != nil {
			f.Instructions += h.Counters.InstExecuted
			f.WarpCycles += h.Counters.ActiveWarpCycles
		}
	}
	return f
}
