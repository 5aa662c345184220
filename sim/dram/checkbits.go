package dram

import "github.com/keplersim/keplersim/sim/engine"

// checkBits is what a channel with error correction knows of the sectors that hold check bits. One such sector serves a block
// of neighbouring data sectors. It moves with an access to the block, and serves those to the same block, in the same
// direction, that wait in the scheduler's sight, and those that come within a while; any later one moves it again.
type checkBits struct {
	burstsPerBlock uint32
	while          engine.Tick
	recent         [2][]recentCheck // moved last, reads and writes, as many as can be within the while; rings
	next           [2]int           // the oldest
}

type recentCheck struct {
	block uint32
	until engine.Tick
}

// newCheckBits makes the check bits of a channel whose sectors are at least spacing apart.
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

// block returns the block whose check bits serve a burst.
func (c *checkBits) block(burst uint32) uint32 {
	if c == nil {
		return 0
	}
	return burst / c.burstsPerBlock
}

// sectors returns the number of sectors of check bits that a request moves, 0 or 1; waiting are the requests in the queue of the same
// direction, nil for none.
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
