package memory

// checkBits is what a channel with error correction keeps of the sectors that hold check bits. One such sector serves a block
// of neighbouring data sectors. A few read and a few written ones are kept, the newest; an access to any other block moves
// one more sector.
type checkBits struct {
	burstsPerBlock uint32
	kept           [2][]uint32 // block numbers, reads and writes
	next           [2]int      // the oldest, to be replaced
}

func newCheckBits(sectorsPerBlock, keptReads, keptWrites int) *checkBits {
	c := &checkBits{burstsPerBlock: uint32(sectorsPerBlock)}
	for i, kept := range []int{keptReads, keptWrites} {
		c.kept[i] = make([]uint32, kept)
		for k := range c.kept[i] {
			c.kept[i][k] = ^uint32(0)
		}
	}
	return c
}

// sectors is the number of sectors of check bits that an access moves: none when its block's are kept, else one.
func (c *checkBits) sectors(burst uint32, write bool) int {
	if c == nil {
		return 0
	}
	direction := 0
	if write {
		direction = 1
	}
	block, kept := burst/c.burstsPerBlock, c.kept[direction]
	for _, b := range kept {
		if b == block {
			return 0
		}
	}
	kept[c.next[direction]] = block
	c.next[direction] = (c.next[direction] + 1) % len(kept)
	return 1
}
