package check

import "slices"

// variable is a word with which threads signal, in global memory or a block's shared memory.
type variable struct {
	block   *block // nil for global memory
	address uint64
}

// log has the releases through a variable, in order. An entry includes those before it of the same block.
type log struct {
	entries []release
	of      map[*block][]int32 // the indexes of a block's entries
}

// release is what a warp released.
type release struct {
	block  *block
	seen   []uint64   // for all acquirers; nil for nothing
	within []uint64   // for warps of its own block
	known  []acquired // by all releases so far
}

// acquired is the part of a log that a warp has acquired: its first entries.
type acquired struct {
	log  *log
	upTo int
}

// release adds a warp's knowledge at its last fence to a variable's log, or its present knowledge if the write is itself a release.
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

// joinSeen merges two clocks of a block's warps; nil is nothing. It does not change the lists.
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

// acquire adds the contents of a variable's log to the warp's past.
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

// joinKnown merges two lists. It does not change them.
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

// learnt caches the consequences of a list of acquired logs.
type learnt struct {
	known []acquired
	parts []acquired // all that is known, directly or through other logs; nil until needed
	of    map[*block][]uint64
}

// knows reports whether the warp has acquired a clock of another block's warp, directly or through other logs.
func (w *warp) knows(b *block, warp int, clock uint64) bool {
	if len(w.known) == 0 {
		return false
	}
	if !w.learnt.is(w.known) {
		if w.learnt = w.block.grid.learnt; !w.learnt.is(w.known) { // a grid's warps begin with the same list
			w.learnt = &learnt{known: w.known, of: map[*block][]uint64{}}
		}
	}
	seen := w.learnt.seen(b)
	return seen != nil && seen[warp] >= clock
}

// is reports whether the cache is for a list, which never changes.
func (l *learnt) is(known []acquired) bool {
	return l != nil && len(l.known) == len(known) && &l.known[0] == &known[0]
}

// seen returns the known clocks of a block's warps, nil for none.
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

// parts returns the logs of a list, and those known through them.
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
