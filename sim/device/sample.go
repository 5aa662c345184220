package device

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// sample notes the counters of the grids whose next sample is due.
func (d *Device) sample() {
	for _, g := range d.grids {
		if g.nested() { // there may be thousands
			continue
		}
		if at := uint64(max(0, d.now-g.Start)); g.Samples.Due(at) {
			s := stats.Sample{Cycle: at}
			for _, x := range d.smxs {
				if h := x.Share(g.Grid); h != nil {
					addShare(&s, h)
				}
			}
			addMemory(&s, d.memory.Peek(g.Account))
			g.Samples.Add(s)
		}
	}
}

// nested reports that a kernel has launched the grid.
func (g *Grid) nested() bool { return g.Command != nil && g.Command.Parent != nil }

// lastSample notes what a grid has done in all, when it has left the SMXs.
func (g *Grid) lastSample(end engine.Cycle) {
	if g.nested() {
		return
	}
	s := stats.Sample{Cycle: uint64(max(0, end-g.Start))}
	for _, h := range g.Shares {
		if h != nil {
			addShare(&s, h)
		}
	}
	addMemory(&s, &g.Memory)
	g.Samples.Add(s)
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
