package device

import (
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// note has the memory system's counters for a launch at the end of an epoch. A concurrent memory system fills it in when it gets there.
type note struct {
	account int32
	memory  stats.Sample
}

// unfinished is a sample whose note is not filled in.
type unfinished struct {
	of    *Grid
	index int // index in its samples
	*note
}

// toSample returns the launches whose next sample is due at a cycle.
func (d *Device) toSample(at engine.Cycle) []*Grid {
	d.sampled = d.sampled[:0]
	look := func(g *Grid) {
		if g.Samples.Due(uint64(max(0, at-g.Start))) {
			d.sampled = append(d.sampled, g)
		}
	}
	for _, g := range d.grids {
		if g.tree == nil {
			look(g)
		}
	}
	for _, t := range d.trees {
		look(t.root)
	}
	return d.sampled
}

// note makes the notes for the samples at a cycle. It returns the function that fills them in when the memory system's step to that cycle
// has ended; nil if there are none.
func (d *Device) note(until engine.Cycle) func() {
	var notes []*note
	for _, g := range d.toSample(until) {
		notes = append(notes, &note{account: g.Account})
	}
	if d.notes = notes; notes == nil {
		return nil
	}
	return func() {
		for _, n := range notes {
			addMemory(&n.memory, d.memory.Peek(n.account))
		}
	}
}

// sample takes the samples that are due.
func (d *Device) sample() {
	for _, g := range d.toSample(d.now) {
		d.sampleOne(g)
	}
}

// sampleOne samples the counters of a launch with its nested launches.
func (d *Device) sampleOne(g *Grid) {
	s := stats.Sample{}
	if g.tree != nil {
		s = g.tree.done
	}
	s.Cycle = uint64(max(0, d.now-g.Start))
	for _, x := range d.smxs {
		for _, h := range x.GridStates() {
			switch {
			case h.Grid == g.Grid:
				addState(&s, h)
			case g.tree != nil && h.Grid.Root == g.Grid:
				blocks := s.Blocks
				addState(&s, h)
				s.Blocks = blocks
			}
		}
	}
	if !d.unsettled {
		addMemory(&s, d.memory.Peek(g.Account))
		g.Samples.Add(s)
		return
	}
	g.Samples.Add(s)
	i := slices.IndexFunc(d.notes, func(n *note) bool { return n.account == g.Account })
	d.unfinished = append(d.unfinished, unfinished{g, len(g.Samples.List) - 1, d.notes[i]})
}

// finishSamples completes the samples whose notes are filled in.
func (d *Device) finishSamples() {
	for _, u := range d.unfinished {
		s, m := &u.of.Samples.List[u.index], &u.memory
		s.L2Sectors, s.L2Hits, s.DRAMReadSectors, s.DRAMWriteSectors = m.L2Sectors, m.L2Hits, m.DRAMReadSectors, m.DRAMWriteSectors
	}
	d.unfinished = d.unfinished[:0]
}

func addStates(s *stats.Sample, states []*smx.GridState) {
	for _, h := range states {
		if h != nil {
			addState(s, h)
		}
	}
}

func addState(s *stats.Sample, h *smx.GridState) {
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
