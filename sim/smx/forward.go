package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/stats"
)

// A timed run can go forward without timing in between. Pause stops issue until nothing is in flight. BeginForward takes the warps out of
// the schedulers. Forward executes operations of blocks, resident or new. EndForward gives the warps back at a later cycle. The caches keep
// their state.

// Pause stops warps from issuing and blocks from starting. Responses still arrive.
func (s *SMX) Pause() {
	s.paused = true
	for i := range s.schedulers {
		for m := s.schedulers[i].occupied; m != 0; m &= m - 1 {
			w := s.schedulers[i].warps[bits.TrailingZeros64(m)]
			s.ledger.settle(w, s.now)
		}
	}
}

// Drained reports that a paused SMX has nothing in flight, and no warp that waits for the driver.
func (s *SMX) Drained() bool {
	return s.lsu.loadStore.pending == 0 && len(s.flow.calls) == 0 && !s.parking.anyHeld
}

// Forward is the state of a paused SMX while it goes forward.
type Forward struct {
	smx    *SMX
	detail []*Detail // by grid state
}

// BeginForward begins to execute without timing. Nothing of the SMX may be in flight. The operations executed are counted, their time is
// not. timeAlone: execute only the operations that later timing depends on.
func (s *SMX) BeginForward(timeAlone bool) *Forward {
	f := &Forward{smx: s}
	for _, h := range s.ledger.gridStates {
		f.detail = append(f.detail, h.Detail())
	}
	s.atOnce, s.functional.native.TimingOnly = true, timeAlone
	s.residency.clear(never)
	s.schedulers.forget(&s.dueLooks)
	return f
}

// forget removes all warps from their classes and from the calendar.
func (all schedulers) forget(looks *dueLooks) {
	for i := range all {
		sc := &all[i]
		for slot := range slotsOf(sc.occupied) {
			sc.warps[slot].class = nil
		}
		sc.agenda.reset(looks, sc.index)
		sc.refusedStores, sc.replays = 0, 0
		for slot := range sc.wakes {
			sc.wakes[slot] = never
		}
	}
}

// Resident returns the blocks of a grid on the SMX, in arbitrary order.
func (f *Forward) Resident(g *Grid) (list []Place) {
	for _, b := range f.smx.blocks {
		if b.resident && b.grid == g {
			list = append(list, Place{f.smx, b, true})
		}
	}
	return list
}

// Place is a block's place on an SMX that goes forward.
type Place struct {
	smx   *SMX
	block *block
	far   bool // a warp may run far before the next one runs
}

// Speed returns the rate at which the block has issued with timing, in warp instructions a cycle, since it began or last went forward. It
// returns false if that was less than least cycles ago.
func (p *Place) Speed(now engine.Cycle, least engine.Cycle) (instructions float64, ok bool) {
	if now-p.block.began < least {
		return 0, false
	}
	for _, w := range p.block.warps {
		if w.block == p.block {
			instructions += float64(w.issued)
		}
	}
	return instructions / float64(now-p.block.began), true
}

// Start starts another block in the place of one that has ended.
func (p *Place) Start(g *Grid, number uint64) {
	p.smx.clear(never)
	p.block = p.smx.startBlock(g, number, p.smx.now)
}

// Run executes about most warp instructions of the block, with its warps in turn so that all advance equally, exactly so if exactly is set.
// It returns how many it executed, and whether the block has ended. If there are fewer, and the block has not ended, all its warps wait.
func (p *Place) Run(most uint64, exactly bool) (executed uint64, ended bool) {
	s, b := p.smx, p.block
	quantum := uint64(warpQuantum)
	if p.far {
		quantum = forwardQuantum
	}
	counters := &b.gridState.Counters
	from := counters.InstExecuted
	for executed < most && b.resident && s.Fault == nil {
		each := int64(min(max((most-executed)/uint64(max(b.live, 1)), leastQuantum), quantum))
		going, ahead := int64(0), int64(0)
		for _, w := range b.warps {
			if w.block == b && w.goesOn() {
				going, ahead = going+1, ahead+w.ahead
			}
		}
		each += ahead / max(going, 1)
		for _, w := range b.warps {
			if w.block != b || !w.goesOn() {
				continue
			}
			if s.runAhead(w, each, exactly); s.Fault != nil {
				break
			}
		}
		before := executed
		if executed = counters.InstExecuted - from; executed == before {
			break
		}
	}
	return executed, !b.resident
}

// A warp executes at least leastQuantum and at most forwardQuantum operations before the next runs.
const (
	leastQuantum   = 16
	forwardQuantum = 16 << 10
)

// Settle advances the block's warps equally after quanta that did not end exactly.
func (p *Place) Settle() {
	most := int64(0)
	for _, w := range p.block.warps {
		if w.block == p.block {
			most = max(most, w.ahead)
		}
	}
	for _, w := range p.block.warps {
		if w.block == p.block && w.goesOn() && most > 0 && p.smx.Fault == nil {
			p.smx.runAhead(w, most, true)
		}
	}
}

// runAhead runs a warp for a number of operations, minus those that it is ahead. Machine code ends its runs a little late, and the next
// quantum makes up for it.
func (s *functional) runAhead(w *warp, quantum int64, exactly bool) {
	if quantum -= w.ahead; quantum <= 0 {
		w.ahead = -quantum
		return
	}
	executed := &w.gridState.Counters.InstExecuted
	from := *executed
	if exactly {
		s.runExactly(w, quantum)
	} else {
		s.runWarp(w, quantum)
	}
	w.ahead = max(0, int64(*executed-from)-quantum)
}

// runExactly runs a warp for an exact number of operations, unless it waits or ends. It steps through the rest that is shorter than a run
// of machine code. Exactness keeps warps apart. If all warps stopped at the end of a run, such as that of a loop, they would go on in step
// and want the same units at the same time.
func (s *functional) runExactly(w *warp, quantum int64) {
	executed := &w.gridState.Counters.InstExecuted
	end := *executed + uint64(quantum)
	native := w.block.grid.Program.native()
	if s.observer != nil {
		native = nil // as in runWarp
	}
	if native == nil {
		s.runWarp(w, quantum)
	} else if rest := native.Longest(); quantum > rest {
		s.runWarp(w, quantum-rest)
	}
	for *executed < end && w.goesOn() && s.Fault == nil {
		at := w.stack.top().pc
		if native != nil && native.Begins(at) && *executed+uint64(native.Length(at)) < end { // includes the operation that may end the run
			s.runNative(w, native, 0)
		} else {
			s.step(w)
		}
	}
}

// EndForward resumes timing at a cycle.
func (f *Forward) EndForward(now engine.Cycle) {
	s := f.smx
	for i, h := range s.gridStates {
		if i < len(f.detail) {
			h.untimed(f.detail[i])
		}
		h.Last = now
	}
	s.atOnce = false
	s.schedulers.forget(&s.dueLooks)
	s.Rest(now)
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		for m := sc.occupied; m != 0; m &= m - 1 {
			w := sc.warps[bits.TrailingZeros64(m)]
			w.scoreboard, w.outstanding, w.constantLine = scoreboard{}, 0, 0
			w.paceUntil, w.paceReason, w.chargedUntil, w.issued, w.ahead = now, stats.StallOther, now, 0, 0
			w.block.began = now
			s.plan(w)
		}
	}
}

// untimed restores the counters of a state, except those that runs without timing count, too.
func (h *GridState) untimed(detail *Detail) {
	h.addTally()
	h.Counters = complete(&detail.counters, &h.Counters)
	for i := range h.Operations {
		o := &h.Operations[i]
		executed, lanes := o.Executed, o.Lanes
		*o = detail.operations[i]
		o.Executed, o.Lanes = executed, lanes
	}
	h.taken = detail.taken
}

// complete returns the counters timed, with those that runs without timing count, too, taken from all.
func complete(timed, all *stats.SMX) stats.SMX {
	c, replays := *timed, timed.InstIssued-timed.InstExecuted
	c.InstExecuted, c.ThreadInstExecuted, c.InstIssued = all.InstExecuted, all.ThreadInstExecuted, all.InstExecuted+replays
	c.Branches, c.DivergentBranches, c.Barriers, c.PartialBarriers = all.Branches, all.DivergentBranches, all.Barriers, all.PartialBarriers
	c.BlocksLaunched, c.WarpsLaunched, c.ThreadsLaunched = all.BlocksLaunched, all.WarpsLaunched, all.ThreadsLaunched
	return c
}

// NewUntimed makes an SMX that runs blocks without timing during a timed run, while that run's warps stay as they are. timeAlone is as in
// BeginForward.
func NewUntimed(config *configs.Config, global *memory.Global, clock *engine.Timeline, timeAlone bool) *SMX {
	s, err := New(0, config, global, nil, config.SharedMemory.CarveOuts[0], 0, nil)
	if err != nil {
		panic(err) // others were made so before
	}
	s.Follow(clock)
	s.atOnce, s.native.TimingOnly = true, timeAlone
	return s
}

// Begin starts a block of a grid on an untimed SMX, which will run it to its end.
func (s *SMX) Begin(g *Grid, number uint64) *Place {
	s.residency.clear(never)
	return &Place{s, s.residency.startBlock(g, number, s.now), false}
}

// AddUntimed adds the grid's counters of an untimed SMX, and removes them there.
func (h *GridState) AddUntimed(spare *SMX) {
	other := spare.GridState(h.Grid)
	if other == nil {
		return
	}
	other.addTally()
	h.addTally()
	all := h.Counters
	all.Add(&other.Counters)
	h.Counters = complete(&h.Counters, &all)
	for i := range h.Operations {
		h.Operations[i].Executed += other.Operations[i].Executed
		h.Operations[i].Lanes += other.Operations[i].Lanes
	}
	for i := range h.Entered {
		h.Entered[i] += other.Entered[i]
	}
	h.Finished += other.Finished
	spare.gridStates = spare.gridStates[:0]
}

// Fences reports whether the program orders its accesses for other blocks. Its blocks may wait for each other.
func (p *Program) Fences() bool {
	for i := range p.operations {
		if p.operations[i].class == isa.ClassFence {
			return true
		}
	}
	return false
}
