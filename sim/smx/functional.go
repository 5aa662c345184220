package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// Without timing, a warp executes warpQuantum operations before the next warp of its block runs. A block whose warps all reach a barrier or
// end in their turn gets up to blockRounds such rounds before the next block runs. So a warp that waits for another's store sees it
// eventually.
const (
	warpQuantum = 2048
	blockRounds = 64
)

// functional runs warps without timing.
type functional struct {
	*common
	frontEnd  *frontEnd
	residency *residency
	effects   *effects
	lsu       *lsu
	flow      *flow
	order     *order // nil for the usual order of warps
	native    exec.NativeState
}

// RunFunctional lets every resident warp execute operations without timing, with each memory access at once, and reports whether anything
// happened. The warps of a block take turns. RunNext starts further blocks.
func (s *functional) RunFunctional() (progress bool) {
	s.atOnce = true
	if s.order != nil {
		return s.runOrdered()
	}
	for i := 0; i < len(s.residency.blocks) && s.Fault == nil; i++ {
		if b := s.residency.blocks[i]; b.resident {
			progress = s.runBlock(b) || progress
		}
	}
	s.now++
	return progress
}

// RunNext starts and runs the next offered block, and reports whether there was one with room. Earlier blocks have ended or wait, so the
// host's caches hold what runs.
func (s *functional) RunNext() bool {
	o := &s.residency.offered
	if s.order != nil || s.Fault != nil || len(o.blocks) == 0 {
		return false
	}
	s.residency.clear(never) // without timing, places are free at once
	next := o.blocks[0]
	if !s.residency.Room(next.Grid) {
		return false
	}
	o.blocks = o.blocks[:copy(o.blocks, o.blocks[1:])]
	s.runBlock(s.residency.startBlock(next.Grid, next.Number, s.now))
	return true
}

// runBlock gives a block's warps their turns.
func (s *functional) runBlock(b *block) (progress bool) {
	for range blockRounds {
		ran, waits := false, true
		for _, w := range b.warps {
			if w.block != b || !w.goesOn() {
				continue
			}
			s.runWarp(w, warpQuantum)
			if s.Fault != nil {
				return true
			}
			ran = true
			waits = waits && !w.goesOn()
		}
		progress = progress || ran
		if !ran || !waits || !b.resident {
			return progress
		}
	}
	return progress
}

// goesOn reports that a warp can execute: it has not ended, and waits neither at a barrier nor for a call.
func (w *warp) goesOn() bool { return w.resident && !w.atBarrier && !w.atSystem }

// runWarp runs a warp for at most quantum operations.
func (s *functional) runWarp(w *warp, quantum int64) {
	native := w.block.grid.Program.native()
	if quantum < coarse || s.observer != nil && !observe.IsSparse(s.observer) {
		native = nil // turns end, or the observer hears, after each operation
	}
	for n := quantum; n > 0 && w.goesOn() && s.Fault == nil; {
		top := w.stack.top()
		if native == nil || !native.Begins(top.pc) {
			s.step(w)
			n--
			continue
		}
		n -= s.runNative(w, native, n)
	}
}

// runNative executes a warp's operations as machine code of the host, until one of control or the end of its quantum, and returns how many.
func (s *functional) runNative(w *warp, native *exec.Native, quantum int64) (executed int64) {
	top := w.stack.top()
	h, state := w.gridState, &s.native
	if h.tally == nil {
		h.tally, h.reaches = native.NewTally(), make([]exec.Reach, native.Accesses())
	}
	if version := s.global.Version(); version != h.version {
		clear(h.reaches)
		h.version = version
	}
	state.Observed, state.Saving = s.observer != nil, s.surveys()
	s.tellOwn(w)
	if s.screen == nil {
		state.Screen(nil)
	} else {
		state.Screen(w.block.screened.Of(w.index, w.set))
	}
	if !native.Prepare(state, &w.Warp, h.tally, h.reaches, top.mask, top.reconverge) {
		s.step(w)
		return 1
	}
	begun := s.now
	executed, why := native.Run(state, top.pc, quantum)
	for why == exec.Left {
		s.now = begun + engine.Cycle(executed-native.CountAfter(state.Next)) // so that %clock advances within a run
		top.pc = state.Next
		if !s.carryLeft(w, native, state.Next) {
			native.EachAfter(state.Next, func(op int32) {
				h.uncount(op, top.mask)
				executed--
			})
			break
		}
		var more int64
		s.tellOwn(w)
		more, why = state.Resume(state.Next, quantum-executed)
		executed += more
	}
	s.now = begun + engine.Cycle(executed)
	lanes := uint64(bits.OnesCount32(top.mask))
	c := &h.Counters
	c.InstExecuted += uint64(executed)
	c.InstIssued += uint64(executed)
	c.ThreadInstExecuted += uint64(executed) * lanes
	if s.Fault != nil {
		return executed
	}
	w.stack.advance(state.Next)
	if why == exec.Controlled {
		s.step(w)
		executed++
	}
	return executed
}

// tellOwn tells machine code the records of the warp's accesses now.
func (s *functional) tellOwn(w *warp) {
	if s.recorder != nil {
		s.native.Own = s.recorder.Own(w.observed)
	}
}

// carryLeft executes an operation that machine code has left out, and already counted; false after a fault.
func (s *functional) carryLeft(w *warp, native *exec.Native, at int32) bool {
	op := &w.operations[at]
	active := w.stack.top().mask
	mask := op.bound.GuardMask(&w.Warp, active)
	if s.observer != nil {
		s.observeIssue(w, op, active, mask, false)
	}
	if s.screen != nil {
		s.screenOperation(w, op, mask)
	}
	switch {
	case op.memory:
		s.accessAtOnce(w, op, mask, w.gridState.reachOf(native, at))
	case op.data:
		s.frontEnd.setClocks(w, op)
		op.bound.Run(&w.Warp, mask)
	}
	return s.Fault == nil
}

// reachOf returns where machine code looks for the memory of an access, nil for an operation that it does not execute.
func (h *GridState) reachOf(native *exec.Native, at int32) *exec.Reach {
	if n := native.Access(at); n >= 0 {
		return &h.reaches[n]
	}
	return nil
}

// uncount takes back the count of an operation that machine code counted with its whole run, but did not execute on the active lanes.
func (h *GridState) uncount(at int32, active uint32) {
	o := &h.Operations[at]
	o.Executed--
	if !h.Grid.Program.operations[at].bound.Guard.Present {
		o.Lanes -= uint64(bits.OnesCount32(active))
	}
}

// step executes a warp's next operation.
func (s *functional) step(w *warp) {
	op := w.current()
	for op.slowLength > 0 { // slow paths carry timing only
		w.stack.advance(w.stack.top().pc + op.slowLength)
		op = w.current()
	}
	top := w.stack.top()
	pc := top.pc
	mask := op.bound.GuardMask(&w.Warp, top.mask)
	s.now++ // so that %clock advances by a cycle an operation
	s.frontEnd.setClocks(w, op)
	w.gridState.countExecuted(op, top.mask, mask)
	w.gridState.count(int(op.index))
	if s.observer != nil {
		s.observeIssue(w, op, top.mask, mask, false)
	}
	if s.screen != nil {
		s.screenOperation(w, op, mask)
	}
	switch {
	case op.control != isa.ControlNone:
		s.flow.control(w, op, pc, mask)
		return
	case op.memory:
		s.accessAtOnce(w, op, mask, nil)
	case op.data:
		op.bound.Run(&w.Warp, mask)
	}
	w.stack.advance(pc + 1)
}

// accessAtOnce carries out a memory operation's effect. It stores the piece of device memory that the access went to in reach, unless nil.
func (s *functional) accessAtOnce(w *warp, op *operation, mask uint32, reach *exec.Reach) {
	a := s.lsu.loadStore.take()
	defer s.lsu.loadStore.release(a)
	for rest := mask; rest != 0; {
		left, fault := s.effects.prepare(w, op, rest, a)
		if fault == nil && s.observer != nil && a.Active != 0 {
			s.observeAccess(w, op, a)
		}
		if fault == nil && (s.screen != nil || s.surveys()) && a.Active != 0 && !s.screenAccess(w, op, a) {
			s.suspect(w, op)
			return
		}
		if fault == nil && a.Kind != exec.AccessQuery {
			fault = s.effects.apply(w, a)
		}
		if fault != nil {
			s.accessFault(w, op, fault)
			return
		}
		op.bound.Complete(&w.Warp, &a.Access, a.Active)
		if reach != nil && a.Space == isa.SpaceGlobal && a.Active != 0 {
			*reach = s.effects.reach(a)
		}
		rest = left
	}
}
