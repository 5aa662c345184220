package device

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/sampling"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/screen"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Options configure a device.
type Options struct {
	// Threads is the number of host threads that run SMXs. It changes no result.
	Threads int
	// Functional runs without timing: all results, but no cycles.
	Functional bool
	// Estimate skips the timing of what can be estimated from a part. It requires Serial.
	Estimate bool
	// TimeAlone makes Estimate skip blocks and launches altogether: results are incomplete.
	TimeAlone bool
	// Budget is the host time for a run with Estimate: as much as fits is timed in full. 0: time no more than estimates need.
	Budget time.Duration
	// Clock is the clock for Budget; nil: the host's.
	Clock func() time.Time
	// ReuseDistance records a histogram of reuse distances at L2.
	ReuseDistance bool
	// MPS lets all processes share the device. Without it, one has the device at a time.
	MPS bool
	// Serial runs one grid at a time, even if the chip can run several.
	Serial bool
	// Scheduler makes the policies of warp schedulers; nil: the configuration's.
	Scheduler func(scheduler.Spec) scheduler.Policy
	// Order is the seed of the order of warps and blocks in a functional run; 0: the usual order.
	Order uint64
	// Power makes the device track its power, and its governor set the clock; nil for neither.
	Power *boost.Options
}

// Device is a chip and what runs on it.
type Device struct {
	FromCheckpoint bool // the state comes from a checkpoint file, which may have been edited

	config     *configs.Config
	options    Options
	global     *memory.Global
	memory     *memory.System
	smxs       []*smx.SMX
	untimed    *smx.SMX // runs blocks without timing, nil before the first
	blocks     *hyperq.Blocks
	engine     runner
	crew       *crew  // nil until several threads have work
	unsettled  bool   // the memory system may still run the previous epoch
	remembered uint64 // the memory version for which the crew remembers
	alternate  int    // further epochs in which the memory system runs alone
	ends       []engine.Cycle
	sampled    []*Grid      // scratch of toSample
	notes      []*note      // of the current epoch
	unfinished []unfinished // samples
	now        engine.Cycle
	grids      []*Grid           // running, in the order of their starts
	rounds     int               // epochs without timing since a grid ended, or time passed
	trees      []*tree           // of running host launches with nested launches
	sampler    *sampling.Sampler // nil if everything is timed, or nothing
	commands   commandProcessor
	power      power
	// observer and faults receive events, also after the SMXs and the memory are renewed; nil for none.
	observer observe.Observer
	faults   smx.FaultListener
	screen   *screen.Screen // nil for none
}

// runner is a mode of running, such as timed or functional.
type runner interface {
	// advance runs the SMXs and the memory for a while. It reports whether anything happened or can still happen.
	advance(d *Device) bool
	// quiet reports that nothing is in flight behind the SMXs.
	quiet(d *Device) bool
}

// New makes an idle device with its memory.
func New(config *configs.Config, global *memory.Global, o Options) (*Device, error) {
	d := &Device{config: config, options: o, global: global, engine: timed{}}
	if o.Estimate {
		d.sampler = sampling.New(config, o.TimeAlone, o.Budget, o.Clock)
	}
	d.commands = commandProcessor{manager: hyperq.NewManager(limits(config, &o)),
		clock: engine.NewTimeline(engine.Clock{Megahertz: uint64(config.Clocks.Core)})}
	if o.Functional {
		d.engine = functional{}
	}
	if err := d.newPower(); err != nil {
		return nil, err
	}
	return d, d.renew()
}

// renew resets the device, except the contents of its memory and the time.
func (d *Device) renew() error {
	d.stop()
	if d.memory != nil {
		d.addMemory(&d.power.retired)
	}
	d.memory, d.smxs, d.grids, d.trees = memory.New(d.config, d.global), make([]*smx.SMX, d.config.SMX.Count), nil, nil
	d.untimed = nil
	for i := range d.smxs {
		s, err := smx.New(i, d.config, d.global, d.memory.Port(i), d.config.SharedMemory.CarveOuts[0], d.now, d.options.Scheduler)
		if err != nil {
			return err
		}
		s.Follow(d.commands.clock)
		s.Order(d.options.Order)
		d.smxs[i] = s
	}
	d.Observe(d.observer)
	d.ReportFaults(d.faults)
	if d.commands.clock.Changed() {
		d.memory.SetClock(int(d.commands.clock.Clock().Megahertz), d.now)
	}
	var err error
	d.blocks, err = hyperq.NewBlocks(d.smxs, d.config.Launch.Placement)
	return err
}

// Now returns the cycles so far in which the device had something to do.
func (d *Device) Now() engine.Cycle { return d.now }

// Memory returns the memory system.
func (d *Device) Memory() *memory.System { return d.settled() }

// Grids returns the running grids, in the order of their starts.
func (d *Device) Grids() []*Grid { return d.grids }

// Observe sets the observer of the device; nil for none. Call it while the device is idle.
func (d *Device) Observe(o observe.Observer) {
	d.observer = o
	for _, s := range d.smxs {
		s.Observe(o)
	}
	d.settled().Observe(o)
}

// ReportFaults sends faulty accesses to a listener and leaves them out; nil makes them stop their kernel. Call it while the device is idle.
func (d *Device) ReportFaults(l smx.FaultListener) {
	d.faults = l
	for _, s := range d.smxs {
		s.ReportFaults(l)
	}
}

// Idle reports that no grid runs and nothing is in flight in the memory system.
func (d *Device) Idle() bool { return len(d.grids) == 0 && d.engine.quiet(d) }

// Grid is a running or completed grid.
type Grid struct {
	*smx.Grid
	sampling.Figures
	// Idle is the time without cycles until the last of its children ended: the device only prepared the next of them.
	Idle Time
	// Alone: no grid of another tree ran, and no copy moved lines, at the same time.
	Alone bool
	// Power is the board's power from its start until its command's end, its children's included; nil if not tracked.
	Power *stats.Power

	// Command launched it.
	Command *hyperq.Command

	idled    Time
	clock    *engine.Timeline
	dispatch *hyperq.Dispatch
	reading  boost.Reading // at its start
	// readsHere: its warps may read global memory through their SMXs' caches.
	readsHere bool
	tree      *tree // nil for a host launch without children
}

// begin gives a command's grid to the block scheduler.
func (d *Device) begin(c *hyperq.Command) *Grid {
	g := c.Grid
	started := &Grid{
		Grid: g, Command: c, Figures: sampling.Figures{Start: d.now}, Alone: len(d.commands.traffic) == 0,
		idled: d.commands.idled, clock: d.commands.clock,
	}
	if c.Parent != nil {
		started.tree = d.commands.families[c.Parent].tree
		g.Root = started.tree.root.Grid
	}
	if d.Idle() {
		for _, s := range d.smxs {
			s.Rest(d.now)
		}
		if d.options.ReuseDistance {
			d.settled().RecordReuse()
		}
	}
	if started.nested() {
		g.Account = started.tree.root.Account
	} else {
		g.Account = d.settled().Open()
	}
	started.readsHere = !d.options.Functional && d.smxs[0].ReadsThroughCaches(g)
	d.meet(started)
	d.attend(g)
	g.LocalOffset = d.placeLocal(g)
	started.dispatch = d.blocks.Add(g, c.Stream.Priority)
	d.grids = append(d.grids, started)
	d.follow(started)
	return started
}

// meet clears Alone where a grid that begins overlaps others.
func (d *Device) meet(started *Grid) {
	own := started
	if started.tree != nil {
		own = started.tree.root
	}
	apart := func(other *Grid) {
		if !other.within(started) {
			other.Alone, own.Alone = false, false
		}
	}
	for _, other := range d.grids {
		apart(other)
	}
	for _, t := range d.trees {
		apart(t.root)
	}
	own.Alone = own.Alone && len(d.commands.traffic) == 0
}

// placeLocal returns an address for the local memory of a grid's threads that the other grids do not use.
func (d *Device) placeLocal(g *smx.Grid) (at uint64) {
	bytes := g.LocalBytes(d.config)
	for again := bytes > 0; again; {
		again = false
		for _, other := range d.grids {
			if end := other.LocalOffset + other.LocalBytes(d.config); at < end && other.LocalOffset < at+bytes {
				at, again = end, true
			}
		}
	}
	return at
}

// patience is the number of epochs after which a run without timing lets time pass although grids run. They may wait for a stream that the
// host fills later. A warp executes some half a million operations in them.
const patience = 256

// Step runs an epoch. It returns the grids that have ended with it. It fails on a fault of a kernel, or if nothing can happen any more;
// call Abandon then.
func (d *Device) Step() (ended []*Grid, err error) {
	gap := engine.Cycle(d.config.Launch.BlockCycles)
	if d.Timeless() {
		gap = 0
	}
	d.swap()
	if !d.sampler.Leaps() { // which deals blocks itself
		d.blocks.Deal(d.now, gap)
	}
	alive := d.engine.advance(d)
	if err := d.measureWhenDue(); err != nil {
		return nil, err
	}
	d.blocks.Collect()
	if !d.Timeless() {
		d.sample()
	}
	d.sampler.Look()
	screened := d.screened()
	if fault := firstFault(d.smxs); fault != nil {
		if screened != nil {
			return nil, d.again(screened, 0)
		}
		return nil, fault
	}
	if screened != nil && screened.Stage == screen.Surveyed && screened.done(d) {
		return nil, d.again(screened, screened.operations(d))
	}
	ended = d.ended()
	d.passes(ended)
	if alive && d.options.Functional && len(ended) == 0 {
		d.rounds++
	} else {
		d.rounds = 0
	}
	if (!alive || d.rounds >= patience) && len(ended) == 0 && len(d.grids) > 0 {
		d.rounds = 0
		next := d.foreseen()
		if next == hyperq.Never {
			if alive {
				return nil, nil
			}
			if screened != nil {
				return nil, d.again(screened, 0)
			}
			return nil, deadlock(d.smxs, d.FromCheckpoint)
		}
		d.commands.idled += max(0, next-d.Time()) // without timing; with it, cycles have passed
	}
	return ended, nil
}

// done reports whether a grid has ended. A grid that is alone ends only when the memory system is quiet, too.
func (g *Grid) done(d *Device) bool {
	alone := len(d.grids) == 1 && len(d.commands.traffic) == 0
	return g.Parked == 0 && g.dispatch.Left() == 0 && d.unused(g) && (!alone || d.engine.quiet(d))
}

// ended removes the grids that have ended.
func (d *Device) ended() (list []*Grid) {
	for i := 0; i < len(d.grids); i++ {
		g := d.grids[i]
		if !g.done(d) {
			continue
		}
		d.grids = slices.Delete(d.grids, i, i+1)
		i--
		d.finish(g, g.Start)
		list = append(list, g)
	}
	return list
}

// unused reports that a grid is idle on all SMXs.
func (d *Device) unused(g *Grid) bool {
	for _, s := range d.smxs {
		if h := s.GridState(g.Grid); h != nil && !h.Idle() {
			return false
		}
	}
	return true
}

// finish completes a grid's figures. It ended with its last block or response, but not before cycle end.
func (d *Device) finish(g *Grid, end engine.Cycle) {
	d.blocks.Remove(g.dispatch)
	sampled := d.sampler.Ending()
	g.States, g.End = make([]*smx.GridState, len(d.smxs)), end
	for i, s := range d.smxs {
		if h := s.GridState(g.Grid); h != nil {
			s.Leave(h)
			g.States[i], g.End = h, max(g.End, h.Last)
			d.power.retired.AddSMX(&h.Counters)
		}
	}
	if len(d.grids) == 0 {
		d.settled().WriteBackAll()
		d.stop()
	}
	switch {
	case g.tree == nil:
		d.closeAccount(g)
	default: // the tree may still run
		g.tree.add(g, d.commands.idled)
	}
	sampled()
}

// Abandon ends everything that runs and renews the device. It returns the grids, with their figures so far.
func (d *Device) Abandon() ([]*Grid, error) {
	list := d.grids
	d.passes(list)
	d.grids = nil
	d.commands.events, d.commands.traffic, d.commands.families = nil, nil, nil
	d.commands.manager.Abandon()
	for _, g := range list {
		d.finish(g, d.now)
	}
	for len(d.trees) > 0 {
		root := d.trees[0].root
		if !slices.Contains(list, root) { // the root waited for its children
			list = append(list, root)
		}
		root.End = d.now
		d.close(d.trees[0])
	}
	return list, d.renew()
}

// stop ends the host's threads until the next epoch.
func (d *Device) stop() {
	d.Forget()
	if d.crew != nil {
		d.crew.stop()
		d.crew = nil
	}
}

// Progress returns the numbers of a grid's completed and resident blocks, and its warp instructions so far.
func (d *Device) Progress(g *Grid) (finished, running, executed uint64) {
	for _, s := range d.smxs {
		if h := s.GridState(g.Grid); h != nil {
			finished += h.Finished
			running += uint64(h.Blocks())
			executed += h.Counters.InstExecuted
		}
	}
	return finished, running, executed
}

// Unstarted describes which blocks of a grid that does not end wait for resident ones to end: "" if none do.
func (d *Device) Unstarted(g *Grid) string {
	started := uint64(0)
	for _, s := range d.smxs {
		if h := s.GridState(g.Grid); h != nil {
			started += h.Counters.BlocksLaunched
		}
	}
	if started >= g.Blocks() {
		return ""
	}
	x, y := uint64(g.Dim[0]), uint64(g.Dim[1])
	resident := g.Occupancy.Blocks * len(d.smxs)
	return fmt.Sprintf("\n  %d of %d blocks, from block (%d,%d,%d) on, have not started: %d are resident at once, and the others "+
		"start when these end."+
		"\n  If the resident ones wait for them, as at a barrier between all blocks, none ever starts: launch %d blocks at most",
		g.Blocks()-started, g.Blocks(), started%x, started/x%y, started/x/y, resident, resident)
}

// Standing says where the warps are that have not ended; see smx.Standing.
func (d *Device) Standing() string { return smx.Standing(d.smxs) }

// firstFault returns the fault of the earliest cycle, and of several in one cycle that of the SMX with the lowest number.
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

// deadlock returns the error of a device in which nothing can happen any more.
func deadlock(list []*smx.SMX, fromCheckpoint bool) error {
	for _, s := range list {
		if f := s.Deadlock(); f != nil {
			return f
		}
	}
	if fromCheckpoint {
		return errors.New("the checkpoint's state contradicts itself: nothing can happen, and no warp waits at a barrier")
	}
	return fmt.Errorf("simulator bug: nothing can happen, and no warp waits at a barrier")
}
