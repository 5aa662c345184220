package scheduler

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
)

// Greedy by blocks, then first in, first out. A warp that has waited for long goes to the end of the queue. Short waits, as for results of
// arithmetic, keep its place. The warps of a block that leave a barrier are neighbours in the queue. So one block computes while another
// waits for memory, and in the long run all advance alike.

func init() {
	Register("fifo", "greedy, then the warp that has been ready longest since its last long wait",
		func(s Spec) Policy { return &fifo{warps: s.Warps, wait: engine.Cycle(s.Int("wait"))} },
		Parameter{Name: "wait", Does: "cycles from which on a wait is long", Default: 20, Min: 1, Max: 10_000})
}

type fifo struct {
	greedy
	warps Warps
	wait  engine.Cycle
	// ready are the slots that were ready at the latest pick, in cycle now. For the others seen has the last cycle in which they were.
	ready   uint64
	now     engine.Cycle
	seen    [Slots]engine.Cycle
	queued  [Slots]engine.Cycle // when a slot's warp became ready behind its latest long wait
	numbers [Slots]uint64       // its number, by which a new warp is noticed
}

func (f *fifo) Pick(ready uint64, started *[Slots]uint64) int {
	f.update(ready, started)
	if ready>>f.last&1 != 0 {
		return f.greedy.Pick(ready, started)
	}
	chosen := bits.TrailingZeros64(ready) & (Slots - 1)
	for rest := ready & (ready - 1); rest != 0; rest &= rest - 1 {
		slot := bits.TrailingZeros64(rest) & (Slots - 1)
		if f.queued[slot] < f.queued[chosen] || f.queued[slot] == f.queued[chosen] && f.before(slot, chosen, started) {
			chosen = slot
		}
	}
	return f.pick(chosen)
}

// update puts the warps at the end of the queue that are ready behind a long wait, or new.
func (f *fifo) update(ready uint64, started *[Slots]uint64) {
	now, last := f.warps.Now(), f.now
	stayed := ready & f.ready
	if now > last+1 { // no warp was ready in between
		stayed = 0
	}
	for gone := f.ready &^ stayed; gone != 0; gone &= gone - 1 {
		f.seen[bits.TrailingZeros64(gone)&(Slots-1)] = last
	}
	for come := ready &^ stayed; come != 0; come &= come - 1 {
		slot := bits.TrailingZeros64(come) & (Slots - 1)
		if now-f.seen[slot] > f.wait || f.numbers[slot] != started[slot] {
			f.queued[slot], f.numbers[slot] = now, started[slot]
		}
	}
	f.ready, f.now = ready, now
}

// before reports whether a slot's warp is before another's that was queued in the same cycle.
func (f *fifo) before(slot, other int, started *[Slots]uint64) bool {
	if started[slot] != started[other] {
		return started[slot] < started[other]
	}
	return f.picked[slot] < f.picked[other]
}
