package check

import "slices"

// variable is a word that threads signal through: of global memory, or of a block's shared memory.
type variable struct {
	block   *block // nil for global memory
	address uint64
}

// log is what has been released through a variable, in order. An entry holds all that those before it of the same block hold.
type log struct {
	entries []release
	of      map[*block][]int32 // the entries of a block
}

// release is what a warp handed on.
type release struct {
	block  *block
	seen   []uint64   // to whoever acquires it; nil for nothing
	within []uint64   // to warps of its own block
	known  []acquired // by all releases up to this one
}

// acquired is the part of a log that a warp has read: its first entries.
type acquired struct {
	log  *log
	upTo int
}

// release adds what a warp knew at its last fence to a variable's log, or what it knows now where the write orders itself.
func (c *Checker) release(w *warp, v variable, ordered bool) {
	device, within := w.fenced, w.fencedBlock
	if ordered {
		device = w.past()
		within = device
	}
	if within == nil {
		return
	}
	l := c.logs[v]
	if l == nil {
		l = newLog()
		c.logs[v] = l
	}
	r := release{block: w.block, within: within.seen}
	if device != nil {
		r.seen, r.known = device.seen, device.known
	}
	l.add(r)
	if ordered {
		c.tick(w, w.active)
	}
}

// joinSeen is what two know together of the block's warps; nil is nothing. The lists are not changed.
func joinSeen(a, b []uint64) []uint64 {
	if a == nil || b == nil {
		return append(append([]uint64(nil), a...), b...)
	}
	joint := append([]uint64(nil), a...)
	for i, clock := range b {
		joint[i] = max(joint[i], clock)
	}
	return joint
}

// acquire brings what a variable's log holds into the warp's past.
func (c *Checker) acquire(w *warp, v variable) {
	l := c.logs[v]
	if l == nil {
		return
	}
	w.known = joinKnown(w.known, []acquired{{l, len(l.entries)}})
	if own := l.of[w.block]; len(own) > 0 {
		for i, clock := range l.entries[own[len(own)-1]].within {
			w.seen[i] = max(w.seen[i], clock)
		}
	}
}

// joinKnown is what two know together. The lists are not changed.
func joinKnown(a, b []acquired) []acquired {
	if len(a) == 0 {
		return b
	}
	joint, changed := a, false
	for _, x := range b {
		i := slices.IndexFunc(joint, func(y acquired) bool { return y.log == x.log })
		if i >= 0 && joint[i].upTo >= x.upTo {
			continue
		}
		if !changed {
			joint, changed = slices.Clone(joint), true
		}
		if i >= 0 {
			joint[i].upTo = x.upTo
		} else {
			joint = append(joint, x)
		}
	}
	return joint
}

// learnt is what follows from a list of acquired logs, as it has been asked for.
type learnt struct {
	known []acquired
	parts []acquired // all that is known, directly or by way of others; nil while nobody has asked
	of    map[*block][]uint64
}

// knows reports that a clock of another block's warp is among what the warp has acquired, directly or by way of others.
func (w *warp) knows(b *block, warp int, clock uint64) bool {
	if len(w.known) == 0 {
		return false
	}
	if !w.learnt.is(w.known) {
		if w.learnt = w.block.grid.learnt; !w.learnt.is(w.known) { // what a grid's warps begin with is alike
			w.learnt = &learnt{known: w.known, of: map[*block][]uint64{}}
		}
	}
	seen := w.learnt.seen(b)
	return seen != nil && seen[warp] >= clock
}

// is reports that it follows from a list, which does not change once it is made.
func (l *learnt) is(known []acquired) bool {
	return l != nil && len(l.known) == len(known) && &l.known[0] == &known[0]
}

// seen are the clocks of a block's warps that are known, nil for none.
func (l *learnt) seen(b *block) []uint64 {
	seen, asked := l.of[b]
	if asked {
		return seen
	}
	if l.parts == nil {
		l.parts = parts(l.known)
	}
	for _, a := range l.parts {
		of := a.log.of[b]
		n, _ := slices.BinarySearch(of, int32(a.upTo))
		if n == 0 {
			continue
		}
		if handed := a.log.entries[of[n-1]].seen; len(seen) == 0 {
			seen = handed
		} else if len(handed) > 0 {
			seen = joinSeen(seen, handed)
		}
	}
	if len(seen) == 0 {
		seen = nil
	}
	l.of[b] = seen
	return seen
}

// parts are the logs of a list, and those that are known by way of them.
func parts(known []acquired) (list []acquired) {
	visited := map[acquired]bool{}
	stack := slices.Clone(known)
	for len(stack) > 0 {
		a := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if a.upTo == 0 || visited[a] {
			continue
		}
		visited[a] = true
		list = append(list, a)
		stack = append(stack, a.log.entries[a.upTo-1].known...)
	}
	return list
}
