package check

import (
	"slices"

	"github.com/keplersim/keplersim/sim/observe"
)

// A kernel that launches others hands what is in its past on to them, and knows what they did when it has waited for them: a launch is a
// release that the child's warps have acquired from their start, and a child's end one that whoever waits for it acquires. What comes
// behind the launch that all comes from comes behind its children too.

// child is a command that a kernel has given.
type child struct {
	root   any        // the host's command that it comes from
	behind []any      // commands of kernels that it begins after
	start  []acquired // what it knows when it begins
	after  []acquired // what whoever comes after it knows
	end    *log       // of a kernel: what its blocks have done, one after another
}

// newLog returns a log that no variable has.
func newLog() *log { return &log{of: map[*block][]int32{}} }

// add adds a release, which holds what those before it hold.
func (l *log) add(r release) {
	if n := len(l.entries); n > 0 {
		r.known = joinKnown(l.entries[n-1].known, r.known)
	}
	if r.block != nil {
		if own := l.of[r.block]; len(own) > 0 {
			before := &l.entries[own[len(own)-1]]
			r.seen, r.within = joinSeen(r.seen, before.seen), joinSeen(r.within, before.within)
		}
		l.of[r.block] = append(l.of[r.block], int32(len(l.entries)))
	}
	l.entries = append(l.entries, r)
}

// all is what acquires everything that is in the log.
func (l *log) all() []acquired { return []acquired{{l, len(l.entries)}} }

// Gives tells of a command that a warp gives, of the command of the host that its grid comes from, and of those that it begins after.
func (c *Checker) Gives(by *observe.Warp, command, root any, behind []any) {
	w := c.of(by)
	past, l := w.past(), newLog()
	l.add(release{block: w.block, seen: past.seen, within: past.seen, known: past.known})
	c.tick(w, w.active)
	c.children[command] = &child{root: root, behind: behind, start: l.all()}
}

// Begins tells that a command of a kernel begins: a grid, or nil for other commands.
func (c *Checker) Begins(command any, o *observe.Grid) {
	k := c.children[command]
	if k == nil {
		return
	}
	for _, other := range k.behind {
		if before := c.children[other]; before != nil {
			k.start = joinKnown(k.start, before.after)
		}
	}
	if k.behind = nil; o != nil {
		g := c.begin(o, c.commands.begun[k.root])
		k.end = newLog()
		g.start, g.end = k.start, k.end
		g.learnt = &learnt{known: g.start, of: map[*block][]uint64{}}
	}
}

// Ends tells that a command of a kernel has ended, of which another is the parent: that one ends after it.
func (c *Checker) Ends(command, parent any) {
	k := c.children[command]
	if k == nil {
		return
	}
	if k.after = k.start; k.end != nil && len(k.end.entries) > 0 {
		k.after = k.end.all()
	}
	if above := c.children[parent]; above != nil && above.end != nil {
		above.end.add(release{known: k.after})
	}
}

// Over forgets the commands that come from one of the host's: what comes now comes after that.
func (c *Checker) Over(root any) {
	for command, k := range c.children {
		if k.root == root {
			delete(c.children, command)
		}
	}
}

// Synchronizes tells that a warp goes on after the ends of commands that its block has given.
func (c *Checker) Synchronizes(by *observe.Warp, commands []any) {
	var known []acquired
	for _, command := range commands {
		if k := c.children[command]; k != nil {
			known = joinKnown(known, k.after)
		}
	}
	if len(known) == 0 {
		return
	}
	l, w := newLog(), c.of(by)
	l.add(release{known: known})
	w.known = joinKnown(w.known, l.all())
}

// root is the host's launch that a grid comes from, itself for one of those.
func (g *grid) root() *observe.Grid {
	o := g.observed
	for o.Parent != nil {
		o = o.Parent
	}
	return o
}

// ends hands on what a block of a child has done.
func (b *block) ends() {
	if b.grid.end == nil {
		return
	}
	r := release{block: b, seen: make([]uint64, len(b.warps))}
	for i := range b.warps {
		r.seen[i] = b.warps[i].clock
		r.known = joinKnown(r.known, b.warps[i].known)
	}
	r.within = slices.Clone(r.seen)
	b.grid.end.add(r)
}
