package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// The awake warps of a class wait for the same thing at any time: for a unit, for the load/store unit, or, when they are ready, for their
// turn. How long a warp has waited for each is therefore told by what its class has waited since the warp joined it, and need not be
// booked warp by warp whenever the class goes over from one to another. While somebody observes, each warp's stalls are booked as they
// change, since they are told of; and so are those of calls, whose conditions are each warp's own.

// wait is what the warps of a class wait for.
type wait uint8

const (
	waitsForTurn wait = iota
	waitsForUnit
	waitsForMemory
	waitCount wait = 4 // with one that is never used: a power of two
)

// waits are how many cycles a class has spent in each wait up to the last time that its wait changed, and its wait since.
type waits struct {
	cycles [waitCount]engine.Cycle
	at     engine.Cycle
	wait   wait
}

// turn notes what the class waits for from a cycle on.
func (c *waits) turn(to wait, now engine.Cycle) {
	if c.wait != to {
		c.cycles[c.wait%waitCount] += now - c.at
		c.at, c.wait = now, to
	}
}

// upTo returns the cycles in a wait up to a cycle.
func (c *waits) upTo(wait wait, now engine.Cycle) engine.Cycle {
	if c.wait == wait {
		return c.cycles[wait%waitCount] + now - c.at
	}
	return c.cycles[wait%waitCount]
}

// summing is since when a warp's stalls follow from the waits of its class, and what those were then.
type summing struct {
	from         engine.Cycle
	unit, memory engine.Cycle
}

// waitsOf are those of the class of a warp that is in a queue of classes.
func (q *queues) waitsOf(w *warp) *waits {
	if w.op.queue == queueUnits {
		return &q.units.waits[w.op.class%classPlaces]
	}
	return &q.access.waits[w.op.class%classPlaces]
}

// sum has the stalls of warps that have joined their queues in this cycle, and stay, follow from the waits of their classes.
func (s *SMX) sum(sc *warpScheduler, slots uint64) {
	sc.summed |= slots
	for ; slots != 0; slots &= slots - 1 {
		slot := bits.TrailingZeros64(slots) & lastSlot
		w := sc.warps[slot]
		c := sc.waitsOf(w)
		w.waited = summing{s.now, c.upTo(waitsForUnit, s.now), c.upTo(waitsForMemory, s.now)}
	}
}

// bookWaits books what a warp in a queue of classes has stalled for up to now.
func (s *SMX) bookWaits(sc *warpScheduler, w *warp, now engine.Cycle) {
	stalls, from, c := &w.share.Operations[w.front].Stalls, &w.waited, sc.waitsOf(w)
	if from.from > w.since {
		stalls[w.reason%stats.StallCount] += uint64(from.from - w.since)
	}
	unit, memory := c.upTo(waitsForUnit, now), c.upTo(waitsForMemory, now)
	if cycles := unit - from.unit; cycles > 0 {
		stalls[stats.StallPipeBusy] += uint64(cycles)
	}
	if cycles := memory - from.memory; cycles > 0 {
		stalls[stats.StallMemoryThrottle] += uint64(cycles)
	}
	if cycles := now - from.from - (unit - from.unit) - (memory - from.memory); cycles > 0 {
		stalls[stats.StallNotSelected] += uint64(cycles)
	}
	w.since, *from = now, summing{now, unit, memory}
}
