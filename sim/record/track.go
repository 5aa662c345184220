package record

import (
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// track records one SMX.
type track struct {
	recording.Encoder
	grid *observe.Grid // the grid of the last lookup
	*life
	index int // index of life
	full  bool
}

// track returns an SMX's track for a grid, nil if it is not recorded.
func (d *device) track(smx int, g *observe.Grid) *track {
	t := d.smxs[smx]
	if t == nil {
		if !d.wants(smx) {
			return nil
		}
		t = &track{}
		d.smxs[smx] = t
	}
	if t.grid != g {
		t.grid, t.index = g, d.byGrid[g]
		t.life = d.grids[t.index]
	}
	return t
}

// at returns an SMX's track for a grid's event in a cycle, nil if it is not recorded.
func (d *device) at(smx int, g *observe.Grid, cycle engine.Cycle) *track {
	t := d.track(smx, g)
	if t == nil || cycle < t.from || cycle >= t.to || t.full {
		return nil
	}
	t.full = t.Len() > mostTrackBytes
	return t
}

func (d *device) of(w *observe.Warp, cycle engine.Cycle) *track {
	return d.at(w.Block.SMX, w.Block.Grid, cycle)
}

// Block implements observe.Observer. Blocks are recorded whatever the window.
func (d *device) Block(at engine.Cycle, b *observe.Block, stage observe.Stage) {
	t := d.track(b.SMX, b.Grid)
	if t == nil {
		return
	}
	switch stage {
	case observe.Started:
		t.BlockStart(at, t.index, b)
	case observe.Returned:
		t.BlockReturn(at, t.index, b)
	case observe.Parked:
		t.BlockLeave(at, t.index, b)
	default:
		t.BlockEnd(at, t.index, b)
	}
}

// Issue implements observe.Observer.
func (d *device) Issue(e observe.Issue) {
	if t := d.of(e.Warp, e.Cycle); t != nil {
		t.Issue(&e)
	}
}

// Stall implements observe.Observer.
func (d *device) Stall(e observe.Stall) {
	t := d.track(e.Warp.Block.SMX, e.Warp.Block.Grid)
	if t == nil || t.full {
		return
	}
	e.From, e.To = max(e.From, t.from), min(e.To, t.to)
	if e.From < e.To {
		t.Stall(&e)
		t.full = t.Len() > mostTrackBytes
	}
}

// Replay implements observe.Observer.
func (d *device) Replay(e observe.Replay) {
	if t := d.of(e.Warp, e.Cycle); t != nil {
		t.Replay(&e)
	}
}

// Access implements observe.Observer.
func (d *device) Access(e observe.Access) {
	if t := d.of(e.Warp, e.Cycle); t != nil {
		t.Access(&e)
	}
}

// Lookup implements observe.Observer.
func (d *device) Lookup(e observe.Lookup) {
	if t := d.of(e.Warp, e.Cycle); t != nil {
		t.Lookup(&e)
	}
}

// Answer implements observe.Observer.
func (d *device) Answer(e observe.Answer) {
	if t := d.of(e.Warp, e.Issued); t != nil {
		t.Answer(&e)
	}
}

// Barrier implements observe.Observer.
func (d *device) Barrier(e observe.Barrier) {
	if t := d.at(e.Block.SMX, e.Block.Grid, e.Cycle); t != nil {
		t.Barrier(t.index, &e)
	}
}
