package main

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/stats"
)

// ccws is cache-conscious wavefront scheduling (Rogers, O'Connor and Aamodt, MICRO 2012). Each warp has a few victim tags: lines that it
// brought into L1 and that were evicted. A miss on one of them is lost locality and raises the warp's score. Scores fall by one a cycle,
// down to a common base. Warps are stacked by score, and those above the sum of all bases may not load. So warps that lose locality get the
// cache for themselves. Of the other warps, the last one to issue continues, else the oldest. Each scheduler of an SMX keeps the scores of
// its own warps.
type ccws struct {
	scheduler.Spec
	base, throttle float64
	localities     [scheduler.Slots]locality
	issued, lost   float64 // operations, and misses on victim tags
	last           int
}

// locality is the state of a slot's warp.
type locality struct {
	started uint64 // identifies the warp
	score   float64
	at      engine.Cycle // of the score
	victims []uint64     // lines, the next to drop first
}

func init() {
	scheduler.Register("ccws", "cache-conscious (Rogers 2012): holds back loads while warps lose locality in L1",
		func(s scheduler.Spec) scheduler.Policy {
			return &ccws{Spec: s, base: s.Float("base"), throttle: s.Float("throttle"), last: -1}
		},
		scheduler.Parameter{Name: "base", Does: "score of a warp that loses nothing, in cycles", Default: 100, Min: 1, Max: 10_000},
		scheduler.Parameter{Name: "throttle", Does: "how much a loss counts (K_throttle)", Default: 8, Min: 0, Max: 1000, Fraction: true},
		scheduler.Parameter{Name: "victims", Does: "victim tags of a warp", Default: 16, Min: 1, Max: 1024})
}

// Pick implements scheduler.Policy.
func (c *ccws) Pick(ready uint64, started *[scheduler.Slots]uint64) int {
	held := c.held(started)
	best := scheduler.None
	for rest := ready; rest != 0; rest &= rest - 1 {
		slot := bits.TrailingZeros64(rest)
		if held>>slot&1 != 0 && c.Warps.Warp(slot).Load {
			continue
		}
		if slot == c.last {
			return slot
		}
		if best == scheduler.None || started[slot] < started[best] {
			best = slot
		}
	}
	if best != scheduler.None {
		c.last = best
	}
	return best
}

// held returns the slots of warps that may not load: their part of the stack ends above the sum of all bases. The first always may.
func (c *ccws) held(started *[scheduler.Slots]uint64) (slots uint64) {
	var stack []int
	for rest := c.Warps.Resident(); rest != 0; rest &= rest - 1 {
		slot := bits.TrailingZeros64(rest)
		if l := &c.localities[slot]; l.started != started[slot] { // another warp
			*l = locality{started: started[slot], score: c.base, victims: l.victims[:0]}
		}
		c.fall(slot)
		stack = append(stack, slot)
	}
	slices.SortStableFunc(stack, func(a, b int) int { return int(c.localities[b].score) - int(c.localities[a].score) })
	sum, cutoff := 0.0, c.base*float64(len(stack))
	for i, slot := range stack {
		if sum += c.localities[slot].score; sum > cutoff && i > 0 {
			slots |= 1 << slot
		}
	}
	return slots
}

// fall updates a score to the current cycle.
func (c *ccws) fall(slot int) {
	l, now := &c.localities[slot], c.Warps.Now()
	l.score, l.at = max(c.base, l.score-float64(now-l.at)), now
}

// Looked implements scheduler.CacheListener. A loss sets the warp's score to the share of lost operations, times throttle and cutoff.
func (c *ccws) Looked(e scheduler.Lookup) {
	if e.Warp.Scheduler != c.Scheduler || e.Cache != stats.SourceLocal || e.Found == observe.Hit {
		return
	}
	l := &c.localities[e.Warp.Slot]
	if !slices.Contains(l.victims, e.Line) {
		return
	}
	c.lost++
	c.fall(e.Warp.Slot)
	cutoff := c.base * float64(bits.OnesCount64(c.Warps.Resident()))
	l.score = max(l.score, c.lost/max(1, c.issued)*c.throttle*cutoff)
}

// Evicted implements scheduler.CacheListener.
func (c *ccws) Evicted(e scheduler.Eviction) {
	if e.Owner.Scheduler != c.Scheduler || e.Cache != stats.SourceLocal {
		return
	}
	l := &c.localities[e.Owner.Slot]
	if l.victims = append(l.victims, e.Line); len(l.victims) > c.Int("victims") {
		l.victims = slices.Delete(l.victims, 0, 1)
	}
}

// Issued implements scheduler.Listener.
func (c *ccws) Issued(scheduler.Issue) { c.issued++ }

// Stalled implements scheduler.Listener.
func (c *ccws) Stalled(scheduler.Stall) {}
