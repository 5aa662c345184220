package smx

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/screen"
	"github.com/keplersim/keplersim/sim/stats"
)

// GridState is an SMX's state of one grid: its counters, and where its code and constants are in the address spaces of the SMX's caches.
// Warps, accesses and fills point to theirs, so that blocks of several grids can be resident together.
type GridState struct {
	Grid *Grid
	// SMX is the number of the SMX.
	SMX int
	// Counters are what the SMX has done for the grid. A cycle counts if a warp of the grid is resident. Of grids with the same Root only
	// one counts it, so cycles add up over a launch and all its nested launches.
	Counters stats.SMX
	// Operations are the counters of each operation of the program. Entered counts, by section of the program's Stack, how often a warp
	// entered a function by a call.
	Operations []stats.OperationCount
	Entered    []uint64
	// counted has a bit for each operation whose counters may not be zero, once the state has left its SMX.
	counted []uint64
	// Finished counts blocks that have ended.
	Finished uint64
	// First is the cycle in which the first block started, Last that of the latest response or end of a block.
	First, Last engine.Cycle
	// Noted says when the first Grid.NotedBlocks of its blocks were resident.
	Noted []NotedBlock

	account   int32  // the grid's
	resident  int    // warps
	blocks    int    // resident
	parked    int    // blocks that have left for a while
	pending   int    // requests in flight
	code      uint64 // start of the program in the instruction caches' addresses
	constants uint64 // start of the grid's constant banks in the constant caches' addresses
	sums      cycleSums
	eligible  uint64 // warps that could issue in this cycle, if there are several grids
	taken     taken
	// In a functional run: the counts of machine code, and for each access the allocation that it last went to, valid for this version of
	// the allocations.
	tally   *exec.Tally
	reaches []exec.Reach
	version uint64
}

// NotedBlock is when a block was resident; End is 0 while it is.
type NotedBlock struct {
	Place      [3]uint32 // in the grid
	Start, End engine.Cycle
}

// note notes a block that starts, if fewer than NotedBlocks are noted.
func (h *GridState) note(b *block, at engine.Cycle) {
	b.noted = 0
	if len(h.Noted) < h.Grid.NotedBlocks {
		h.Noted = append(h.Noted, NotedBlock{Place: b.Ctaid, Start: at})
		b.noted = len(h.Noted)
	}
}

// taken is the time that the load/store unit was booked for, by class of operation, in ticks.
type taken [classPlaces]int64

// Join returns the grid's state on the SMX, and makes it if there is none.
func (s *ledger) Join(g *Grid) *GridState {
	if h := s.GridState(g); h != nil {
		return h
	}
	h := s.takeSpare(g.Program)
	if h == nil {
		h = NewGridState(g, s.ID)
	} else {
		h.reuse(g)
	}
	s.gridStates = append(s.gridStates, h)
	return h
}

// mostSpare is how many states an SMX keeps for launches to come: those of the programs of a loop.
const mostSpare = 8

// Spare keeps the state of a grid that has left the SMX, for a later launch of its program. Nothing else may use it.
func (s *ledger) Spare(h *GridState) {
	if len(s.spare) == mostSpare {
		s.spare = slices.Delete(s.spare, 0, 1)
	}
	s.spare = append(s.spare, h)
}

// takeSpare takes a spare state of a program, nil if there is none.
func (s *ledger) takeSpare(program *Program) *GridState {
	i := slices.IndexFunc(s.spare, func(h *GridState) bool { return h.Grid.Program == program })
	if i < 0 {
		return nil
	}
	h := s.spare[i]
	s.spare = slices.Delete(s.spare, i, i+1)
	return h
}

// reuse makes a spare state that of another grid of its program. Where its accesses last went stays known, unless that depends on the grid.
func (h *GridState) reuse(g *Grid) {
	if g.Stage != h.Grid.Stage || g.Stage != screen.Screened && g.Observed != nil {
		clear(h.reaches)
	}
	for i := range h.Counted() {
		h.Operations[i] = stats.OperationCount{}
	}
	clear(h.counted)
	clear(h.Entered)
	*h = GridState{
		Grid: g, SMX: h.SMX, account: g.Account, Operations: h.Operations, Entered: h.Entered, counted: h.counted,
		tally: h.tally, reaches: h.reaches, version: h.version,
	}
}

// NewGridState returns the state of a grid, with all counters zero, on SMX number smx.
func NewGridState(g *Grid, smx int) *GridState {
	return &GridState{
		Grid: g, SMX: smx, account: g.Account,
		Operations: make([]stats.OperationCount, len(g.Program.operations)), Entered: make([]uint64, len(g.Program.Machine.Stack)),
		counted: make([]uint64, len(g.Program.operations)/64+1),
	}
}

// Leave completes the counters of a grid's state and takes it off the SMX. If the run ended before the grid, its blocks stay, and the SMX
// must not be used again.
func (s *SMX) Leave(h *GridState) {
	for i := range s.schedulers {
		for slot := range slotsOf(s.schedulers[i].occupied) {
			if w := s.schedulers[i].warps[slot]; w.gridState == h {
				s.ledger.settle(w, s.now)
			}
		}
	}
	h.finish(s.timeless())
	s.ledger.gridStates = slices.DeleteFunc(s.ledger.gridStates, func(other *GridState) bool { return other == h })
}

// timeless reports that the SMX has run without timing alone since it was last reset.
func (s *common) timeless() bool { return s.atOnce && !s.ran }

// GridStates returns the states of grids that have or may get blocks on the SMX.
func (s *ledger) GridStates() []*GridState { return s.gridStates }

// Clone returns a copy of a state that has left its SMX, into which others can be merged.
func (h *GridState) Clone() *GridState {
	c := *h
	c.Operations, c.Entered, c.counted = slices.Clone(h.Operations), slices.Clone(h.Entered), slices.Clone(h.counted)
	return &c
}

// Merge adds the counters of another grid of the same program on the same SMX, after both have left it.
func (h *GridState) Merge(other *GridState) {
	h.Counters.Add(&other.Counters)
	for i := range h.Operations {
		h.Operations[i].Add(&other.Operations[i])
	}
	for i := range h.counted {
		h.counted[i] |= other.counted[i]
	}
	for i := range h.Entered {
		h.Entered[i] += other.Entered[i]
	}
	h.Finished += other.Finished
}

// Idle reports that no warp of the grid is resident and none of its requests is in flight.
func (h *GridState) Idle() bool { return h.resident == 0 && h.pending == 0 && h.parked == 0 }

// Blocks is the number of the grid's resident blocks.
func (h *GridState) Blocks() int { return h.blocks }

// responded counts a response to one of the grid's requests.
func (h *GridState) responded(now engine.Cycle) {
	h.pending--
	h.Last = now
}

// addTally adds the counts of machine code.
func (h *GridState) addTally() {
	if h.tally == nil {
		return
	}
	h.Counters.Branches += h.tally.Add(h.Grid.Program.Code, func(op int, executed, lanes uint64) {
		h.Operations[op].Executed += executed
		h.Operations[op].Lanes += lanes
		h.count(op)
	})
}

// count notes that an operation has counters.
func (h *GridState) count(op int) { h.counted[op/64] |= 1 << (op % 64) }

// Counted returns the operations whose counters may not be zero, after the state has left its SMX.
func (h *GridState) Counted() iter.Seq[int] {
	return func(yield func(int) bool) {
		for n, set := range h.counted {
			for ; set != 0; set &= set - 1 {
				if !yield(64*n + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}

// finish derives the counters that follow from how often each operation was executed. Without timing (timeless), step and addTally have
// noted these, and the first operation has all stalls: launches may be many, their programs large, and most of their operations unused.
func (h *GridState) finish(timeless bool) {
	c := &h.Counters
	h.addTally()
	h.count(0)
	if !timeless {
		for i := range h.Operations {
			if h.Operations[i] != (stats.OperationCount{}) {
				h.count(i)
			}
		}
	}
	for class := range c.LoadStoreCycles {
		c.LoadStoreCycles[class] += float64(h.taken[class]) / ticks
	}
	for i := range h.Counted() {
		op, o := &h.Grid.Program.operations[i], &h.Operations[i]
		if op.machine.Uncounted {
			c.InstExecuted -= o.Executed
			c.InstIssued -= o.Executed
			c.ThreadInstExecuted -= o.Lanes
			o.Executed, o.Lanes = 0, 0
		}
		c.PTXInstructions += uint64(op.ptx) * o.Executed
		c.ByClass[op.class] += o.Executed
		c.NotPredicatedOff += o.Lanes
		op.count(c, o.Lanes)
		c.CollectionCycles += float64(uint64(op.collection)*o.Executed) / ticks
		for reason, cycles := range o.Stalls {
			c.Stalls[reason] += cycles
		}
	}
}

// AddActivity adds the grid's activity on the SMX so far that takes energy. The grid may still run.
func (h *GridState) AddActivity(a *stats.Activity) {
	c := h.Counters // without what finish counts
	for i := range h.Operations {
		h.Grid.Program.operations[i].count(&c, h.Operations[i].Lanes)
	}
	a.AddSMX(&c)
}
