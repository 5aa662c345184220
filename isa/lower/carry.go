package lower

// The condition code holds one carry. Operations that write and read one value of it are a chain, as the two or three additions of a wide
// sum. Chains may come in any order, and other operations may stand between those of a chain, but none begins while another is under way.

// flagCrosses reports a carry that some block takes over from another.
func (f *function) flagCrosses() bool {
	for _, b := range f.blocks {
		for _, op := range b.operations {
			if op.ReadsCarry {
				return true
			}
			if op.WritesCarry {
				break
			}
		}
	}
	return false
}

// numberChains gives each unit of a block its chain, from 1, and says how many there are. There are none, and carries keep their order, where
// a unit has a part in several or a carry crosses into some block.
func numberChains(units []*unit, crosses bool) int {
	chains := 0
	if crosses {
		return 0
	}
	for _, u := range units {
		for _, op := range u.operations {
			if !op.ReadsCarry && !op.WritesCarry {
				continue
			}
			if !op.ReadsCarry {
				chains++
			}
			if u.chain > 0 && u.chain != chains {
				for _, u := range units {
					u.chain = 0
				}
				return 0
			}
			u.chain = chains
		}
	}
	return chains
}

// startChains adds the edges by which a chain that has begun can always end: every other chain that one of its operations waits for, itself or
// through others, has ended before it begins. Chains stand one behind the other in PTX order, so that this leads to no circle.
func (d *dependences) startChains(chains int) {
	if chains == 0 {
		return
	}
	members := make([][]int, chains+1)
	for n, u := range d.units {
		if u.chain > 0 {
			members[u.chain] = append(members[u.chain], n)
		}
	}
	// The chains that a unit waits for, but for those that the nearest ones wait for.
	needs := make([]bitset, len(d.units))
	for n, u := range d.units {
		if u.chain > 0 {
			if first := members[u.chain][0]; n != first {
				needs[n].each(func(chain int32) {
					if int(chain) != u.chain {
						for _, m := range members[chain] {
							d.edge(m, first, 0)
						}
					}
				})
			}
			needs[n] = newBitset(chains + 1)
			needs[n].add(int32(u.chain))
		}
		if needs[n] == nil {
			continue
		}
		for _, e := range u.after {
			if needs[e.to] == nil {
				needs[e.to] = newBitset(chains + 1)
			}
			needs[e.to].union(needs[n])
		}
		needs[n] = nil
	}
}

// chainUnderWay is the chain that has begun and not ended while units are placed.
type chainUnderWay struct {
	chain  int     // 0 for none
	left   []int   // units still to be placed, by chain
	others []*unit // room for what is allowed
}

func newChainUnderWay(units []*unit) *chainUnderWay {
	c := &chainUnderWay{}
	for _, u := range units {
		for len(c.left) <= u.chain {
			c.left = append(c.left, 0)
		}
		c.left[u.chain]++
	}
	return c
}

// allowed are those of the units that may come next, good until the next call.
func (c *chainUnderWay) allowed(open []*unit) []*unit {
	if c.chain == 0 {
		return open
	}
	c.others = c.others[:0]
	for _, u := range open {
		if u.chain == 0 || u.chain == c.chain {
			c.others = append(c.others, u)
		}
	}
	return c.others
}

func (c *chainUnderWay) place(u *unit) {
	if u.chain == 0 {
		return
	}
	c.chain = u.chain
	if c.left[u.chain]--; c.left[u.chain] == 0 {
		c.chain = 0
	}
}
