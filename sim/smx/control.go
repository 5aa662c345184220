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
	threads int // threads that it waits for; 0 is all that live
	waiting []*warp
	// The reduction of bar.red: lanes that voted, and how many said yes.
	reduction  isa.BoolOp
	lanes, yes int
}

// flow carries out operations that move a warp's program counter or make it wait: branches, calls, barriers, system calls.
type flow struct {
	*common
	front     *front
	residency *residency
	machine   *SMX          // that system calls name
	calls     []*SystemCall // made since they were last collected
}

// control carries out an operation that moves the warp's program counter or makes it wait. mask are the lanes whose guard holds.
func (s *flow) control(w *warp, op *operation, pc int32, mask uint32) {
	m := op.machine
	w.next, w.pace = s.now+engine.Cycle(s.config.Pipelines.BranchCycles), stats.StallBranch
	switch op.control {
	case isa.ControlBranch:
		w.share.Counters.Branches++
		if w.stack.branch(mask, m.Target, pc+1, m.Reconverge) {
			w.share.Counters.DivergentBranches++
		}
	case isa.ControlIndex:
		s.indexed(w, op, mask)
	case isa.ControlExit:
		if mask == 0 {
			w.stack.advance(pc + 1)
		} else if w.stack.exit(mask, pc+1) {
			if w.outstanding > 0 {
				w.atExit, w.reason = true, stats.StallExit
			} else {
				s.residency.endWarp(w, s.now)
			}
		}
		w.enter()
	case isa.ControlCall:
		s.call(w, op, pc, mask)
	case isa.ControlReturn:
		s.giveBack(w, op, pc, mask)
	case isa.ControlSystem:
		s.systemCall(w, op, pc, mask)
	case isa.ControlBarrier:
		w.next, w.pace = s.now+engine.Cycle(s.config.Pipelines.ReissueCycles), stats.StallOther
		w.stack.advance(pc + 1)
		if mask != 0 {
			s.arrive(w, op, mask)
		}
	case isa.ControlSync:
		w.next, w.pace = s.now+engine.Cycle(s.config.Pipelines.ReissueCycles), stats.StallOther
		switch {
		case op.class == isa.ClassFence:
			s.fence(w)
		case op.machine.Effect != nil && op.machine.Effect.Op == isa.OpNanosleep:
			s.sleep(w, op, mask)
		}
		w.stack.advance(pc + 1)
	case isa.ControlTrap:
		if mask != 0 {
			f := &Fault{Kind: FaultTrap, Lane: bits.TrailingZeros32(mask)}
			if op.machine.Effect != nil && op.machine.Effect.Op == isa.OpBrkpt {
				f.Kind = FaultBreakpoint
			}
			s.fault(w, op, f)
			return
		}
		w.stack.advance(pc + 1)
	default:
		s.fault(w, op, &Fault{Kind: FaultUnsupported, Lane: bits.TrailingZeros32(w.stack.top().mask)})
	}
}

// indexed sends each lane to its entry of the branch table.
func (s *flow) indexed(w *warp, op *operation, mask uint32) {
	w.share.Counters.Branches++
	var targets [32]int32
	pc := w.stack.top().pc
	for lane := range targets {
		targets[lane] = pc + 1
		if mask>>lane&1 == 0 {
			continue
		}
		index := op.bound.Index(&w.Warp, lane)
		if int(index) >= len(op.machine.Targets) {
			s.fault(w, op, &Fault{Kind: FaultBranchIndex, Lane: lane, Address: uint64(index)})
			return
		}
		targets[lane] = op.machine.Targets[index]
	}
	if w.stack.index(&targets, op.machine.Reconverge) {
		w.share.Counters.DivergentBranches++
	}
}

// arrive counts a warp at a barrier and makes it wait, unless it only arrives.
func (s *flow) arrive(w *warp, op *operation, mask uint32) {
	w.share.Counters.Barriers++
	if mask != w.stack.live() {
		w.share.Counters.PartedBarriers++
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

// releaseBarriers lets the warps of every complete barrier go on, when a warp has ended.
func (s *residency) releaseBarriers(b *block, now engine.Cycle) {
	for i := 0; i < len(b.barriers) && b.awaited > 0; i++ {
		s.releaseBarrier(b, i, now)
	}
}

// releaseBarrier lets the warps of a barrier go on if it is complete. A barrier without a count waits for the warps that live: one
// that has exited never blocks it.
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
		if w.barrierOp.flagCount+w.barrierOp.writeCount > 0 { // else it votes on nothing
			w.barrierOp.bound.BarrierResult(&w.Warp, w.barrierLanes, value)
		}
		if s.atOnce {
			continue // time is not modelled
		}
		w.next, w.pace = now+engine.Cycle(s.config.AfterBarrier()), stats.StallSync
		w.wrote(w.barrierOp, w.next, stats.StallSync)
		s.front.plan(w)
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

// fence makes a warp wait until its earlier accesses have been carried out.
func (s *flow) fence(w *warp) {
	w.next, w.pace = s.now+engine.Cycle(s.config.Pipelines.FenceCycles), stats.StallFence
	if w.outstanding > 0 {
		w.atFence = true
		w.reason = stats.StallFence
	}
}

// maximumSleep is the longest nanosleep in nanoseconds (s PTX ISA, nanosleep: durations up to 1 ms).
const maximumSleep = 1_000_000

// sleep suspends a warp for the longest time that one of its lanes asks for. PTX allows any time up to twice that.
func (s *flow) sleep(w *warp, op *operation, mask uint32) {
	longest := uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		longest = max(longest, op.bound.Index(&w.Warp, bits.TrailingZeros32(m)))
	}
	cycles := uint64(min(longest, maximumSleep)) * s.clock.Clock().Megahertz / 1000
	w.next, w.pace = s.now+engine.Cycle(max(cycles, uint64(s.config.Pipelines.ReissueCycles))), stats.StallSleep
}
