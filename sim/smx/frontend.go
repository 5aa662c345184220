package smx

import (
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// frontEnd plans what each warp issues next: it fetches instructions and constant operands, and finds when everything that an operation
// needs is ready.
type frontEnd struct {
	*common
	ledger    *ledger
	fetch     fetch
	constants constants
	code      []placed // programs, one behind the other in the instruction caches' addresses
	codeBytes uint64   // of all programs
	joined    uint64   // grids that have started since the SMX was last renewed
}

// placed is a program and the start of its code in the instruction caches' addresses.
type placed struct {
	program *Program
	at      uint64
}

// codeAlignment aligns a program's code, in bytes, to a line of every instruction cache.
const codeAlignment = 1 << 12

// bankSpace is how many addresses of the constant caches the banks of a grid take. For the next grid, bankStep is added, because otherwise
// the parameters of all grids would fall into one set.
const (
	bankSpace = 1 << 24
	bankStep  = 1 << 8
)

// reset forgets all programs and empties the caches.
func (s *frontEnd) reset() error {
	s.forget()
	if err := s.fetch.build(s.config); err != nil {
		return err
	}
	return s.constants.build(s.config)
}

// forget forgets all programs.
func (s *frontEnd) forget() { s.joined, s.code, s.codeBytes = 0, s.code[:0], 0 }

// admit gives a grid its addresses in the caches. A program that is there already shares its code's lines. Each grid has constants of its
// own.
func (s *frontEnd) admit(h *GridState) {
	h.constants = s.joined * (bankSpace + bankStep)
	s.joined++
	program := h.Grid.Program
	i := slices.IndexFunc(s.code, func(p placed) bool { return p.program == program })
	if i < 0 {
		i = len(s.code)
		s.code = append(s.code, placed{program, s.codeBytes})
		bytes := uint64(place(len(program.operations), &s.config.InstructionCache))
		s.codeBytes += (bytes/codeAlignment + 1) * codeAlignment
	}
	h.code = s.code[i].at
}

// plan finds when a warp can issue next, and why not before: when all scoreboard entries that its next operation touches are ready and its
// pace allows it, whichever is later. Only then look (issue.go) checks the units and the load/store unit. plan also begins to fetch the
// operation's line. Settle the warp before: plan moves stalledAt to the new operation.
func (s *frontEnd) plan(w *warp) {
	if w.atBarrier || w.atFence || w.atExit || w.atSystem {
		w.agenda.wake(w.slot, never, s.now)
		return
	}
	op := w.current()
	w.op = op
	w.stalledAt = op.index
	s.buffered(w, op)
	at, why := w.dependencies(op)
	if w.paceUntil > at {
		at, why = w.paceUntil, w.paceReason
	}
	w.reason = why
	w.warmOperands()
	w.agenda.wake(w.slot, at, s.now)
}

// buffered reports whether an operation is in the warp's instruction buffer, and begins the fetch of its line if not.
func (s *frontEnd) buffered(w *warp, op *operation) bool {
	return op.lineIndex == w.fetched || s.fetchLine(w, op)
}

// fetchLine begins to fetch an operation's line, and reports whether it is there at once.
func (s *frontEnd) fetchLine(w *warp, op *operation) bool {
	w.fetched = op.lineIndex
	at := s.fetch.line(w.gridState.code, op.lineIndex, s.now, &w.gridState.Counters)
	if at <= s.now {
		return true
	}
	if at > w.paceUntil {
		w.paceUntil, w.paceReason = at, stats.StallInstructionFetch
	}
	return false
}

// current returns a warp's next operation.
func (w *warp) current() *operation { return &w.operations[w.stack.top().pc] }

// resolveOperation moves a warp whose operands are ready past slow paths that none of its lanes needs, and looks up its constant operand.
// It reports whether the warp is still awake.
func (s *frontEnd) resolveOperation(sc *warpScheduler, w *warp) bool {
	return w.op.slowLength == 0 && !w.op.constant || s.resolveSlow(sc, w)
}

// resolveSlow is resolveOperation for operations with a slow path or a constant.
func (s *frontEnd) resolveSlow(sc *warpScheduler, w *warp) bool {
	op := w.op
	for op.slowLength > 0 && !op.bound.NeedsSlow(&w.Warp, w.stack.top().mask) {
		w.stack.advance(w.stack.top().pc + op.slowLength)
		s.ledger.settle(w, s.now)
		s.plan(w)
		if sc.awake&bit(w.slot) == 0 {
			return false
		}
		op = w.op
	}
	return !op.constant || s.constantReady(w, op)
}

// constantReady reports whether an operation's constant operand is in the first constant cache. If not, the warp sleeps until it arrives.
func (s *frontEnd) constantReady(w *warp, op *operation) bool {
	address := op.constantAddress + w.gridState.constants
	if w.constantLine == address&^(s.constants.line1-1)+1 { // it has waited for this line already
		w.constantLine = 0
		return true
	}
	at, line := s.constants.operand(address, s.now, &w.gridState.Counters)
	if at == s.now {
		return true
	}
	w.constantLine = line + 1
	w.paceUntil, w.paceReason = at, stats.StallConstant
	s.ledger.stall(w, stats.StallConstant, s.now)
	s.plan(w)
	return false
}

// setClocks sets the clocks that an operation may read.
func (s *frontEnd) setClocks(w *warp, op *operation) {
	w.Clock = uint64(s.now)
	if op.timer {
		s.setTimer(w)
	}
}

func (s *frontEnd) setTimer(w *warp) { w.Nanoseconds = uint64(s.clock.Picoseconds(s.now)) / 1000 }
