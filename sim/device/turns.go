package device

import "time"

// next returns what a thread does next: the memory system's turn, which is the longest and which others wait for, or an SMX. The caller
// leaves the turn to others while there is something else, as all wait for it at the end of an epoch.
func (c *crew) next(thread int) int {
	turn := c.turnIsDue()
	if turn && thread > 0 {
		return atMemory
	}
	best, known := none, c.known()
	for i, ran := range c.ran {
		if !c.busy[i] && ran < known && (best == none || c.sooner(i, best, thread)) {
			best = i
		}
	}
	if best == none && turn {
		return atMemory
	}
	return best
}

// turnIsDue reports that the memory system can have its next turn.
func (c *crew) turnIsDue() bool {
	if c.stepping || c.alone || c.rewound || c.early > 0 {
		return false
	}
	return c.ending || c.stepped < c.given && c.parts[c.stepped%partsKept].left == 0
}

// known returns how many parts the SMXs may run, since all responses that come within are known.
func (c *crew) known() int {
	if c.stepped > c.begun || c.stepped == c.begun && !c.ending {
		return c.given
	}
	return min(c.given, c.stepped+2)
}

// sooner reports that a thread rather runs one SMX than another. What it has not had before it takes when nothing else is left, as that
// lies in the caches of another thread's core; but for those of the thread that is at the memory system. Of the rest, the one that is
// behind comes first, and of several its own, the longest first: short ones at the end let the threads come there together.
func (c *crew) sooner(smx, other, thread int) bool {
	if one, two := c.near(smx, thread), c.near(other, thread); one != two {
		return one
	}
	if c.ran[smx] != c.ran[other] {
		return c.ran[smx] < c.ran[other]
	}
	if one, two := c.home[smx] == thread, c.home[other] == thread; one != two {
		return one
	}
	return c.took[smx] > c.took[other]
}

func (c *crew) near(smx, thread int) bool {
	return c.home[smx] == thread || c.stepping && c.home[smx] == c.stepper
}

// end returns how many parts an SMX has run when its next turn is over: as many as it may. The longer its turns, the seldomer it comes into
// the host's caches anew. But no SMX begins the next epoch before all have run the part before the last and the memory system has had its
// turns so far: so much of the last part is kept for that time, by some of the SMXs. One a thread is kept at the least, as short turns let
// the threads come to the end together.
func (c *crew) end(smx int) int {
	end, last := c.known(), c.given-1
	if end <= last || c.ran[smx] == last || last == c.begun {
		return end
	}
	kept := 0
	for _, to := range c.ends {
		if to == last {
			kept++
		}
	}
	if kept < c.threads || time.Duration(kept)*c.costs.part < c.costs.steps {
		return last
	}
	return end
}

// isEarly reports that an SMX's turn begins while others have still to run the part before the one before it. What they store in that part
// could be carried out within the turn, and is not known at its beginning: where loads through caches depend on that, the memory system
// waits for the turn.
func (c *crew) isEarly(smx int) bool {
	before := c.ran[smx] - 2
	return c.remembers && before >= c.begun && c.parts[before%partsKept].left > 0
}

// costs are how long turns have taken of late. They decide about the order of turns alone.
type costs struct {
	part  time.Duration // a part of an SMX's turn
	steps time.Duration // the memory system's turns for an epoch, but the last
	sum   time.Duration // the same, of the epoch that goes on
}

// ran counts an SMX's turn, in which each part took so long.
func (c *costs) ran(took time.Duration) { c.part += (took - c.part) / 32 }

// stepped counts a turn of the memory system, which may be that for an epoch's last part.
func (c *costs) stepped(took time.Duration, last bool) {
	if c.sum += took; last {
		c.steps += (c.sum - took - c.steps) / 8
		c.sum = 0
	}
}
