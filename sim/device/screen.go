package device

import (
	"github.com/keplersim/keplersim/sim/screen"
	"github.com/keplersim/keplersim/sim/smx"
)

// Screen has a screen look at the grids that ask for it, in place of the observer and the listener for faults; nil for
// none. Those hear of such a grid where the screen suspects it: it is run again then from its start. It is called while the device is idle.
func (d *Device) Screen(by *screen.Screen) { d.screen = by }

// attend has the SMXs heard by whom a grid that begins asks for.
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

// screened is the grid that runs and is screened, nil where there is none. It runs alone.
func (d *Device) screened() *Grid {
	if d.screen != nil && len(d.grids) == 1 && d.grids[0].Screened {
		return d.grids[0]
	}
	return nil
}

// again begins the grid anew that is screened and does not pass: to be screened in another way, or for those who observe the device.
func (d *Device) again(g *Grid) error {
	g.Screened = d.screen.Undo()
	d.grids = nil
	if err := d.renew(); err != nil {
		return err
	}
	d.begin(g.Command)
	return nil
}

// passes ends the screening of a grid that has ended, or is given up.
func (d *Device) passes(ended []*Grid) {
	for _, g := range ended {
		if g.Screened {
			d.screen.End()
		}
	}
}
