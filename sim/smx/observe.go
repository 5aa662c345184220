package smx

import (
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
)

// Observe sets the observer of the SMX; nil for none. Call it before the first block starts. Scheduling policies that listen are observers,
// too.
func (s *SMX) Observe(o observe.Observer) {
	s.listener, s.lsu.listeners = o, nil
	if l := newListeners(&s.common); l != nil {
		o = observe.Join(o, l)
		if len(l.caches) > 0 {
			s.lsu.listeners = l
			s.lsu.loadStore.keepOwners()
		}
	}
	s.observer, s.lsu.outlet = o, s.lsu.port
	s.recorder, _ = o.(observe.Recorder)
	if o != nil {
		s.lsu.outlet = &observedPort{port: s.lsu.port, observer: o, smx: s.ID}
	}
}

// observeBlock reports a block that starts, with its warps.
func (s *common) observeBlock(b *block, number uint64, at engine.Cycle) {
	o := &observe.Block{Grid: b.grid.Observed, SMX: s.ID, Number: number, At: b.Ctaid, Shared: b.Shared,
		Warps: make([]observe.Warp, len(b.warps))}
	for i, w := range b.warps {
		o.Warps[i] = observe.Warp{Block: o, Index: i, Scheduler: w.scheduler, Slot: w.slot, State: w}
		w.observed = &o.Warps[i]
	}
	b.observed = o
	s.observer.Block(at, o, observe.Started)
}

// observeReturn reports a block that comes back, with its warps' slots.
func (s *common) observeReturn(b *block, at engine.Cycle) {
	for i, w := range b.warps {
		if o := &b.observed.Warps[i]; w.resident && w.block == b {
			o.Scheduler, o.Slot = w.scheduler, w.slot
		} else {
			o.Slot = -1
		}
	}
	s.observer.Block(at, b.observed, observe.Returned)
}

// The functions below are called only with an observer. They are not inlined, to keep the hot path small.

//go:noinline
func (s *common) observeIssue(w *warp, op *operation, active, mask uint32, second bool) {
	s.observer.Issue(observe.Issue{Cycle: s.now, Warp: w.observed, Op: op.index, Active: active, Mask: mask, Second: second})
}

//go:noinline
func (s *common) observeAccess(w *warp, op *operation, a *access) {
	s.observer.Access(observe.Access{Cycle: s.now, Warp: w.observed, Op: op.index, Tag: uint64(a.tag), Access: &a.Access})
}

// observeReplays reports the issue slots that replays of an operation take.
//
//go:noinline
func (s *common) observeReplays(w *warp, op *operation, slots int) {
	s.observer.Replay(observe.Replay{Cycle: s.now, Warp: w.observed, Op: op.index, Slots: slots})
}

//go:noinline
func (s *common) observeLookup(a *access, through *dataCache, line uint64, parts uint8, found cache.Status) {
	s.observer.Lookup(observe.Lookup{
		Cycle: s.now, Warp: a.warp.observed, Op: a.operation.index, Tag: uint64(a.tag), Source: through.source, Line: line, Sectors: parts,
		Found: memory.FoundBy(found),
	})
}

// observeAnswer reports that the result or acknowledgement of an access arrives at a cycle.
//
//go:noinline
func (s *common) observeAnswer(w *warp, op *operation, issued, at engine.Cycle) {
	s.observer.Answer(observe.Answer{Cycle: at, Warp: w.observed, Op: op.index, Issued: issued})
}

//go:noinline
func (s *common) observeResponse(r memory.Response) {
	s.observer.Request(observe.Request{Cycle: s.now, SMX: s.ID, Stage: observe.Ended, Kind: r.Kind, Tag: uint64(r.Tag)})
}

// observeArrival reports a warp that executes a barrier operation with some of its lanes.
func (s *common) observeArrival(w *warp, op *operation, r exec.BarrierRequest, mask uint32) {
	s.observer.Barrier(observe.Barrier{
		Cycle: s.now, Block: w.block.observed, Stage: observe.Started, ID: r.ID, Warp: w.observed, Op: op.index, Mask: mask,
		Live: w.stack.live(),
		Kind: r.Kind, Threads: r.Threads,
	})
}

// observeRelease reports a barrier that all awaited warps have reached.
//
//go:noinline
func (s *common) observeRelease(b *block, id int, now engine.Cycle) {
	s.observer.Barrier(observe.Barrier{Cycle: now, Block: b.observed, Stage: observe.Ended, ID: uint32(id)})
}

// observedPort reports requests before it sends them.
type observedPort struct {
	port     sender
	observer observe.Observer
	smx      int
}

func (p *observedPort) Send(requests ...memory.Request) {
	for i := range requests {
		r := &requests[i]
		p.observer.Request(observe.Request{
			Cycle: r.Issued, SMX: p.smx, Stage: observe.Submitted, Kind: r.Kind, Tag: uint64(r.Tag),
			Source: r.Source, Sectors: r.Sectors, Lanes: r.Lanes, Line: r.Line,
		})
	}
	p.port.Send(requests...)
}
