package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/screen"
)

// Screen has a screen look at the accesses of a run without timing, in place of an observer; nil for none. What it suspects stops the SMX
// with a fault of kind FaultSuspected. It is called before the first block starts.
func (s *SMX) Screen(by *screen.Screen) { s.screen = by }

// suspect stops the SMX at an operation.
func (s *common) suspect(w *warp, op *operation) { s.fault(w, op, &Fault{Kind: FaultSuspected}) }

// screenAccess looks at an access that is about to be carried out.
func (s *functional) screenAccess(w *warp, op *operation, a *access) bool {
	b := &w.block.screened
	if s.effects.beyond(w, a) != nil {
		return false
	}
	if a.Space != isa.SpaceLocal {
		return s.screen.Access(b, w.index, &a.Access)
	}
	if a.Kind > exec.AccessReduction || len(w.block.grid.Program.Machine.Stack) > 1 || op.machine.Spill {
		return true // as the checks leave it
	}
	return b.AccessLocal(w.index, &a.Access)
}

// screenOperation looks at what an operation reads that is about to be executed, and at its mask of members.
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

// screenMembers looks at the mask of members of a warp-wide operation: it names all threads that execute it, and no other that lives.
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

// screenArrival looks at a warp's arrival at a barrier: all of its threads come, at the statement that others wait at, to wait for all of
// the block.
func (s *flow) screenArrival(w *warp, op *operation, r *exec.BarrierRequest, bar *barrier, mask uint32) bool {
	return r.Kind != isa.BarArrive && r.Threads == 0 && mask == w.stack.live() && (len(bar.waiting) == 0 || bar.waiting[0].barrierOp == op)
}

// screenRelease looks at a complete barrier: no thread has exited before it.
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
