package device

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
)

// family is what a kernel and the commands that it has given know of each other.
type family struct {
	tree  *tree
	open  int    // commands that have not ended
	ended *event // its own end, while it waits for theirs
	last  engine.Cycle
}

// Give takes a command that a running kernel has given, its Parent. It ends no later than that.
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

// end ends a command, unless it is a kernel whose commands have not all ended: then it ends with the last of them.
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
	if err := d.over(e.command, e.grid); err != nil || parent == nil {
		return err
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

// released notes the end of a command of a kernel that has no time of its own.
func (d *Device) released(c *hyperq.Command) {
	if f := d.commands.families[c.Parent]; c.Parent != nil && f != nil {
		f.open--
		if f.open == 0 && f.ended != nil {
			d.foresee(event{at: max(f.ended.at, c.End), command: c.Parent, grid: f.ended.grid})
		}
	}
}

// swap lets blocks that wait for what they have launched leave their SMXs, and those whose wait is over come back.
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

// CycleAt is the first cycle that does not begin before a time, with the clock as it is now.
func (d *Device) CycleAt(t Time) engine.Cycle {
	if ahead := t - d.Time(); ahead > 0 {
		return d.now + d.commands.clock.Clock().CyclesUp(ahead)
	}
	return d.now
}
