package smx

import (
	"slices"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
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
	h := NewGridState(g, s.ID)
	s.gridStates = append(s.gridStates, h)
	return h
}

// NewGridState returns the state of a grid, with all counters zero, on SMX number smx.
func NewGridState(g *Grid, smx int) *GridState {
	return &GridState{
		Grid: g, SMX: smx, account: g.Account,
		Operations: make([]stats.OperationCount, len(g.Program.operations)), Entered: make([]uint64, len(g.Program.Machine.Stack)),
	}
}

// Leave completes the counters of a grid's state and takes it off the SMX. If the run ended before the grid, its blocks stay, and the SMX
// must not be used again.
func (s *SMX) Leave(h *GridState) {
	for i := range s.schedulers {
		for _, w := range s.schedulers[i].warps {
			if w != nil && w.resident && w.gridState == h {
				s.ledger.settle(w, s.now)
			}
		}
	}
	h.finish()
	s.ledger.gridStates = slices.DeleteFunc(s.ledger.gridStates, func(other *GridState) bool { return other == h })
}

// GridStates returns the states of grids that have or may get blocks on the SMX.
func (s *ledger) GridStates() []*GridState { return s.gridStates }

// Clone returns a copy of a state that has left its SMX, into which others can be merged.
func (h *GridState) Clone() *GridState {
	c := *h
	c.Operations, c.Entered = slices.Clone(h.Operations), slices.Clone(h.Entered)
	return &c
}

// Merge adds the counters of another grid of the same program on the same SMX, after both have left it.
func (h *GridState) Merge(other *GridState) {
	h.Counters.Add(&other.Counters)
	for i := range h.Operations {
		h.Operations[i].Add(&other.Operations[i])
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
	})
}

// finish derives the counters that follow from how often each operation was executed.
func (h *GridState) finish() {
	c := &h.Counters
	h.addTally()
	for class := range c.LoadStoreCycles {
		c.LoadStoreCycles[class] += float64(h.taken[class]) / ticks
	}
	for i := range h.Operations {
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
