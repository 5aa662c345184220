package device

import (
	"github.com/keplersim/keplersim/sim/screen"
	"github.com/keplersim/keplersim/sim/smx"
)

// Screen sets a screen for the grids that ask for it, in place of the observer and the listener for faults; nil for none. If the screen
// suspects a grid, the grid runs again from its start, observed. Call Screen while the device is idle.
func (d *Device) Screen(by *screen.Screen) { d.screen = by }

// attend gives the SMXs the screen or the observers, as a grid that begins asks.
func (d *Device) attend(g *smx.Grid) {
	if d.screen == nil {
		return
	}
	observer, faults, by := d.observer, d.faults, d.screen
	if g.Screened {
		observer, faults = nil, nil
		d.screen.Begin(g.Program.Machine)
	} else {
		by = nil
	}
	for _, s := range d.smxs {
		s.Observe(observer)
		s.ReportFaults(faults)
		s.Screen(by)
	}
}

// screened returns the running grid if it is screened, else nil. It runs alone.
func (d *Device) screened() *Grid {
	if d.screen != nil && len(d.grids) == 1 && d.grids[0].Screened {
		return d.grids[0]
	}
	return nil
}

// again restarts a screened grid that is suspected: with another kind of screening, or observed.
func (d *Device) again(g *Grid) error {
	g.Screened = d.screen.Undo()
	d.grids = nil
	if err := d.renew(); err != nil {
		return err
	}
	d.begin(g.Command)
	return nil
}

// passes ends the screening of grids that have ended or are abandoned.
func (d *Device) passes(ended []*Grid) {
	for _, g := range ended {
		if g.Screened {
			d.screen.End()
		}
	}
}
