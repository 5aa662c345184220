package device

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
)

// family is a kernel's record of the commands that it has launched.
type family struct {
	tree  *tree
	open  int    // its commands that have not ended
	ended *event // its own end, while it waits for its commands
	last  engine.Cycle
}

// Give submits a command of a running kernel, its Parent. The parent ends no sooner than the command.
func (d *Device) Give(c *hyperq.Command) {
	if d.commands.families == nil {
		d.commands.families = map[*hyperq.Command]*family{}
	}
	f := d.commands.families[c.Parent]
	if f == nil {
		f = &family{tree: d.plant(d.running(c.Parent))}
		d.commands.families[c.Parent] = f
	}
	f.open++
	d.commands.manager.Submit(c)
}

// end ends a command. A kernel ends only with the last of its commands.
func (d *Device) end(e event) error {
	f := d.commands.families[e.command]
	if e.own && f != nil && f.open > 0 {
		f.ended = &e
		d.commands.manager.Yield(e.command)
		return nil
	}
	if f != nil && e.grid != nil {
		e.grid.End = max(e.grid.End, f.last)
		if !e.grid.nested() {
			d.close(e.grid.tree)
		}
	}
	delete(d.commands.families, e.command)
	d.commands.manager.End(e.command, e.at)
	parent := e.command.Parent
	if err := d.over(e.command, e.grid); err != nil {
		return err
	}
	if parent == nil {
		e.grid.recycle(d)
		return nil
	}
	above := d.commands.families[parent]
	above.open--
	if e.grid != nil {
		above.last = max(above.last, e.grid.End)
	} else {
		above.last = d.now
	}
	if above.open == 0 && above.ended != nil {
		own := *above.ended
		d.foresee(event{at: max(own.at, e.at), command: parent, grid: own.grid})
	}
	return nil
}

// recycle reuses the memory of a host launch that has ended and was reported; nil for another command. With timing, responses may still
// come.
func (g *Grid) recycle(d *Device) {
	if g == nil || g.tree != nil || !d.options.Functional {
		return
	}
	for i, h := range g.States {
		if h != nil {
			d.smxs[i].Spare(h)
		}
	}
	g.States = nil
}

// released records the end of a kernel's command that takes no time.
func (d *Device) released(c *hyperq.Command) {
	if f := d.commands.families[c.Parent]; c.Parent != nil && f != nil {
		f.open--
		if f.open == 0 && f.ended != nil {
			d.foresee(event{at: max(f.ended.at, c.End), command: c.Parent, grid: f.ended.grid})
		}
	}
}

// swap parks blocks that wait for their nested launches, and brings back those whose wait is over.
func (d *Device) swap() {
	if len(d.commands.families) == 0 {
		return
	}
	bytes := d.config.DRAMPeak() / float64(d.config.Clocks.Core)
	if d.options.Functional {
		bytes = 0
	}
	for _, s := range d.smxs {
		s.Swap(d.now, bytes)
	}
}

// CycleAt returns the first cycle that does not begin before a time, at the current clock.
func (d *Device) CycleAt(t Time) engine.Cycle {
	if ahead := t - d.Time(); ahead > 0 {
		return d.now + d.commands.clock.Clock().CyclesUp(ahead)
	}
	return d.now
}
