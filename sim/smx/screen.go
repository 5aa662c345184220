package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/screen"
)

// Screen makes a screen check the accesses of a run without timing, or survey them, in place of an observer. A suspicion stops the SMX with
// a fault of kind FaultSuspected. Call it before the first block starts.
func (s *SMX) Screen(by *screen.Screen, stage screen.Stage) {
	s.screen, s.survey = nil, nil
	switch stage {
	case screen.Screened:
		s.screen = by
	case screen.Surveyed, screen.Spared:
		s.survey = by
	}
}

// suspect stops the SMX at an operation that a screen suspects.
func (s *common) suspect(w *warp, op *operation) { s.fault(w, op, &Fault{Kind: FaultSuspected}) }

// surveys reports whether the run is surveyed.
func (s *common) surveys() bool { return s.survey != nil && s.observer == nil }

// screenAccess checks an access before it is carried out, or surveys it.
func (s *functional) screenAccess(w *warp, op *operation, a *access) bool {
	if s.surveys() {
		return s.surveyAccess(w, a)
	}
	b := &w.block.screened
	if s.effects.beyond(w, a) != nil {
		return false
	}
	if a.Space != isa.SpaceLocal {
		return s.screen.Access(b, w.index, &a.Access)
	}
	if a.Kind > exec.AccessReduction || len(w.block.grid.Program.Machine.Stack) > 1 || op.machine.Spill {
		return true // the checks ignore these, too
	}
	return b.AccessLocal(w.index, &a.Access)
}

// surveyAccess notes an access to device memory before it is carried out; false if it cannot be undone.
func (s *functional) surveyAccess(w *warp, a *access) bool {
	if a.Kind > exec.AccessReduction || a.Image != nil || a.Space != isa.SpaceGlobal {
		return true
	}
	return s.effects.beyond(w, a) == nil && s.survey.Survey(&a.Access)
}

// screenOperation checks the registers that an operation reads, and its member mask, before it executes.
func (s *functional) screenOperation(w *warp, op *operation, mask uint32) {
	if w.set != nil {
		if unset := w.block.grid.Program.unset(); unset.Watches(op.index) && unset.Use(w.set, op.index, mask, w.Operand) != 0 {
			s.suspect(w, op)
		}
	}
	if op.members >= 0 {
		s.screenMembers(w, op, mask)
	}
}

// screenMembers checks the member mask of a warp-wide operation: it must name exactly the live threads that execute it.
func (s *functional) screenMembers(w *warp, op *operation, mask uint32) {
	if mask == 0 || s.Fault != nil {
		return
	}
	source := &op.machine.Effect.Src[op.members]
	for m := mask; m != 0; m &= m - 1 {
		if members, ok := w.Operand(source, bits.TrailingZeros32(m)); !ok || uint32(members)&w.stack.live() != mask {
			s.suspect(w, op)
			return
		}
	}
}

// screenArrival checks a warp's arrival at a barrier: with all its live threads, at the same statement as the others, to wait for the whole
// block.
func (s *flow) screenArrival(w *warp, op *operation, r *exec.BarrierRequest, bar *barrier, mask uint32) bool {
	return r.Kind != isa.BarArrive && r.Threads == 0 && mask == w.stack.live() && (len(bar.waiting) == 0 || bar.waiting[0].barrierOp == op)
}

// screenRelease checks a complete barrier: no thread may have exited before.
func (s *residency) screenRelease(b *block, bar *barrier) {
	threads := 0
	for _, w := range bar.waiting {
		threads += bits.OnesCount32(w.stack.live())
	}
	if threads != b.grid.Threads() {
		s.suspect(bar.waiting[0], bar.waiting[0].barrierOp)
	}
	s.screen.Barrier(&b.screened)
}
