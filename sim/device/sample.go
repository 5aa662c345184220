package device

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// sample notes the counters of the grids whose next sample is due.
func (d *Device) sample() {
	for _, g := range d.grids {
		if at := uint64(max(0, d.now-g.Start)); g.Samples.Due(at) {
			s := stats.Sample{Cycle: at}
			for _, x := range d.smxs {
				if h := x.Share(g.Grid); h != nil {
					addShare(&s, h)
				}
			}
			addMemory(&s, d.memory.Stats(), g.before)
			g.Samples.Add(s)
		}
	}
}

// lastSample notes what a grid has done in all, when it has left the SMXs.
func (g *Grid) lastSample(end engine.Cycle) {
	s := stats.Sample{Cycle: uint64(max(0, end-g.Start))}
	for _, h := range g.Shares {
		if h != nil {
			addShare(&s, h)
		}
	}
	addMemory(&s, &g.Memory, nil)
	g.Samples.Add(s)
}

func addShare(s *stats.Sample, h *smx.Share) {
	s.Instructions += h.Counters.InstExecuted
	s.ActiveCycles += h.Counters.ActiveCycles
	s.WarpCycles += h.Counters.ActiveWarpCycles
	s.Blocks += h.Finished
}

// addMemory adds the memory's counters since an earlier reading of them, nil for their beginning.
func addMemory(s *stats.Sample, now, before *stats.Memory) {
	if before == nil {
		before = &stats.Memory{}
	}
	writes := now.L2WriteSectors - before.L2WriteSectors
	s.L2Sectors = now.L2ReadSectors - before.L2ReadSectors + writes
	s.L2Hits = now.L2ReadSectorHits - before.L2ReadSectorHits + writes
	s.DRAMReadSectors = now.DRAMReadSectors - before.DRAMReadSectors
	s.DRAMWriteSectors = now.DRAMWriteSectors - before.DRAMWriteSectors
}
