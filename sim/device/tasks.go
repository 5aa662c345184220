package device

import "time"

// next returns a thread's next task: the memory system, which takes longest and delays others, or an SMX. The caller leaves the memory
// system to other threads while it has another task, because all wait for the caller at the end of an epoch.
func (c *crew) next(thread int) int {
	due := c.memoryIsDue()
	if due && thread > 0 {
		return atMemory
	}
	best, known := none, c.known()
	for i, ran := range c.ran {
		if !c.busy[i] && ran < known && (best == none || c.sooner(i, best, thread)) {
			best = i
		}
	}
	if best == none && due {
		return atMemory
	}
	return best
}

// memoryIsDue reports that the memory system can run its next part.
func (c *crew) memoryIsDue() bool {
	if c.stepping || c.alone || c.rewound || c.early > 0 {
		return false
	}
	return c.ending || c.stepped < c.given && c.parts[c.stepped%partsKept].left == 0
}

// known returns how many parts the SMXs may run: all responses within them are known.
func (c *crew) known() int {
	if c.stepped > c.begun || c.stepped == c.begun && !c.ending {
		return c.given
	}
	return min(c.given, c.stepped+2)
}

// sooner reports that a thread prefers one SMX to another. SMXs in the caches of other threads' cores come last, except those of the thread
// that runs the memory system. Otherwise it prefers the SMX that has run the fewest parts, then its own, then the one that takes longest:
// short tasks at the end let the threads finish together.
func (c *crew) sooner(smx, other, thread int) bool {
	if one, two := c.isLocal(smx, thread), c.isLocal(other, thread); one != two {
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

// isLocal reports that an SMX may be in the caches of a thread's core, or that its own thread is busy with the memory system.
func (c *crew) isLocal(smx, thread int) bool {
	return c.home[smx] == thread || c.stepping && c.home[smx] == c.stepper
}

// end returns how many parts an SMX will have run after its next task: usually as many as it may. Long tasks load an SMX less often into
// the host's caches. But no SMX begins the next epoch before all have run the part before the last and the memory system has run as far. So
// some SMXs keep the last part for that time: at least one a thread, because short tasks let the threads finish together.
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

// isEarly reports that an SMX's task begins while others have still to run the part two before it. Their stores in that part may take
// effect during the task, and are not known at its beginning. If loads through caches depend on that, the memory system waits for the task
// to end.
func (c *crew) isEarly(smx int) bool {
	before := c.ran[smx] - 2
	return c.remembers && before >= c.begun && c.parts[before%partsKept].left > 0
}

// costs are the durations of recent tasks. They only influence the order of tasks.
type costs struct {
	part  time.Duration // a part of an SMX's task
	steps time.Duration // the memory system's tasks of an epoch, except the last
	sum   time.Duration // the same, of the current epoch
}

// ran counts an SMX's task and the time for each of its parts.
func (c *costs) ran(took time.Duration) { c.part += (took - c.part) / 32 }

// stepped counts a task of the memory system; last: it is the epoch's last part.
func (c *costs) stepped(took time.Duration, last bool) {
	if c.sum += took; last {
		c.steps += (c.sum - took - c.steps) / 8
		c.sum = 0
	}
}
