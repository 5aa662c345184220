package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// flow carries out operations that move a warp's program counter or make it wait: branches, calls, barriers, system calls.
type flow struct {
	*common
	residency *residency
	machine   *SMX          // for system calls
	calls     []*SystemCall // since Calls last collected them
}

// control carries out an operation that moves the warp's program counter or makes it wait, for the lanes whose guard holds.
func (s *flow) control(w *warp, op *operation, pc int32, mask uint32) {
	m := op.machine
	w.paceUntil, w.paceReason = s.now+engine.Cycle(s.config.Pipelines.BranchCycles), stats.StallBranch
	if op.wait > 0 {
		w.paceUntil = s.now + op.wait
	}
	switch op.control {
	case isa.ControlBranch:
		s.branch(w, m, pc, mask)
	case isa.ControlIndex:
		s.indexed(w, op, mask)
		s.redirect(w, pc)
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
		w.paceUntil, w.paceReason = s.now+engine.Cycle(s.config.Pipelines.ReissueCycles), stats.StallOther
		w.stack.advance(pc + 1)
		if mask != 0 {
			s.arrive(w, op, mask)
		}
	case isa.ControlSync:
		w.paceUntil, w.paceReason = s.now+engine.Cycle(s.config.Pipelines.ReissueCycles), stats.StallOther
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

// branch sends the lanes whose guard holds to the operation's target.
func (s *flow) branch(w *warp, m *isa.MachineOp, pc int32, taken uint32) {
	w.gridState.Counters.Branches++
	if w.stack.branch(taken, m.Target, pc+1, m.Reconverge) {
		w.gridState.Counters.DivergentBranches++
	}
	s.redirect(w, pc)
}

// redirect delays a warp that does not continue behind its branch: its instruction buffer is refilled.
func (s *flow) redirect(w *warp, branch int32) {
	if w.stack.top().pc != branch+1 {
		w.paceUntil += engine.Cycle(s.config.Pipelines.TakenCycles)
	}
}

// indexed sends each lane to its entry of the branch table.
func (s *flow) indexed(w *warp, op *operation, mask uint32) {
	w.gridState.Counters.Branches++
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
		w.gridState.Counters.DivergentBranches++
	}
}

// fence makes a warp wait until its earlier accesses are done.
func (s *flow) fence(w *warp) {
	w.paceUntil, w.paceReason = s.now+engine.Cycle(s.config.Pipelines.FenceCycles), stats.StallFence
	if w.outstanding > 0 {
		w.atFence = true
		w.reason = stats.StallFence
	}
}

// maximumSleep is the longest nanosleep in nanoseconds (s PTX ISA, nanosleep: durations up to 1 ms).
const maximumSleep = 1_000_000

// sleep suspends a warp for the longest time that a lane asks for. PTX allows up to twice that.
func (s *flow) sleep(w *warp, op *operation, mask uint32) {
	longest := uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		longest = max(longest, op.bound.Index(&w.Warp, bits.TrailingZeros32(m)))
	}
	cycles := uint64(min(longest, maximumSleep)) * s.clock.Clock().Megahertz / 1000
	w.paceUntil, w.paceReason = s.now+engine.Cycle(max(cycles, uint64(s.config.Pipelines.ReissueCycles))), stats.StallSleep
}
