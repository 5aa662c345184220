package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// barrier is one of a block's named barriers.
type barrier struct {
	arrived int // warps
	threads int // threads that it waits for; 0: all that have not exited
	waiting []*warp
	// The reduction of bar.red: how many lanes voted, and how many voted yes.
	reduction  isa.BoolOp
	lanes, yes int
}

// arrive counts a warp at a barrier, and makes it wait unless the operation is bar.arrive.
func (s *flow) arrive(w *warp, op *operation, mask uint32) {
	w.gridState.Counters.Barriers++
	if mask != w.stack.live() {
		w.gridState.Counters.PartialBarriers++
	}
	request := op.bound.Barrier(&w.Warp, mask)
	b := w.block
	if s.observer != nil {
		s.observeArrival(w, op, request, mask)
	}
	if int(request.ID) >= s.config.SMX.NamedBarriers {
		s.fault(w, op, &Fault{Kind: FaultBarrierNumber, Lane: bits.TrailingZeros32(mask), Address: uint64(request.ID)})
		return
	}
	if request.Threads%32 != 0 {
		s.fault(w, op, &Fault{Kind: FaultBarrierThreads, Lane: bits.TrailingZeros32(mask), Address: uint64(request.Threads)})
		return
	}
	bar := &b.barriers[request.ID]
	if s.screen != nil && !s.screenArrival(w, op, &request, bar, mask) {
		s.suspect(w, op)
		return
	}
	if bar.arrived == 0 {
		b.awaited++
	}
	bar.arrived++
	bar.threads = int(request.Threads)
	bar.reduction = request.Operation
	bar.lanes += bits.OnesCount32(mask)
	bar.yes += bits.OnesCount32(request.Predicate & mask)
	if request.Kind != isa.BarArrive {
		w.atBarrier = true
		w.reason = stats.StallSync
		w.barrierOp, w.barrierLanes = op, mask
		bar.waiting = append(bar.waiting, w)
	}
	s.residency.releaseBarrier(b, int(request.ID), s.now)
}

// releaseBarriers releases every complete barrier after a warp has ended.
func (s *residency) releaseBarriers(b *block, now engine.Cycle) {
	for i := 0; i < len(b.barriers) && b.awaited > 0; i++ {
		s.releaseBarrier(b, i, now)
	}
}

// releaseBarrier releases the warps of a barrier if it is complete. A barrier without a count waits for all warps that have not exited.
func (s *residency) releaseBarrier(b *block, number int, now engine.Cycle) {
	bar := &b.barriers[number]
	needed := b.live
	if bar.threads > 0 {
		needed = (bar.threads + 31) / 32
	}
	if bar.arrived == 0 || bar.arrived < needed {
		return
	}
	if s.screen != nil {
		s.screenRelease(b, bar)
	}
	value := uint32(bar.yes)
	switch bar.reduction {
	case isa.BoolAnd:
		value = boolean(bar.yes == bar.lanes)
	case isa.BoolOr:
		value = boolean(bar.yes > 0)
	}
	for _, w := range bar.waiting {
		w.atBarrier = false
		if w.barrierOp.flagCount+w.barrierOp.writeCount > 0 { // otherwise there is no vote
			w.barrierOp.bound.BarrierResult(&w.Warp, w.barrierLanes, value)
		}
		if s.atOnce {
			continue // time is not modelled
		}
		w.paceUntil, w.paceReason = max(now, b.stored)+engine.Cycle(s.config.AfterBarrier()), stats.StallSync
		w.wrote(w.barrierOp, w.paceUntil, stats.StallSync)
		s.ledger.settle(w, now)
		s.frontEnd.plan(w)
	}
	if s.observer != nil {
		s.observeRelease(b, number, now)
	}
	b.awaited--
	bar.arrived, bar.threads, bar.lanes, bar.yes, bar.waiting = 0, 0, 0, 0, bar.waiting[:0]
}

func boolean(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
