package smx

import (
	"slices"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// GridState is what an SMX keeps for one grid: its counters, and where its code and constants are for the SMX's caches. Warps, accesses
// and fills know theirs, so that blocks of several grids can be resident together.
type GridState struct {
	Grid *Grid
	// SMX is the number of the SMX.
	SMX int
	// Counters are what the SMX has done for the grid. Cycles count in which a warp of the grid is resident, those left out that another
	// grid with the same Root counts: so they add up over a launch and all that comes from it.
	Counters stats.SMX
	// Operations are what each operation of the program has done; Entered, by section of the program's Stack, how often a warp entered
	// a function by a call.
	Operations []stats.OperationCount
	Entered    []uint64
	// Finished counts blocks that have ended.
	Finished uint64
	// First is the cycle in which the first block started, Last that in which a block last ended or a response last came.
	First, Last engine.Cycle
	// Noted is when the first of its blocks were resident, as many as Grid.NotedBlocks.
	Noted []NotedBlock

	account   int32  // of the grid
	resident  int    // warps
	blocks    int    // resident
	parked    int    // blocks that have left for a while
	pending   int    // requests in flight
	code      uint64 // where the program begins in the instruction caches' addresses
	constants uint64 // where the grid's constant banks begin in the constant caches' addresses
	sums      cycleSums
	eligible  uint64 // warps that could issue in this cycle, where there are several grids
	taken     taken
	// Of a functional run: what machine code has counted, and for each access the memory that it last went to, as allocations were at
	// a version.
	tally   *exec.Tally
	reaches []exec.Reach
	version uint64
}

// NotedBlock is when a block was resident; End is 0 while it is.
type NotedBlock struct {
	Place      [3]uint32 // in the grid
	Start, End engine.Cycle
}

// note notes a block that starts.
func (h *GridState) note(b *block, at engine.Cycle) {
	b.noted = 0
	if len(h.Noted) < h.Grid.NotedBlocks {
		h.Noted = append(h.Noted, NotedBlock{Place: b.Ctaid, Start: at})
		b.noted = len(h.Noted)
	}
}

// taken is what the load/store unit was booked for, by class of operation, in ticks.
type taken [classPlaces]int64

// Join returns the grid's state on the SMX, made at its first call.
func (s *ledger) Join(g *Grid) *GridState {
	if h := s.GridState(g); h != nil {
		return h
	}
	h := NewGridState(g, s.ID)
	s.gridStates = append(s.gridStates, h)
	return h
}

// NewGridState returns the state of a grid that has counted nothing, on an SMX by its number.
func NewGridState(g *Grid, smx int) *GridState {
	return &GridState{
		Grid: g, SMX: smx, account: g.Account,
		Operations: make([]stats.OperationCount, len(g.Program.operations)), Entered: make([]uint64, len(g.Program.Machine.Stack)),
	}
}

// Leave takes a grid's state off the SMX, with completed counters. A grid that is not over, as the run ends early, leaves its blocks
// there: the SMX is of no use then.
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

// GridStates are those of the grids that have or may get blocks on the SMX.
func (s *ledger) GridStates() []*GridState { return s.gridStates }

// Clone returns a copy of a state that has left its SMX, to merge others into.
func (h *GridState) Clone() *GridState {
	c := *h
	c.Operations, c.Entered = slices.Clone(h.Operations), slices.Clone(h.Entered)
	return &c
}

// Merge adds what another grid of the same program has done on the same SMX, when both have left it.
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

// addTally adds what machine code has counted.
func (h *GridState) addTally() {
	if h.tally == nil {
		return
	}
	h.Counters.Branches += h.tally.Add(h.Grid.Program.Code, func(op int, executed, lanes uint64) {
		h.Operations[op].Executed += executed
		h.Operations[op].Lanes += lanes
	})
}

// finish counts from the operations what each execution of them counts for.
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

// AddActivity adds what takes energy that the SMX has done for the grid so far, while the grid runs.
func (h *GridState) AddActivity(a *stats.Activity) {
	c := h.Counters // without what finish counts
	for i := range h.Operations {
		h.Grid.Program.operations[i].count(&c, h.Operations[i].Lanes)
	}
	a.AddSMX(&c)
}
