package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// A warp that does not issue stalls for one reason at a time. While it sleeps or waits for an event, the reason is its own. While it is
// awake, it is in a class (see agenda), and the reason is the class's, which all of its warps share: how long a warp has stalled for each
// reason follows from what the class had waited when the warp joined. So a class whose wait changes costs one note, however many its warps.
// settle charges
// either kind, and nothing else does.

// ledger has all counters: those of stalls, and of cycles and accesses. What observers hear of stalls they hear from it.
type ledger struct {
	*common
	shares  []*Share  // of the grids that have or may get blocks here
	mixed   bool      // several of them may have warps in this epoch
	counted []*Grid   // scratch of addSums
	sums    cycleSums // of the only grid
}

// wait is what the warps of a class wait for.
type wait uint8

const (
	waitsForTurn   wait = iota // they could issue, and another warp was picked
	waitsForUnit               // an execution unit
	waitsForMemory             // room in the load/store unit or a texture unit
	waitCount      wait = 4    // with one that is never used: a power of two
)

// waitReasons are the stalls that the waits are charged as.
var waitReasons = [waitCount]stats.Stall{
	waitsForTurn: stats.StallNotSelected, waitsForUnit: stats.StallPipeBusy, waitsForMemory: stats.StallMemoryThrottle,
}

// waits are how many cycles a class has spent in each wait up to the last time that its wait changed, and its wait since.
type waits struct {
	cycles [waitCount]engine.Cycle
	at     engine.Cycle
	wait   wait
}

// change notes what the class waits for from a cycle on.
func (c *waits) change(to wait, now engine.Cycle) {
	c.cycles[c.wait%waitCount] += now - c.at
	c.at, c.wait = now, to
}

// upTo returns the cycles in a wait up to a cycle.
func (c *waits) upTo(wait wait, now engine.Cycle) engine.Cycle {
	if c.wait == wait {
		return c.cycles[wait%waitCount] + now - c.at
	}
	return c.cycles[wait%waitCount]
}

// joined is what a class had waited for units and memory when a warp was last settled, or joined it.
type joined struct{ unit, memory engine.Cycle }

// settle charges the cycles up to now in which a warp has not issued, and has not been charged for yet.
func (s *ledger) settle(w *warp, now engine.Cycle) {
	if now > w.since {
		s.charge(w, now)
	}
}

// charge is settle for a warp that has such cycles.
func (s *ledger) charge(w *warp, now engine.Cycle) {
	if s.observer != nil {
		s.observeStall(w, now)
	}
	stalls := &w.share.Operations[w.stalledAt].Stalls
	if c := w.class; c == nil {
		stalls[w.reason%stats.StallCount] += uint64(now - w.since)
	} else {
		unit, memory := c.upTo(waitsForUnit, now), c.upTo(waitsForMemory, now)
		inUnit, inMemory := unit-w.joined.unit, memory-w.joined.memory
		stalls[stats.StallPipeBusy] += uint64(inUnit)
		stalls[stats.StallMemoryThrottle] += uint64(inMemory)
		stalls[stats.StallNotSelected] += uint64(now - w.since - inUnit - inMemory)
		w.joined = joined{unit, memory}
	}
	w.since = now
}

// stall settles a warp, and gives it another reason of its own.
func (s *ledger) stall(w *warp, reason stats.Stall, now engine.Cycle) {
	s.settle(w, now)
	w.reason = reason
}

// wait notes what the warps of a class of a scheduler wait for from this cycle on. An observer hears of each warp's stall that ends.
func (s *ledger) wait(sc *warpScheduler, c *class, to wait) {
	if s.observer != nil {
		for slot := range slotsOf(c.slots) {
			s.settle(sc.warps[slot], s.now)
		}
	}
	c.change(to, s.now)
}

// why is the reason for which a warp stalls now.
func (w *warp) why() stats.Stall {
	if w.class != nil {
		return waitReasons[w.class.wait%waitCount]
	}
	return w.reason
}

// atEnd charges what a warp that has ended has waited since its end, or since the last response, to the access that completes now: its exit
// is not the cause.
func (s *ledger) atEnd(w *warp, last *operation) {
	w.stalledAt = last.index
	s.settle(w, s.now)
	w.reason = stats.StallExit
}

// observeStall tells of the cycles in which a warp has not issued up to now.
//
//go:noinline
func (s *ledger) observeStall(w *warp, now engine.Cycle) {
	s.observer.Stall(observe.Stall{From: w.since, To: now, Warp: w.observed, Op: w.stalledAt, Reason: w.why(), For: w.waitedFor()})
}

// waitedFor is the entry of the scoreboard that a warp stalls for: of those that its next operation touches, the one that is ready last.
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
