package device

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/sampling"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// sampled is the sampler's view of a grid.
type sampled struct {
	*Device
	grid *Grid
}

// follow makes the sampler follow a grid that begins, if it has the device to itself.
func (d *Device) follow(g *Grid) {
	d.sampler.Leave()
	if d.sampler != nil && !d.options.Functional && g.Alone && !g.nested() {
		d.sampler.Begin(&sampled{d, g}, g.Grid, &g.Figures)
	}
}

// Timeless reports that the device runs without timing, always or for the current grid.
func (d *Device) Timeless() bool { return d.options.Functional || d.sampler.Untimed() }

// Progress implements sampling.Device.
func (s *sampled) Progress() sampling.Progress {
	finished, _, executed := s.Device.Progress(s.grid)
	return sampling.Progress{At: s.now, Executed: executed, Finished: finished, Left: s.grid.dispatch.Left(),
		Fresh: s.grid.dispatch.Fresh(), Nests: s.grid.tree != nil}
}

// Over implements sampling.Device.
func (s *sampled) Over() bool { return s.unused(s.grid) }

// States implements sampling.Device.
func (s *sampled) States() []*smx.GridState {
	list := make([]*smx.GridState, len(s.smxs))
	for i, x := range s.smxs {
		list[i] = x.GridState(s.grid.Grid)
	}
	return list
}

// Memory implements sampling.Device.
func (s *sampled) Memory() *stats.Memory { return s.settled().Peek(s.grid.Account) }

// Atomics implements sampling.Device.
func (s *sampled) Atomics() stats.Busy { return s.settled().Counters(s.grid.Account).AtomicUnits }

// Pause implements sampling.Device.
func (s *sampled) Pause() {
	s.engine = timed{}
	for _, x := range s.smxs {
		x.Pause()
	}
}

// Paused implements sampling.Device.
func (s *sampled) Paused() bool {
	for _, x := range s.smxs {
		if !x.Drained() {
			return false
		}
	}
	return s.settled().Idle()
}

// Forward implements sampling.Device.
func (s *sampled) Forward(speeds []float64, cycles float64, keep uint64) sampling.Forward {
	f := newForward(s.Device, s.grid, speeds, cycles)
	f.keep, s.engine = keep, f
	return f
}

// Jump implements sampling.Device.
func (s *sampled) Jump(blocks uint64, some bool) sampling.Jump {
	j := newJump(s.Device, s.grid, s.grid.dispatch.Skip(blocks), blocks, some)
	s.engine = j
	return j
}

// Untimed implements sampling.Device.
func (s *sampled) Untimed() { s.engine = functional{} }

// Skip implements sampling.Device.
func (s *sampled) Skip(had []*smx.Detail) {
	s.Untimed()
	s.grid.dispatch.Skip(s.grid.Blocks())
	for i, x := range s.smxs {
		if had[i] != nil {
			x.Join(s.grid.Grid)
		}
	}
}

// Resume implements sampling.Device.
func (s *sampled) Resume() { s.engine = timed{} }

// Rest implements sampling.Device.
func (s *sampled) Rest(until engine.Cycle) {
	s.now = max(s.now, until)
	for _, x := range s.smxs {
		x.Rest(s.now)
	}
}
