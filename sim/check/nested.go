package check

import (
	"slices"

	"github.com/keplersim/keplersim/sim/observe"
)

// A nested launch is a release that the child's warps acquire at their start. A child's end is a release that a warp acquires when it has
// waited for the child. So a parent's earlier accesses happen before the child's, and these before the parent's accesses after the wait.
// Whatever comes after a host launch comes after all its nested launches, too.

// child is a command of a kernel.
type child struct {
	root   any        // the host's command above it
	behind []any      // commands of kernels that it waits for
	start  []acquired // its knowledge at its start
	after  []acquired // the knowledge of commands after it
	end    *log       // the work of a kernel's blocks, one after another
}

// newLog returns a log without a variable.
func newLog() *log { return &log{of: map[*block][]int32{}} }

// add adds a release, which includes those before it.
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

// all acquires everything in the log.
func (l *log) all() []acquired { return []acquired{{l, len(l.entries)}} }

// Gives reports a warp's command, the host's command above it, and the commands that it waits for.
func (c *Checker) Gives(by *observe.Warp, command, root any, behind []any) {
	w := c.of(by)
	past, l := w.past(), newLog()
	l.add(release{block: w.block, seen: past.seen, within: past.seen, known: past.known})
	c.tick(w, w.active)
	c.children[command] = &child{root: root, behind: behind, start: l.all()}
}

// Begins reports that a command of a kernel begins: a grid, or nil for other commands.
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

// Ends reports that a command of a kernel has ended. Its parent ends after it.
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

// Over forgets the commands below one of the host's: everything from now on comes after that.
func (c *Checker) Over(root any) {
	for command, k := range c.children {
		if k.root == root {
			delete(c.children, command)
		}
	}
}

// Synchronizes reports that a warp goes on after the ends of commands of its block.
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

// root returns the host's launch above a grid, or the grid itself.
func (g *grid) root() *observe.Grid {
	o := g.observed
	for o.Parent != nil {
		o = o.Parent
	}
	return o
}

// ends releases the work of a child's block.
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
