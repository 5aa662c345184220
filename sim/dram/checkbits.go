package dram

import "github.com/keplersim/keplersim/sim/engine"

// checkBits records which sectors of check bits a channel with error correction has moved lately. One such sector serves a block of
// neighbouring data sectors. It moves with an access to the block. It also serves the visible requests of the same direction to the block,
// and those that come within a while. Any later request moves it again.
type checkBits struct {
	burstsPerBlock uint32
	while          engine.Tick
	recent         [2][]recentCheck // rings of the latest moves, reads and writes, as many as fit in the while
	next           [2]int           // index of the oldest
}

type recentCheck struct {
	block uint32
	until engine.Tick
}

// newCheckBits makes the record of a channel whose sectors are at least spacing apart.
func newCheckBits(sectorsPerBlock, burstsPerSector int, while, spacing engine.Tick) *checkBits {
	c := &checkBits{burstsPerBlock: uint32(sectorsPerBlock * burstsPerSector), while: while}
	for i := range c.recent {
		c.recent[i] = make([]recentCheck, while/spacing+1)
		for k := range c.recent[i] {
			c.recent[i][k].until = longAgo
		}
	}
	return c
}

// block returns the block whose check bits cover a burst.
func (c *checkBits) block(burst uint32) uint32 {
	if c == nil {
		return 0
	}
	return burst / c.burstsPerBlock
}

// sectors returns the number of sectors of check bits that a request moves, 0 or 1. waiting has the visible requests of the same direction,
// nil for none.
func (c *checkBits) sectors(r *Request, waiting *Queue, now engine.Tick) int {
	if c == nil || r.checked {
		return 0
	}
	direction := 0
	if r.Write {
		direction = 1
	}
	block, recent := r.Block, c.recent[direction]
	for _, k := range recent {
		if k.block == block && now < k.until {
			return 0
		}
	}
	recent[c.next[direction]] = recentCheck{block, now + c.while}
	c.next[direction] = (c.next[direction] + 1) % len(recent)
	if waiting == nil {
		return 1
	}
	for i := range waiting.Len() {
		if r := waiting.At(i); r.Block == block {
			r.checked = true
		}
	}
	return 1
}
