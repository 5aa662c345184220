package smx

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/screen"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/sim/stats"
)

// residency has the resident blocks, their warps and barriers, and the resources left for more.
type residency struct {
	*common
	ledger   *ledger
	frontEnd *frontEnd
	unit     *loadStore // tells what is in flight; its L1 is emptied here
	// machine is the whole SMX, which divides its memory again when it is empty.
	machine *SMX

	offered       offer
	start         engine.Cycle // when the next block starts
	blocks        []*block
	residentWarps int
	free          Resources
	leaving       []departure
	carveOut      configs.CarveOut
	fresh         bool // no block has started since the last renew
	nextScheduler int
	startCount    uint64
	scratch       exec.Scratch // shared by all warps: one executes at a time
	newWarps      engine.Slab[warp]
	newRegisters  engine.Slab[isa.Lanes32]
}

// Grid is one kernel launch as the SMXs see it.
type Grid struct {
	Program *Program
	Launch  *exec.Launch
	ID      uint64
	// Dim is the grid's extent in blocks, Block the block's in threads.
	Dim, Block [3]uint32
	// Shared is the shared memory of a block, static and dynamic, in bytes. Dynamic is the dynamic part.
	Shared, Dynamic int
	// Occupancy is how the launch fills an SMX.
	Occupancy occupancy.Result
	// BankMode is the width of a shared-memory bank's word: 4 or 8 bytes.
	BankMode int
	// System carries out the kernel's system calls; nil makes them fail.
	System System
	// CarveOut is how an empty SMX divides its memory for the grid; the zero value leaves it as it is.
	CarveOut configs.CarveOut
	// LocalOffset is the start of the grid's local memory in that of all grids on the device, in bytes.
	LocalOffset uint64
	// Root is the host's launch that this grid comes from if kernels launch kernels: the grid itself if the host launched it.
	Root *Grid
	// Account is the account of the memory system that counts its requests.
	Account int32
	// CacheGlobalLoads sends global loads through L1 if the chip allows it.
	CacheGlobalLoads bool
	// Parked is how many of its blocks have left their SMXs for a while. It changes only between epochs.
	Parked uint64
	// NotedBlocks is how many blocks each SMX records in GridState.Noted.
	NotedBlocks int
	// Stage is how it is watched; see Device.Screen.
	Stage screen.Stage
	// Observed is the grid as observers see it; nil for no observer.
	Observed *observe.Grid
}

// Blocks is the number of blocks of the grid.
func (g *Grid) Blocks() uint64 {
	return uint64(g.Dim[0]) * uint64(g.Dim[1]) * uint64(g.Dim[2])
}

// Threads is the number of threads of a block.
func (g *Grid) Threads() int { return int(g.Block[0] * g.Block[1] * g.Block[2]) }

// Warps is the number of warps of a block.
func (g *Grid) Warps() int { return (g.Threads() + 31) / 32 }

// block is one resident block.
type block struct {
	exec.Block
	grid      *Grid
	gridState *GridState
	warps     []*warp
	live      int // warps that have not ended
	resident  bool
	barriers  [16]barrier
	awaited   int          // barriers at which some warp has arrived
	stored    engine.Cycle // when the latest of its stores to shared memory is done, if barriers wait for that
	sharedAt  int          // start of its shared memory in the SMX's, in bytes
	began     engine.Cycle
	noted     int // index in GridState.Noted plus 1; 0 if not noted
	observed  *observe.Block
	held      int           // its warps' calls that are held
	parked    bool          // it has left the SMX for a while
	resumed   []*SystemCall // calls that may go on when it is back
	state     any           // the driver's data
	screened  screen.Block  // the screen's data, if there is a screen
}

// Room reports whether a block of the grid fits beside those that are resident or leaving. An empty SMX has room for any launch, because it
// can divide its memory again.
func (s *residency) Room(g *Grid) bool {
	return s.free.holds(g) || s.empty()
}

// Resources are the resources that blocks take of an SMX.
type Resources struct{ Blocks, Warps, Registers, Shared int }

// Unused returns the resources that are free, or will be when ended blocks have left.
func (s *residency) Unused() Resources {
	r := s.free
	for i := range s.leaving {
		r.Take(s.leaving[i].grid, -1)
	}
	return r
}

// Renewable reports that the SMX is empty and has no offered block, so the first block of a grid divides its memory again.
func (s *residency) Renewable() bool { return s.empty() && len(s.offered.blocks) == 0 }

// Whole returns the resources of an empty SMX, divided for a grid.
func (s *residency) Whole(g *Grid) Resources {
	if g.CarveOut != (configs.CarveOut{}) {
		return resourcesOf(s.config, g.CarveOut)
	}
	return resourcesOf(s.config, s.carveOut)
}

// resourcesOf returns the resources of an SMX with its memory divided as carveOut says.
func resourcesOf(config *configs.Config, carveOut configs.CarveOut) Resources {
	return Resources{config.SMX.Blocks, config.SMX.Warps, config.RegisterFile(), carveOut.Shared}
}

// reset makes all resources free and divides memory.
func (s *residency) reset(carveOut configs.CarveOut) {
	s.fresh, s.carveOut, s.free = true, carveOut, resourcesOf(s.config, carveOut)
	s.nextScheduler, s.startCount, s.leaving = 0, 0, s.leaving[:0]
}

// holds reports that the resources suffice for a block of a grid.
func (r *Resources) holds(g *Grid) bool {
	return r.Blocks > 0 && r.Registers >= g.Occupancy.AllocatedRegisters && r.Shared >= g.Occupancy.AllocatedShared && r.Warps >= g.Warps()
}

// Fits returns how many blocks of a grid the resources suffice for.
func (r Resources) Fits(g *Grid) int {
	n := min(r.Blocks, r.Warps/g.Warps())
	if per := g.Occupancy.AllocatedRegisters; per > 0 {
		n = min(n, r.Registers/per)
	}
	if per := g.Occupancy.AllocatedShared; per > 0 {
		n = min(n, r.Shared/per)
	}
	return n
}

// Take takes the resources of some blocks of a grid; a negative number returns them.
func (r *Resources) Take(g *Grid, blocks int) {
	r.Blocks -= blocks
	r.Warps -= blocks * g.Warps()
	r.Registers -= blocks * g.Occupancy.AllocatedRegisters
	r.Shared -= blocks * g.Occupancy.AllocatedShared
}

// GridState returns a grid's state on the SMX, nil if the SMX was never offered its blocks.
func (s *ledger) GridState(g *Grid) *GridState {
	for _, h := range s.gridStates {
		if h.Grid == g {
			return h
		}
	}
	return nil
}

// Blocks is the number of resident blocks of a grid.
func (s *ledger) Blocks(g *Grid) int {
	if h := s.GridState(g); h != nil {
		return h.blocks
	}
	return 0
}

// Resident is the number of resident blocks of all grids.
func (s *ledger) Resident() (n int) {
	for _, h := range s.gridStates {
		n += h.blocks
	}
	return n
}

// Offer gives the SMX blocks of a grid, which it starts in order as soon as there is room, behind blocks offered before. The first starts
// at cycle at or later, each other gap cycles or more behind the one before.
func (s *residency) Offer(g *Grid, numbers []uint64, at, gap engine.Cycle) {
	if len(numbers) > 0 {
		s.ledger.Join(g)
	}
	o := &s.offered
	o.gap = gap
	if len(o.blocks) == 0 {
		o.next = max(o.next, at)
	}
	for _, n := range numbers {
		o.blocks = append(o.blocks, Offered{g, n})
	}
}

// Withdraw takes back the offered blocks that have not started, and appends them to a list.
func (s *residency) Withdraw(into []Offered) []Offered {
	into = append(into, s.offered.blocks...)
	s.offered.blocks = s.offered.blocks[:0]
	return into
}

// Offered is a block that an SMX may start.
type Offered struct {
	Grid   *Grid
	Number uint64 // in x, y, z order
}

// offer has the blocks that the block scheduler has ready for an SMX.
type offer struct {
	blocks    []Offered
	next, gap engine.Cycle
}

// departure is a block that has ended, and the cycle from which another can take its place.
type departure struct {
	grid *Grid
	at   engine.Cycle
}

// due returns when the next offered block can start, never if none can.
func (s *residency) due() engine.Cycle {
	switch {
	case len(s.offered.blocks) == 0:
		return never
	case s.Room(s.offered.blocks[0].Grid):
		return max(s.offered.next, s.now)
	case len(s.leaving) > 0:
		return s.leaving[0].at
	}
	return never
}

// Idle reports that no warp is resident and no request is in flight.
func (s *residency) Idle() bool { return s.residentWarps == 0 && s.unit.pending == 0 }

// StartingWarps returns how many warps the next block has, 0 if no block can start.
func (s *residency) StartingWarps() int {
	if s.due() == never {
		return 0
	}
	return s.offered.blocks[0].Grid.Warps()
}

// clear frees the resources of blocks that have left by a cycle.
func (s *residency) clear(by engine.Cycle) {
	left := 0
	for ; left < len(s.leaving) && s.leaving[left].at <= by; left++ {
		s.free.Take(s.leaving[left].grid, -1)
	}
	if left > 0 {
		s.leaving = s.leaving[:copy(s.leaving, s.leaving[left:])]
	}
}

// startOffered starts the offered blocks that are due.
func (s *residency) startOffered() {
	s.clear(s.now)
	o := &s.offered
	for len(o.blocks) > 0 && o.next <= s.now && s.Room(o.blocks[0].Grid) {
		s.startBlock(o.blocks[0].Grid, o.blocks[0].Number, s.now)
		o.blocks = o.blocks[:copy(o.blocks, o.blocks[1:])]
		o.next = s.now + o.gap
	}
	s.start = s.due()
}

// startBlock makes block number (in x, y, z order) of a grid resident. Its warps may issue from cycle at.
func (s *residency) startBlock(g *Grid, number uint64, at engine.Cycle) *block {
	h := s.ledger.Join(g)
	if h.Counters.BlocksLaunched == 0 {
		s.begin(h)
	}
	s.fresh = false
	b := s.newBlock()
	b.sharedAt = s.placeShared(g.Occupancy.AllocatedShared)
	b.grid, b.gridState, b.resident, b.held, b.state = g, h, true, 0, nil
	b.began = at
	b.Ctaid = g.blockAt(number)
	b.Ntid, b.Nctaid, b.GridID, b.Launch, b.DynamicShared = g.Block, g.Dim, g.ID, g.Launch, uint32(g.Dynamic)
	if cap(b.Shared) < g.Shared {
		b.Shared = make([]byte, g.Shared)
	}
	b.Shared = b.Shared[:g.Shared]
	clear(b.Shared)
	b.warps = b.warps[:0]
	b.live, b.stored = g.Warps(), 0
	s.startCount++
	if b.awaited > 0 {
		for i := range b.barriers {
			b.barriers[i] = barrier{waiting: b.barriers[i].waiting[:0]}
		}
		b.awaited = 0
	}
	for i := range g.Warps() {
		w := s.newWarp()
		s.startWarp(w, b, i, at)
		b.warps = append(b.warps, w)
	}
	s.free.Take(g, 1)
	s.residentWarps += g.Warps()
	h.resident += g.Warps()
	h.blocks++
	h.note(b, at)
	h.Counters.BlocksLaunched++
	h.Counters.WarpsLaunched += uint64(g.Warps())
	h.Counters.ThreadsLaunched += uint64(g.Threads())
	if s.observer != nil {
		s.observeBlock(b, number, at)
	}
	if s.screen != nil {
		s.screen.StartBlock(&b.screened, len(b.Shared))
	}
	return b
}

// blockAt returns the position of block number in the grid.
func (g *Grid) blockAt(number uint64) [3]uint32 {
	x, y := uint64(g.Dim[0]), uint64(g.Dim[1])
	return [3]uint32{uint32(number % x), uint32(number / x % y), uint32(number / (x * y))}
}

// newBlock returns a block object that is not in use.
func (s *residency) newBlock() *block {
	for _, b := range s.blocks {
		if !b.resident {
			return b
		}
	}
	b := &block{}
	s.blocks = append(s.blocks, b)
	return b
}

// placeShared returns the start of the first gap of that many bytes between the resident blocks' shared memory.
func (s *residency) placeShared(bytes int) (at int) {
	for again := bytes > 0; again; {
		again = false
		for _, b := range s.blocks {
			if b.resident && at < b.sharedAt+b.grid.Occupancy.AllocatedShared && b.sharedAt < at+bytes {
				at, again = b.sharedAt+b.grid.Occupancy.AllocatedShared, true
			}
		}
	}
	return at
}

// newWarp returns a free warp.
func (s *residency) newWarp() *warp {
	scheduler, slot := s.freeSlot()
	sc := &s.schedulers[scheduler]
	if sc.warps[slot] == nil {
		w := &s.newWarps.Take(1)[0]
		w.scheduler, w.slot, w.agenda = scheduler, slot, &sc.agenda
		w.stack.entries, w.stack.frames = w.paths[:0], w.frame[:0]
		sc.warps[slot] = w
	}
	return sc.warps[slot]
}

// freeSlot takes a slot of the scheduler with the fewest warps: a block's warps are dealt out in turn.
func (s *residency) freeSlot() (number, slot int) {
	best := -1
	for i := range s.schedulers {
		k := (s.nextScheduler + i) % len(s.schedulers)
		if best < 0 || bits.OnesCount64(s.schedulers[k].occupied) < bits.OnesCount64(s.schedulers[best].occupied) {
			best = k
		}
	}
	s.nextScheduler = (best + 1) % len(s.schedulers)
	sc := &s.schedulers[best]
	slot = bits.TrailingZeros64(^sc.occupied)
	sc.occupied |= 1 << slot
	return best, slot
}

func (s *residency) startWarp(w *warp, b *block, index int, at engine.Cycle) {
	g := b.grid
	w.block, w.gridState, w.index, w.resident, w.atBarrier, w.atFence, w.atExit = b, b.gridState, index, true, false, false, false
	w.outstanding, w.fetched, w.issued, w.ahead = 0, noIndex, 0, 0
	w.generation++
	w.atSystem = false
	w.SetWindow(exec.Window{})
	registers := max(g.Program.Machine.Registers, 1)
	if cap(w.Registers) < registers {
		w.Registers = s.newRegisters.Take(registers)
	} else {
		w.Registers = w.Registers[:registers]
		clear(w.Registers)
	}
	w.Predicates = [8]uint32{7: isa.FullMask}
	w.Carry = 0
	if local := g.Program.Machine.LocalBytes * 32; cap(w.Local) < local {
		w.Local = make([]byte, local)
	} else {
		w.Local = w.Local[:local]
		clear(w.Local)
	}
	w.Scratch = &s.scratch
	w.misses = 0
	w.Block, w.WarpID, w.SMID = &b.Block, uint32(w.slot*len(s.schedulers)+w.scheduler), uint32(s.ID)
	w.NumSMX, w.NumWarps = uint32(s.config.SMX.Count), uint32(s.config.SMX.Warps)
	if w.placed != g.Block || w.placedAt != index { // otherwise its predecessor in the slot had the same threads
		w.place(g.Block, index)
	}
	lanes := uint32(isa.FullMask)
	if left := g.Threads() - index*32; left < 32 {
		lanes = 1<<left - 1
	}
	w.stack.reset(lanes)
	if w.set = nil; s.screen != nil && g.Program.unset() != nil {
		w.set = new(exec.LanesSet)
	}
	w.operations = g.Program.operations
	w.op = w.current()
	w.paceUntil, w.paceReason, w.reason, w.chargedUntil, w.stalledAt, w.class = at, stats.StallOther, stats.StallOther, at, 0, nil
	sc := &s.schedulers[w.scheduler]
	sc.started[w.slot] = s.startCount
	if !s.atOnce {
		w.scoreboard.clear(g.Program.registers)
		sc.wake(w.slot, at, s.now)
	}
}

// place gives a warp's lanes their thread indexes in a block of some extent.
func (w *warp) place(extent [3]uint32, index int) {
	w.placed, w.placedAt = extent, index
	first := uint32(index * 32)
	x, y, z := first%extent[0], first/extent[0]%extent[1], first/(extent[0]*extent[1])
	for lane := range 32 {
		w.Tid[0][lane], w.Tid[1][lane], w.Tid[2][lane] = x, y, z
		if x++; x == extent[0] {
			x = 0
			if y++; y == extent[1] {
				y = 0
				z++
			}
		}
	}
}

// endWarp frees a warp that has ended, and its block with the last one.
func (s *residency) endWarp(w *warp, now engine.Cycle) {
	s.ledger.stall(w, stats.StallOther, now)
	w.resident = false
	sc := &s.schedulers[w.scheduler]
	sc.occupied &^= 1 << w.slot
	sc.wake(w.slot, never, s.now)
	s.residentWarps--
	w.gridState.resident--
	b := w.block
	b.live--
	if b.live > 0 {
		s.releaseBarriers(b, now)
		return
	}
	b.resident = false
	s.leaving = append(s.leaving, departure{b.grid, now + engine.Cycle(s.config.Launch.BlockStartCycles)})
	s.start = s.due()
	b.gridState.blocks--
	b.gridState.Finished++
	b.gridState.Last = now
	if b.noted > 0 {
		b.gridState.Noted[b.noted-1].End = now
	}
	if s.observer != nil {
		s.observer.Block(now, b.observed, observe.Ended)
	}
	if s.screen != nil {
		s.screen.EndBlock(&b.screened)
	}
}

// begin prepares the SMX for a grid's first block: an empty SMX divides its memory as the grid asks.
func (s *residency) begin(h *GridState) {
	if s.empty() && h.Grid.CarveOut != (configs.CarveOut{}) && (!s.fresh || s.carveOut != h.Grid.CarveOut) {
		if err := s.machine.renew(h.Grid.CarveOut); err != nil {
			panic(fmt.Errorf("SMX %d cannot be made again as it was made: %w", s.ID, err))
		}
	} else if !s.fresh {
		s.unit.invalidateGlobal()
	}
	h.First = s.now
	s.frontEnd.admit(h)
}

// empty reports that no grid has warps, requests or leaving blocks on the SMX.
func (s *residency) empty() bool { return s.Idle() && len(s.leaving) == 0 }
