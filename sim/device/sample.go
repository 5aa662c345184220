package device

import (
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// sample notes the counters of the launches whose next sample is due.
func (d *Device) sample() {
	for _, g := range d.grids {
		if g.tree == nil {
			d.sampleIfDue(g)
		}
	}
	for _, t := range d.trees {
		d.sampleIfDue(t.root)
	}
}

// sampleIfDue notes the counters of a launch, and of what has come from it.
func (d *Device) sampleIfDue(g *Grid) {
	at := uint64(max(0, d.now-g.Start))
	if !g.Samples.Due(at) {
		return
	}
	s := stats.Sample{}
	if g.tree != nil {
		s = g.tree.done
	}
	s.Cycle = at
	for _, x := range d.smxs {
		for _, h := range x.Shares() {
			switch {
			case h.Grid == g.Grid:
				addShare(&s, h)
			case g.tree != nil && h.Grid.Root == g.Grid:
				blocks := s.Blocks
				addShare(&s, h)
				s.Blocks = blocks
			}
		}
	}
	addMemory(&s, d.memory.Peek(g.Account))
	g.Samples.Add(s)
}

func addShares(s *stats.Sample, shares []*smx.Share) {
	for _, h := range shares {
		if h != nil {
			addShare(s, h)
		}
	}
}

func addShare(s *stats.Sample, h *smx.Share) {
	s.Instructions += h.Counters.InstExecuted
	s.ActiveCycles += h.Counters.ActiveCycles
	s.WarpCycles += h.Counters.ActiveWarpCycles
	s.Blocks += h.Finished
}

func addMemory(s *stats.Sample, m *stats.Memory) {
	s.L2Sectors = m.L2ReadSectors + m.L2WriteSectors
	s.L2Hits = m.L2ReadSectorHits + m.L2WriteSectors
	s.DRAMReadSectors, s.DRAMWriteSectors = m.DRAMReadSectors, m.DRAMWriteSectors
}
