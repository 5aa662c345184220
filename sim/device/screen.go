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
	observer, faults := d.observer, d.faults
	if g.Stage != screen.Checked {
		d.screen.Begin(g.Program.Machine, g.Stage)
	}
	if g.Stage.Provisional() {
		observer, faults = nil, nil
	}
	for _, s := range d.smxs {
		s.Observe(observer)
		s.ReportFaults(faults)
		s.Screen(d.screen, g.Stage)
	}
}

// screened returns the running grid if it is screened or surveyed, else nil. It runs alone.
func (d *Device) screened() *Grid {
	if d.screen != nil && len(d.grids) == 1 && d.grids[0].Stage.Provisional() {
		return d.grids[0]
	}
	return nil
}

// operations returns how many operations a warp of a grid has executed in the mean.
func (g *Grid) operations(d *Device) (sum uint64) {
	for _, s := range d.smxs {
		if h := s.GridState(g.Grid); h != nil {
			sum += h.Counters.InstExecuted
		}
	}
	return sum / (g.Blocks() * uint64(g.Warps()))
}

// again restarts a grid, which has ended with some operations a warp or, with none, is suspected, in another stage.
func (d *Device) again(g *Grid, operations uint64) error {
	g.Stage = d.screen.Undo(operations)
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
		if g.Stage == screen.Screened {
			d.screen.End()
		}
	}
}
