package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
)

// Observe lets an observer hear what the SMX does; nil for none. It is called before the first block starts.
func (s *SMX) Observe(o observe.Observer) {
	s.observer, s.outlet = o, s.port
	if o != nil {
		s.outlet = &observedPort{port: s.port, observer: o, smx: s.ID}
	}
}

// observeBlock tells of a block that starts, with its warps.
func (s *SMX) observeBlock(b *block, number uint64, at engine.Cycle) {
	o := &observe.Block{Grid: b.grid.Observed, SMX: s.ID, Number: number, At: b.Ctaid, Shared: b.Shared, Warps: make([]observe.Warp, len(b.warps))}
	for i, w := range b.warps {
		o.Warps[i] = observe.Warp{Block: o, Index: i, Scheduler: w.scheduler, Slot: w.slot}
		w.observed = &o.Warps[i]
	}
	b.observed = o
	s.observer.Block(at, o, observe.Started)
}

// observedPort tells of each request before it sends it.
type observedPort struct {
	port     sender
	observer observe.Observer
	smx      int
}

func (p *observedPort) Send(r memory.Request) {
	p.observer.Request(observe.Request{
		Cycle: r.Issued, SMX: p.smx, Stage: observe.Submitted, Kind: r.Kind, Tag: r.Tag,
		Source: r.Source, Sectors: r.Sectors, Lanes: r.Lanes, Line: r.Line,
	})
	p.port.Send(r)
}
