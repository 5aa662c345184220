package device

import (
	"container/heap"
	"errors"
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
)

// Time is a time or a duration, in picoseconds since the host program's start.
type Time = hyperq.Time

// Microseconds converts a duration.
func Microseconds(us float64) Time { return Time(us*1e6 + 0.5) }

// Observer receives the stages of commands; see Device.Watch.
type Observer interface {
	// Began reports a command that has begun, Ended one that has ended. A kernel that ends comes with its grid, nil if it was abandoned
	// before it reached the SMXs.
	Began(c *hyperq.Command)
	Ended(c *hyperq.Command, g *Grid)
}

// ErrStuck is returned if all commands wait for others.
var ErrStuck = errors.New("nothing can go on")

// commandProcessor is the device's part that handles commands and time. The SMXs' clock counts only cycles in which the device has
// something to do. In other times no cycles pass. So a kernel's run depends on what ran before it, but not on how long ago.
type commandProcessor struct {
	manager  *hyperq.Manager
	clock    *engine.Timeline
	idled    Time // time without cycles
	events   events
	sequence uint64
	watcher  Observer
	traffic  []*transfer // copies and memsets in progress
	families map[*hyperq.Command]*family
}

// event is an event at a known time.
type event struct {
	at       Time
	sequence uint64
	begin    bool // a grid reaches the block scheduler; false: a command ends
	own      bool // the end of a kernel itself, without the commands that it has launched
	command  *hyperq.Command
	grid     *Grid
}

// events is a heap by time, then by the order of foresee.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, k int) bool {
	return e[i].at < e[k].at || e[i].at == e[k].at && e[i].sequence < e[k].sequence
}
func (e events) Swap(i, k int) { e[i], e[k] = e[k], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// limits returns the limits of a chip's front end.
func limits(config *configs.Config, o *Options) hyperq.Limits {
	h := &config.HyperQ
	l := hyperq.Limits{
		Connections: min(h.Connections, h.Queues), Grids: h.Grids, CopyEngines: config.Copies.Engines,
		Gap: Microseconds(h.Gap), Slice: Microseconds(h.Slice), Switch: Microseconds(h.Switch), Shared: o.MPS,
	}
	if o.Serial {
		l.Grids = 1
	}
	if o.Functional { // nothing takes time, and the order of the host's calls holds
		l.Gap = 0
	}
	return l
}

// Manager returns the device's front end, which takes commands.
func (d *Device) Manager() *hyperq.Manager { return d.commands.manager }

// Watch sets the observer of commands; nil for none.
func (d *Device) Watch(o Observer) { d.commands.watcher = o }

// Time returns the device's time.
func (d *Device) Time() Time { return d.CycleTime(d.now) }

// CycleTime returns when a cycle begins, if it is not before the device's last idle time.
func (d *Device) CycleTime(at engine.Cycle) Time {
	return d.commands.idled + d.commands.clock.Picoseconds(at)
}

// Next returns the time at which Advance goes on; hyperq.Never if nothing happens before another command.
func (d *Device) Next() Time {
	if len(d.grids) > 0 {
		return d.Time()
	}
	return d.foreseen()
}

// foreseen returns the time of the next known event, apart from those of grids; hyperq.Never for none.
func (d *Device) foreseen() Time {
	next := d.commands.manager.Next()
	if len(d.commands.events) > 0 {
		next = min(next, d.commands.events[0].at)
	}
	return next
}

// Advance carries out the events at Next, and runs an epoch if there are grids.
func (d *Device) Advance() error {
	if len(d.grids) == 0 {
		next := d.Next()
		if next == hyperq.Never {
			return ErrStuck
		}
		d.rest(next)
	}
	if err := d.runDue(); err != nil {
		return err
	}
	if len(d.grids) == 0 {
		return nil
	}
	ended, err := d.Step()
	for _, g := range ended {
		at := d.CycleTime(g.End) + d.commands.clock.Clock().Picoseconds(engine.Cycle(d.config.Launch.DrainCycles))
		if d.options.Functional { // its SMXs count rounds, not cycles
			at = d.Time()
		}
		d.foresee(event{at: at, command: g.Command, grid: g, own: true})
	}
	return err
}

// At returns when a cycle of the grid's run began.
func (g *Grid) At(cycle engine.Cycle) Time { return g.idled + g.clock.Picoseconds(cycle) }

// IdleCycles returns Idle in cycles of the clock.
func (g *Grid) IdleCycles() uint64 { return uint64(g.clock.Clock().CyclesUp(g.Idle)) }

// Clock returns the mean core clock while the grid ran, in MHz, and whether it changed.
func (g *Grid) Clock() (megahertz float64, changed bool) {
	if !g.clock.Changed() || g.End == g.Start {
		return float64(g.clock.Clock().Megahertz), false
	}
	span := g.clock.Picoseconds(g.End) - g.clock.Picoseconds(g.Start)
	return float64(g.End-g.Start) / float64(span) * 1e6, true
}

func (d *Device) foresee(e event) {
	e.sequence = d.commands.sequence
	d.commands.sequence++
	heap.Push(&d.commands.events, e)
}

// runDue carries out everything due by now.
func (d *Device) runDue() error {
	now := d.Time()
	for {
		for len(d.commands.events) > 0 && d.commands.events[0].at <= now {
			if err := d.happen(heap.Pop(&d.commands.events).(event)); err != nil {
				return err
			}
		}
		if d.commands.manager.Next() > now {
			return nil
		}
		d.Settle()
		for _, c := range d.commands.manager.Release(now) {
			if d.commands.watcher != nil {
				d.commands.watcher.Began(c)
			}
			switch {
			case c.Kind == hyperq.Kernel:
				cycles := engine.Cycle(d.config.Launch.DeviceCycles)
				if c.Parent != nil {
					cycles = engine.Cycle(d.config.Nested.Dispatch)
				}
				if d.options.Functional {
					cycles = 0
				}
				d.foresee(event{at: c.Start + d.commands.clock.Clock().Picoseconds(cycles), begin: true, command: c})
			case c.Ended():
				d.released(c)
				if err := d.over(c, nil); err != nil {
					return err
				}
			default:
				if err := d.carryOut(c); err != nil {
					return err
				}
				d.beginTransfer(c)
				d.foresee(event{at: c.Start + c.Duration, command: c})
			}
		}
	}
}

// happen carries out an event.
func (d *Device) happen(e event) error {
	d.Settle()
	if e.begin {
		return d.beginPower(d.begin(e.command))
	}
	if late := d.endTransfer(e.command); late > 0 {
		d.foresee(event{at: e.at + late, command: e.command})
		return nil
	}
	if err := d.endPower(e.grid); err != nil { // again at the end of a kernel's last child
		return err
	}
	return d.end(e)
}

// carryOut carries out a command's effect when the command begins. Later calls of the host in another stream then find the memory in the
// order of the calls, however long a copy or a memset takes.
func (d *Device) carryOut(c *hyperq.Command) error {
	if c.Effect == nil {
		return nil
	}
	effect := c.Effect
	c.Effect = nil
	if err := effect.Apply(); err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	return nil
}

// over carries out the rest of a command that has ended, and reports it.
func (d *Device) over(c *hyperq.Command, g *Grid) error {
	if err := d.carryOut(c); err != nil {
		return err
	}
	if d.commands.watcher != nil {
		d.commands.watcher.Ended(c, g)
	}
	return nil
}
