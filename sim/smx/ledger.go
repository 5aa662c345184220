package smx

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// A warp that does not issue stalls for one reason at a time. Only charge counts stalls: it adds the cycles since w.chargedUntil to the
// operation w.stalledAt. The reason is
//
//   - while the warp waits for an event, the event: set by arrive, fence, systemCall, or control at an exit;
//   - while it sleeps, that of the scoreboard entry or pace that is ready last (plan), or its constant (constantReady);
//   - while it is awake in a class (see agenda), the class's (look). All warps of a class share it. A warp's stalls are the difference
//     between the class's waits now and those when the warp joined, so a change of wait costs one note, however many warps the class has;
//   - while it is awake before a call, a return or a system call, its own (lookAtCalls).

// ledger has all counters: stalls, cycles and accesses. It also reports stalls to observers.
type ledger struct {
	*common
	gridStates []*GridState // of grids that have or may get blocks here
	spare      []*GridState // of grids that have ended, for reuse
	mixed      bool         // several grids may have warps in this epoch
	counted    []*Grid      // scratch of addSums
	sums       cycleSums    // of the SMX, while it has one grid
}

// wait is what the warps of a class wait for.
type wait uint8

const (
	waitsForScheduler wait = iota // they could issue, but another warp was picked
	waitsForUnit                  // an execution unit
	waitsForMemory                // room in the load/store unit or a texture unit
	waitsForAccesses              // the warp's accesses in flight: never the wait of a class
	waitCount
)

// waitReasons maps waits to stalls.
var waitReasons = [waitCount]stats.Stall{
	waitsForScheduler: stats.StallNotSelected, waitsForUnit: stats.StallPipeBusy, waitsForMemory: stats.StallMemoryThrottle,
	waitsForAccesses: stats.StallMemoryDependency,
}

// waits are the cycles that a class has spent in each wait until its wait last changed, and its wait since then.
type waits struct {
	cycles [waitCount]engine.Cycle
	at     engine.Cycle
	wait   wait
}

// change sets what the class waits for from a cycle on.
func (c *waits) change(to wait, now engine.Cycle) {
	c.cycles[c.wait%waitCount] += now - c.at
	c.at, c.wait = now, to
}

// upTo returns the cycles that the class has spent in a wait up to a cycle.
func (c *waits) upTo(wait wait, now engine.Cycle) engine.Cycle {
	if c.wait == wait {
		return c.cycles[wait%waitCount] + now - c.at
	}
	return c.cycles[wait%waitCount]
}

// joined is how long a class had waited for units and memory when a warp joined it, or was last settled.
type joined struct{ unit, memory engine.Cycle }

// settle charges a warp's stall cycles up to now.
func (s *ledger) settle(w *warp, now engine.Cycle) {
	if now > w.chargedUntil {
		s.charge(w, now)
	}
}

// charge is settle for a warp with stall cycles.
func (s *ledger) charge(w *warp, now engine.Cycle) {
	if s.observer != nil {
		s.observeStall(w, now)
	}
	stalls := &w.gridState.Operations[w.stalledAt].Stalls
	if c := w.class; c == nil {
		stalls[w.reason%stats.StallCount] += uint64(now - w.chargedUntil)
	} else {
		unit, memory := c.upTo(waitsForUnit, now), c.upTo(waitsForMemory, now)
		inUnit, inMemory := unit-w.joined.unit, memory-w.joined.memory
		stalls[stats.StallPipeBusy] += uint64(inUnit)
		stalls[stats.StallMemoryThrottle] += uint64(inMemory)
		stalls[stats.StallNotSelected] += uint64(now - w.chargedUntil - inUnit - inMemory)
		w.joined = joined{unit, memory}
	}
	w.chargedUntil = now
}

// stall settles a warp, and sets its reason to stall from now on.
func (s *ledger) stall(w *warp, reason stats.Stall, now engine.Cycle) {
	s.settle(w, now)
	w.reason = reason
}

// wait sets what a class waits for from this cycle on, and reports the stalls that end to an observer.
func (s *ledger) wait(sc *warpScheduler, c *class, to wait) {
	if s.observer != nil {
		for slot := range slotsOf(c.slots) {
			s.settle(sc.warps[slot], s.now)
		}
	}
	c.change(to, s.now)
}

// why returns the reason for which a warp stalls now.
func (w *warp) why() stats.Stall {
	if w.class != nil {
		return waitReasons[w.class.wait%waitCount]
	}
	return w.reason
}

// atEnd charges a warp that has exited for waiting until now. The access that completes now is charged, because the exit is not the cause.
func (s *ledger) atEnd(w *warp, last *operation) {
	w.stalledAt = last.index
	s.settle(w, s.now)
	w.reason = stats.StallExit
}

// observeStall reports the cycles up to now in which a warp has not issued.
//
//go:noinline
func (s *ledger) observeStall(w *warp, now engine.Cycle) {
	s.observer.Stall(observe.Stall{From: w.chargedUntil, To: now, Warp: w.observed, Op: w.stalledAt, Reason: w.why(), For: w.waitedFor()})
}

// waitedFor returns the scoreboard entry that a warp stalls for: the one that is ready last of those that its next operation touches.
func (w *warp) waitedFor() observe.Entry {
	switch w.why() {
	case stats.StallExecutionDependency, stats.StallMemoryDependency, stats.StallTexture, stats.StallShared, stats.StallConstant:
	default:
		return observe.None
	}
	last, entry := readyAt(0, 0), observe.None
	op := &w.operations[w.stalledAt]
	for _, e := range op.checks[:op.checkCount] {
		if r := w.scoreboard[e]; r.after(last) {
			last, entry = r, observe.Entry(e)
		}
	}
	return entry
}

// countExecuted counts one executed operation. active are the warp's lanes on this path, mask those whose guard holds. finish later derives
// other counters from the number of executions.
func (h *GridState) countExecuted(op *operation, active, mask uint32) {
	c := &h.Counters
	c.InstExecuted++
	c.InstIssued++
	c.ThreadInstExecuted += uint64(bits.OnesCount32(active))
	o := &h.Operations[op.index]
	o.Executed++
	o.Lanes += uint64(bits.OnesCount32(mask))
}

// tally adds one access to its traffic counters and to its operation's.
func (s *ledger) tally(h *GridState, t *stats.Traffic, op *operation, a *exec.Access, transactions, sectors int) {
	bytes := uint64(bits.OnesCount32(a.Active)) * uint64(a.Bytes)
	t.Book(bytes, transactions, sectors)
	h.Operations[op.index].Memory.Book(bytes, transactions, sectors)
}

// cycleSums are the counters that every cycle adds to.
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

// book moves the sums to the counters of a grid.
func (c *cycleSums) book(counters *stats.SMX, schedulers uint64) {
	counters.ActiveCycles += c.cycles
	counters.SchedulerCycles += c.cycles * schedulers
	counters.ActiveWarpCycles += c.warps
	counters.EligibleWarpCycles += c.eligible
	counters.HeldCycles += c.held
	counters.OutstandingCycles += c.outstanding
	*c = cycleSums{}
}

// addSums adds cycles to the sums of each grid with warps here. With a single grid, one sum for the SMX does the same and is faster.
func (s *ledger) addSums(cycles uint64, held bool) {
	s.counted = s.counted[:0]
	for _, h := range s.gridStates {
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

// passOver leaves a cycle out of the sums because the SMX is empty at its end.
func (s *ledger) passOver() {
	for _, h := range s.gridStates {
		h.eligible = 0
	}
}

// bookSums books the cycles of an epoch. With a single grid, the sums of the SMX are its own.
func (s *ledger) bookSums() {
	count := uint64(len(s.schedulers))
	if !s.mixed {
		if len(s.gridStates) == 1 {
			s.sums.book(&s.gridStates[0].Counters, count)
		}
		return
	}
	for _, h := range s.gridStates {
		if h.sums != (cycleSums{}) {
			h.sums.book(&h.Counters, count)
		}
	}
}

// countEligible counts the ready warps of each grid, if there are several grids.
func (s *ledger) countEligible(sc *warpScheduler, ready uint64) {
	for ; ready != 0; ready &= ready - 1 {
		sc.warps[bits.TrailingZeros64(ready)].gridState.eligible++
	}
}
