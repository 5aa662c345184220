package smx

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Share is what one grid has on one SMX: its counters, and where its code and constants lie for the SMX's caches. Warps, accesses and fills
// know theirs, so that blocks of several grids live side by side.
type Share struct {
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
func (h *Share) note(b *block, at engine.Cycle) {
	b.noted = 0
	if len(h.Noted) < h.Grid.NotedBlocks {
		h.Noted = append(h.Noted, NotedBlock{Place: b.Ctaid, Start: at})
		b.noted = len(h.Noted)
	}
}

// taken is what the load/store unit was booked for, by class of operation, in ticks.
type taken [classPlaces]int64

// Join returns the grid's share of the SMX, made at its first call.
func (s *ledger) Join(g *Grid) *Share {
	if h := s.Share(g); h != nil {
		return h
	}
	h := NewShare(g, s.ID)
	s.shares = append(s.shares, h)
	return h
}

// NewShare returns a share of a grid that has counted nothing, of an SMX by its number.
func NewShare(g *Grid, smx int) *Share {
	return &Share{
		Grid: g, SMX: smx, account: g.Account,
		Operations: make([]stats.OperationCount, len(g.Program.operations)), Entered: make([]uint64, len(g.Program.Machine.Stack)),
	}
}

// Leave takes a grid's share off the SMX, with completed counters. A grid that is not over, as the run ends early, leaves its blocks
// there: the SMX is of no use then.
func (s *SMX) Leave(h *Share) {
	for i := range s.schedulers {
		for _, w := range s.schedulers[i].warps {
			if w != nil && w.resident && w.share == h {
				s.ledger.settle(w, s.now)
			}
		}
	}
	h.finish()
	s.ledger.shares = slices.DeleteFunc(s.ledger.shares, func(other *Share) bool { return other == h })
}

// Shares are those of the grids that have or may get blocks on the SMX.
func (s *ledger) Shares() []*Share { return s.shares }

// Clone returns a copy of a share that has left its SMX, to merge others into.
func (h *Share) Clone() *Share {
	c := *h
	c.Operations, c.Entered = slices.Clone(h.Operations), slices.Clone(h.Entered)
	return &c
}

// Merge adds what another grid of the same program has done on the same SMX, when both have left it.
func (h *Share) Merge(other *Share) {
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
func (h *Share) Idle() bool { return h.resident == 0 && h.pending == 0 && h.parked == 0 }

// Blocks is the number of the grid's resident blocks.
func (h *Share) Blocks() int { return h.blocks }

// responded counts a response to one of the grid's requests.
func (h *Share) responded(now engine.Cycle) {
	h.pending--
	h.Last = now
}

// addTally adds what machine code has counted.
func (h *Share) addTally() {
	if h.tally == nil {
		return
	}
	h.Counters.Branches += h.tally.Add(h.Grid.Program.Code, func(op int, executed, lanes uint64) {
		h.Operations[op].Executed += executed
		h.Operations[op].Lanes += lanes
	})
}

// finish counts from the operations what each execution of them counts for.
func (h *Share) finish() {
	c := &h.Counters
	h.addTally()
	for class := range c.LoadStoreCycles {
		c.LoadStoreCycles[class] += float64(h.taken[class]) / ticks
	}
	for i := range h.Operations {
		op, o := &h.Grid.Program.operations[i], &h.Operations[i]
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
func (h *Share) AddActivity(a *stats.Activity) {
	c := h.Counters // without what finish counts
	for i := range h.Operations {
		h.Grid.Program.operations[i].count(&c, h.Operations[i].Lanes)
	}
	a.AddSMX(&c)
}

// cycleSums are counters that every cycle adds to.
type cycleSums struct{ cycles, warps, eligible, held, outstanding uint64 }

func (c *cycleSums) add(cycles uint64, resident, eligible, pending int, held bool) {
	c.cycles += cycles
	c.warps += cycles * uint64(resident)
	c.eligible += uint64(eligible)
	if held {
		c.held += cycles
	}
	c.outstanding += cycles * uint64(pending)
}

// addSums adds cycles to the sums of each grid that has warps here. While only one grid has, one sum for the SMX is the same, and
// quicker.
func (s *ledger) addSums(cycles uint64, held bool) {
	s.counted = s.counted[:0]
	for _, h := range s.shares {
		h.sums.eligible += h.eligible
		h.eligible = 0
		if h.resident == 0 {
			continue
		}
		h.sums.add(cycles, h.resident, 0, h.pending, held)
		root := h.Grid.Root
		if root == nil {
			continue
		}
		if !slices.Contains(s.counted, root) {
			s.counted = append(s.counted, root)
			continue
		}
		h.sums.cycles -= cycles
		if held {
			h.sums.held -= cycles
		}
	}
}

// bookSums books the cycles of an epoch: where there is one grid, those of the SMX are its own.
func (s *ledger) bookSums() {
	count := uint64(len(s.schedulers))
	if !s.mixed {
		if len(s.shares) == 1 {
			s.sums.book(&s.shares[0].Counters, count)
		}
		return
	}
	for _, h := range s.shares {
		if h.sums != (cycleSums{}) {
			h.sums.book(&h.Counters, count)
		}
	}
}

// begin makes the SMX ready for a grid's first block: an empty one divides its memory as the grid asks.
func (s *residency) begin(h *Share) {
	if s.empty() && h.Grid.Split != (configs.CarveOut{}) && (!s.fresh || s.carveOut != h.Grid.Split) {
		if err := s.machine.renew(h.Grid.Split); err != nil {
			panic(fmt.Errorf("SMX %d cannot be made again as it was made: %w", s.ID, err))
		}
	} else if !s.fresh {
		s.unit.forgetGlobal()
	}
	h.First = s.now
	s.front.admit(h)
}

// passOver leaves a cycle out of the sums, as one is at whose end the SMX is empty.
func (s *ledger) passOver() {
	for _, h := range s.shares {
		h.eligible = 0
	}
}

// empty reports that nothing of any grid is on the SMX, and no place still to be given back.
func (s *residency) empty() bool { return s.Idle() && len(s.leaving) == 0 }

// countEligible counts warps that could issue for their grids, where there are several.
func (s *ledger) countEligible(sc *warpScheduler, ready uint64) {
	for ; ready != 0; ready &= ready - 1 {
		sc.warps[bits.TrailingZeros64(ready)].share.eligible++
	}
}

// book adds the sums to the counters of the grid, and begins them anew.
func (c *cycleSums) book(counters *stats.SMX, schedulers uint64) {
	counters.ActiveCycles += c.cycles
	counters.SchedulerCycles += c.cycles * schedulers
	counters.ActiveWarpCycles += c.warps
	counters.EligibleWarpCycles += c.eligible
	counters.HeldCycles += c.held
	counters.OutstandingCycles += c.outstanding
	*c = cycleSums{}
}
