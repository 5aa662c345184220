package scheduler

import "math/bits"

// Greedy by blocks: stay with the block of the warp that issued last while that warp is ready. Then go to another block with a ready warp:
// the next in turn (grr), the oldest (gto), or the first in a queue (fifo). The block's ready warps take turns: the one that issued longest
// ago goes first. Blocks drift apart, so that their memory accesses do not all wait together. The warps of one block advance alike.

func init() {
	Register("grr", "greedy, then the next block in turn; its warps take turns", func(s Spec) Policy { return &greedy{} })
	Register("gto", "greedy, then the oldest block; its warps take turns", func(s Spec) Policy { return &greedy{oldest: true} })
}

type greedy struct {
	oldest bool          // another block is the oldest, not the next
	last   int           // slot that issued last
	picks  uint64        // picks so far
	picked [Slots]uint64 // the latest pick of each slot
	blocks [Slots]block  // the block of each slot when its warp was last looked at
}

// block has the slots of a block's warps, and when it started. It may include warps that have ended; no warp joins later.
type block struct{ start, slots uint64 }

func (g *greedy) Pick(ready uint64, started *[Slots]uint64) int {
	if ready&(ready-1) == 0 {
		return g.pick(bits.TrailingZeros64(ready))
	}
	chosen := g.last
	if ready>>chosen&1 == 0 {
		if g.oldest {
			chosen = oldestOf(ready, started)
		} else {
			chosen = nextOf(ready, chosen)
		}
	}
	rest := ready & g.blockOf(chosen, started)
	if rest == 1<<(chosen&(Slots-1)) { // the only ready warp of its block
		return g.pick(chosen)
	}
	start, least := started[chosen], g.picked[chosen]
	for ; rest != 0; rest &= rest - 1 {
		// No branch depends on the data, because the host could not predict it: slots of other blocks count as picked last.
		slot := bits.TrailingZeros64(rest) & (Slots - 1)
		other := started[slot] ^ start
		pick := g.picked[slot] | -((other | -other) >> 63)
		if pick < least {
			chosen = slot
		}
		least = min(least, pick)
	}
	return g.pick(chosen)
}

// blockOf returns the slots of a warp's block.
func (g *greedy) blockOf(slot int, started *[Slots]uint64) uint64 {
	b := &g.blocks[slot&(Slots-1)]
	if start := started[slot&(Slots-1)]; b.start != start || b.slots == 0 {
		*b = block{start: start}
		for other, at := range started {
			if at == start {
				b.slots |= 1 << other
			}
		}
	}
	return b.slots
}

// pick records that a slot was picked, and returns it.
func (g *greedy) pick(slot int) int {
	g.picks++
	g.picked[slot&(Slots-1)], g.last = g.picks, slot
	return slot
}
