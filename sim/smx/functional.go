package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// RunFunctional lets every resident warp execute up to quantum operations without timing, each memory access at once, and
// reports whether anything happened. Warps take turns, so that one that waits for another's store sees it in the end.
func (s *SMX) RunFunctional(quantum int) (progress bool) {
	for i := range s.leaving { // time is not modelled: places are free at once
		s.leaving[i].at = s.now
	}
	s.atOnce = true
	s.startOffered()
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		for m := sc.occupied; m != 0; m &= m - 1 {
			w := sc.warps[bits.TrailingZeros64(m)]
			for n := 0; n < quantum && w.resident && !w.atBarrier && s.Fault == nil; n++ {
				s.step(w)
				progress = true
			}
		}
	}
	s.now++
	return progress
}

// step executes a warp's next operation.
func (s *SMX) step(w *warp) {
	op := w.current()
	for op.slowLength > 0 { // slow paths carry timing only
		w.stack.advance(w.stack.top().pc + op.slowLength)
		op = w.current()
	}
	top := w.stack.top()
	pc := top.pc
	mask := op.bound.GuardMask(&w.Warp, top.mask)
	s.now++ // so that %clock goes forward: a cycle an operation
	s.setClocks(w, op)
	w.share.countExecuted(op, top.mask, mask)
	if s.observer != nil {
		s.observeIssue(w, op, top.mask, mask, false)
	}
	switch {
	case op.control != isa.ControlNone:
		s.control(w, op, pc, mask)
		return
	case op.memory:
		s.accessAtOnce(w, op, mask)
	case op.data:
		op.bound.Run(&w.Warp, mask)
	}
	w.stack.advance(pc + 1)
}

// accessAtOnce carries out a memory operation's effect.
func (s *SMX) accessAtOnce(w *warp, op *operation, mask uint32) {
	a := s.loadStore.take()
	defer s.loadStore.release(a)
	for rest := mask; rest != 0; {
		left, fault := op.bound.Access(&w.Warp, rest, &a.Access)
		if fault == nil && s.observer != nil {
			s.observeAccess(w, op, a)
		}
		if fault == nil && a.Kind != exec.AccessQuery {
			fault = s.apply(w, a)
		}
		if fault != nil {
			s.accessFault(w, op, fault)
			return
		}
		op.bound.Complete(&w.Warp, &a.Access, a.Active)
		rest = left
	}
}

// apply carries out an access's effect on the memory that it goes to.
func (s *SMX) apply(w *warp, a *access) *exec.Fault {
	switch a.Space {
	case isa.SpaceShared:
		return a.ApplyFlat(w.block.Shared)
	case isa.SpaceLocal:
		return a.ApplyLocal(w.Local, s.localBytes(w.block.grid))
	case isa.SpaceConst:
		return a.ApplyFlat(w.block.Launch.Bank3)
	case isa.SpaceParam:
		return a.ApplyFlat(w.block.Launch.Bank0)
	case isa.SpaceTexture:
		s.global.Apply(&a.Access, a.Active)
		return nil
	}
	if fault := s.outside(a); fault != nil {
		return fault
	}
	s.global.Apply(&a.Access, a.Active)
	return nil
}

// outside finds the first lane whose address lies in no allocation.
func (s *SMX) outside(a *access) *exec.Fault {
	if a.Kind == exec.AccessPrefetch {
		return nil
	}
	if span := a.Shape.High - a.Shape.Low; a.Shape.Known && span < 1<<16 && s.global.Find(a.Shape.Low, int(span)+int(a.Bytes)) {
		return nil
	}
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if !s.global.Find(a.Address[lane], int(a.Bytes)) {
			return &exec.Fault{Lane: lane, Address: a.Address[lane], Bytes: int(a.Bytes), Space: isa.SpaceGlobal, Write: a.Kind != exec.AccessLoad}
		}
	}
	return nil
}
