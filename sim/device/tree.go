package device

import (
	"slices"

	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// A host launch and all its nested launches are a tree. Its grids share an account of the memory system. Completed nested grids add their
// counters by program, so that a launch's counters are those of its tree.

// Part has the counters of all nested grids of one program in a tree.
type Part struct {
	Program *smx.Program
	// States are their states on the SMXs, nil on those that had no block.
	States []*smx.GridState
}

// tree is a host launch's record of its nested grids.
type tree struct {
	root  *Grid
	parts []*Part
	done  stats.Sample // the samples of completed grids
}

// Parts returns the counters of a host launch's nested grids by program, in the order in which the first of each ended.
func (g *Grid) Parts() []*Part {
	if g.tree == nil {
		return nil
	}
	return g.tree.parts
}

// plant makes a grid that launches another the root of a tree, unless it is in one.
func (d *Device) plant(g *Grid) *tree {
	if g.tree == nil {
		g.tree = &tree{root: g}
		g.Grid.Root = g.Grid
		d.trees = append(d.trees, g.tree)
	}
	return g.tree
}

// running returns the grid of a running kernel.
func (d *Device) running(c *hyperq.Command) *Grid {
	return d.grids[slices.IndexFunc(d.grids, func(g *Grid) bool { return g.Command == c })]
}

// within reports that two grids are in one tree.
func (g *Grid) within(other *Grid) bool { return g == other || g.tree != nil && g.tree == other.tree }

// nested reports that a kernel launched the grid.
func (g *Grid) nested() bool { return g.tree != nil && g.tree.root != g }

// add adds the counters of a completed grid to its tree. idled is the device's time without cycles so far.
func (t *tree) add(g *Grid, idled Time) {
	blocks := t.done.Blocks
	addStates(&t.done, g.States)
	t.root.Idle = idled - t.root.idled
	if g == t.root {
		return
	}
	t.done.Blocks = blocks // samples count only the root's blocks
	i := slices.IndexFunc(t.parts, func(p *Part) bool { return p.Program == g.Program })
	if i < 0 {
		i = len(t.parts)
		t.parts = append(t.parts, &Part{Program: g.Program, States: make([]*smx.GridState, len(g.States))})
	}
	for n, h := range g.States {
		switch into := &t.parts[i].States[n]; {
		case h == nil:
		case *into == nil:
			*into = h.Clone()
		default:
			(*into).Merge(h)
		}
	}
}

// close completes the figures of a tree whose grids have all ended, or that is abandoned.
func (d *Device) close(t *tree) {
	d.trees = slices.DeleteFunc(d.trees, func(other *tree) bool { return other == t })
	d.closeAccount(t.root)
}

// closeAccount completes the memory counters and samples of a grid with its tree.
func (d *Device) closeAccount(g *Grid) {
	counters := d.settled().Close(g.Account)
	if d.options.Functional {
		return
	}
	g.Memory = counters
	d.power.retired.AddMemory(&g.Memory, d.config)
	s := stats.Sample{}
	if g.tree != nil {
		s = g.tree.done
	} else {
		addStates(&s, g.States)
	}
	s.Cycle = uint64(max(0, g.End-g.Start))
	addMemory(&s, &g.Memory)
	g.Samples.Add(s)
}
