package flow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

// randomFlow returns a function of empty blocks with random branches. The entry leads to every block.
func randomFlow(r *rand.Rand, n int) Blocks {
	f := Blocks{ByID: make([]*Block, n)}
	for id := range n {
		b := &Block{ID: isa.BlockID(id), Reconverge: NoBlock}
		f.Layout, f.ByID[id] = append(f.Layout, b), b
	}
	link := func(from, to int) {
		b := f.ByID[from]
		if !slices.Contains(b.Successors, isa.BlockID(to)) {
			b.Successors = append(b.Successors, isa.BlockID(to))
			f.ByID[to].Predecessors = append(f.ByID[to].Predecessors, isa.BlockID(from))
		}
	}
	for id := 1; id < n; id++ {
		link(max(0, id-1-r.IntN(3)), id)
	}
	for range n {
		if from, to := r.IntN(n), r.IntN(n); len(f.ByID[from].Successors) < 2 && to > 0 {
			link(from, to)
		}
	}
	return f
}

// reachable returns the blocks that paths from the given blocks reach without block without.
func reachable(f Blocks, from []isa.BlockID, without isa.BlockID) map[isa.BlockID]bool {
	found := map[isa.BlockID]bool{}
	for work := slices.Clone(from); len(work) > 0; {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if id != without && !found[id] {
			found[id] = true
			work = append(work, f.ByID[id].Successors...)
		}
	}
	return found
}

// Dominators, loops and regions of random graphs agree with their definitions.
func TestFlowOfRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		f := randomFlow(r, 2+r.IntN(24))
		g := f.Graph()
		entry := []isa.BlockID{0}
		dominates := func(a, b isa.BlockID) bool { return a == b || !reachable(f, entry, a)[b] }
		loops := map[isa.BlockID]map[isa.BlockID]bool{} // by header
		for _, b := range f.Layout {
			for _, a := range f.Layout {
				if !assert.Equal(t, dominates(a.ID, b.ID), g.Dominates(a.ID, b.ID), "%d dominates %d", a.ID, b.ID) {
					return
				}
			}
			for _, s := range b.Successors { // the natural loop of the edge: the blocks that reach b without s
				if !dominates(s, b.ID) {
					continue
				}
				if loops[s] == nil {
					loops[s] = map[isa.BlockID]bool{s: true}
				}
				for _, other := range f.Layout {
					if other.ID == b.ID || other.ID != s && reachable(f, []isa.BlockID{other.ID}, s)[b.ID] {
						loops[s][other.ID] = true
					}
				}
			}
		}
		assert.Len(t, g.Loops, len(loops))
		for _, l := range g.Loops {
			for _, b := range f.Layout {
				assert.Equal(t, loops[l.header][b.ID], g.Contains(l, b.ID), "block %d in the loop of %d", b.ID, l.header)
			}
		}
		for _, b := range f.Layout {
			depth := 0
			for _, blocks := range loops {
				if blocks[b.ID] {
					depth++
				}
			}
			assert.Equal(t, depth, b.Depth)
		}
	}
}

// In random graphs a branch's region is the blocks between it and its meeting point. Visiting several regions visits their union. In half
// of the graphs, lanes may exit before they meet the others.
func TestRegionsOfRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 600 {
		f := randomFlow(r, 2+r.IntN(24))
		early := map[isa.BlockID]bool{}
		for _, b := range f.Layout[:len(f.Layout)-1] {
			early[b.ID] = len(b.Successors) == 0 && n%2 == 1 && r.IntN(2) == 0
		}
		exits := func(b *Block) bool { return len(b.Successors) == 0 && !early[b.ID] }
		after := func(a, b isa.BlockID) bool { // every path from b to an exit passes a
			for id := range reachable(f, []isa.BlockID{b}, a) {
				if exits(f.ByID[id]) {
					return false
				}
			}
			return true
		}
		leaves := func(b isa.BlockID) bool { return !after(NoBlock, b) }
		for _, b := range f.Layout {
			for _, a := range f.Layout { // the nearest of the blocks that all paths pass
				passed := a.ID != b.ID && leaves(b.ID) && after(a.ID, b.ID)
				if passed && (b.Reconverge == NoBlock || !after(b.Reconverge, a.ID)) {
					b.Reconverge = a.ID
				}
			}
		}
		for _, b := range f.Layout {
			if early[b.ID] && len(b.Predecessors) > 0 {
				b.Reconverge = f.ByID[b.Predecessors[0]].Reconverge
			}
		}
		regions := f.Regions(f.Graph())
		marks := regions.NewMarks()
		visited, want := map[isa.BlockID]bool{}, map[isa.BlockID]bool{}
		for _, n := range r.Perm(len(f.Layout)) {
			b := f.Layout[n]
			region := reachable(f, b.Successors, b.Reconverge)
			assert.Equal(t, region[b.ID], regions.InOwnRegion(b), "block %d meets at %d", b.ID, b.Reconverge)
			for id := range region {
				want[id] = true
			}
			regions.Visit(b, marks, func(b *Block) {
				assert.False(t, visited[b.ID])
				visited[b.ID] = true
			})
			if !assert.Equal(t, want, visited, "block %d meets at %d", b.ID, b.Reconverge) {
				return
			}
		}
	}
}
