package lower

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

// randomFlow is a function of empty blocks with random branches, all of which the entry leads to.
func randomFlow(r *rand.Rand, n int) *function {
	f := &function{ctx: context.Background(), byID: make([]*block, n)}
	for id := range n {
		b := &block{id: isa.BlockID(id), reconverge: noBlock}
		f.blocks, f.byID[id] = append(f.blocks, b), b
	}
	link := func(from, to int) {
		b := f.byID[from]
		if !slices.Contains(b.successors, isa.BlockID(to)) {
			b.successors = append(b.successors, isa.BlockID(to))
			f.byID[to].predecessors = append(f.byID[to].predecessors, isa.BlockID(from))
		}
	}
	for id := 1; id < n; id++ {
		link(max(0, id-1-r.IntN(3)), id)
	}
	for range n {
		if from, to := r.IntN(n), r.IntN(n); len(f.byID[from].successors) < 2 && to > 0 {
			link(from, to)
		}
	}
	return f
}

// reachable are the blocks to which paths lead from others, those through one block left out.
func reachable(f *function, from []isa.BlockID, without isa.BlockID) map[isa.BlockID]bool {
	found := map[isa.BlockID]bool{}
	for work := slices.Clone(from); len(work) > 0; {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if id != without && !found[id] {
			found[id] = true
			work = append(work, f.byID[id].successors...)
		}
	}
	return found
}

// Dominators, loops and regions of random graphs are those of their definitions.
func TestFlowOfRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		f := randomFlow(r, 2+r.IntN(24))
		g := f.newGraph()
		entry := []isa.BlockID{0}
		dominates := func(a, b isa.BlockID) bool { return a == b || !reachable(f, entry, a)[b] }
		loops := map[isa.BlockID]map[isa.BlockID]bool{} // by header
		for _, b := range f.blocks {
			for _, a := range f.blocks {
				if !assert.Equal(t, dominates(a.id, b.id), g.dominates(a.id, b.id), "%d dominates %d", a.id, b.id) {
					return
				}
			}
			for _, s := range b.successors { // the natural loop of the edge: what reaches b without passing s
				if !dominates(s, b.id) {
					continue
				}
				if loops[s] == nil {
					loops[s] = map[isa.BlockID]bool{s: true}
				}
				for _, other := range f.blocks {
					if other.id == b.id || other.id != s && reachable(f, []isa.BlockID{other.id}, s)[b.id] {
						loops[s][other.id] = true
					}
				}
			}
		}
		assert.Len(t, g.loops, len(loops))
		for _, l := range g.loops {
			for _, b := range f.blocks {
				assert.Equal(t, loops[l.header][b.id], g.contains(l, b.id), "block %d in the loop of %d", b.id, l.header)
			}
		}
		for _, b := range f.blocks {
			depth := 0
			for _, blocks := range loops {
				if blocks[b.id] {
					depth++
				}
			}
			assert.Equal(t, depth, b.depth)
		}
	}
}

// The regions of branches of random graphs are what lies on the ways from them to where they meet, and so is what is visited of several.
func TestRegionsOfRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		f := randomFlow(r, 2+r.IntN(24))
		exits := func(b *block) bool { return len(b.successors) == 0 }
		after := func(a, b isa.BlockID) bool { // every way from b to an exit passes a
			for id := range reachable(f, []isa.BlockID{b}, a) {
				if exits(f.byID[id]) {
					return false
				}
			}
			return true
		}
		leaves := func(b isa.BlockID) bool { return !after(noBlock, b) }
		for _, b := range f.blocks {
			for _, a := range f.blocks { // the nearest of those that all ways pass
				passed := a.id != b.id && leaves(b.id) && after(a.id, b.id)
				if passed && (b.reconverge == noBlock || !after(b.reconverge, a.id)) {
					b.reconverge = a.id
				}
			}
		}
		regions := f.newRegions()
		marks := regions.newMarks()
		visited, want := map[isa.BlockID]bool{}, map[isa.BlockID]bool{}
		for _, n := range r.Perm(len(f.blocks)) {
			b := f.blocks[n]
			region := reachable(f, b.successors, b.reconverge)
			assert.Equal(t, region[b.id], regions.holdsItself(b), "block %d meets at %d", b.id, b.reconverge)
			for id := range region {
				want[id] = true
			}
			regions.visit(b, marks, func(b *block) {
				assert.False(t, visited[b.id])
				visited[b.id] = true
			})
			if !assert.Equal(t, want, visited, "block %d meets at %d", b.id, b.reconverge) {
				return
			}
		}
	}
}

// Random accesses to memory wait for others as each two that may meet would have it.
func TestMemoryOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	spaces := []isa.Space{isa.SpaceGlobal, isa.SpaceGlobal, isa.SpaceShared, isa.SpaceGeneric}
	for range 300 {
		var units []*unit
		var accesses []*isa.Instruction
		for n := range 2 + r.IntN(60) {
			i := &isa.Instruction{Op: isa.OpLd, Type: isa.B32, Dst: make([]isa.Operand, 1)}
			i.Memory = &isa.Memory{Space: spaces[r.IntN(len(spaces))], Offset: int64(4 * r.IntN(4))}
			i.Memory.Base = isa.Reg(isa.Register(r.IntN(3)), isa.B64)
			if r.IntN(3) == 0 {
				i.Op, i.Dst, i.Src = isa.OpSt, nil, make([]isa.Operand, 1)
			}
			switch r.IntN(6) {
			case 0:
				i.Type = isa.B64
			case 1:
				i.Type, i.Memory.Offset = isa.B8, i.Memory.Offset+int64(r.IntN(4))
			case 2:
				i.Memory.Cache = isa.CacheVolatile
			}
			accesses = append(accesses, i)
			units = append(units, &unit{position: n, operations: []*operation{{}}})
		}
		d := &dependences{units: units, seen: make([]int32, len(units)), last: make([]int32, len(units))}
		for n := range d.seen {
			d.seen[n] = -1
		}
		m := newMemoryOrder(d)
		for n, i := range accesses {
			m.access(n, i, map[isa.Register]int{})
		}
		want := make([][]bool, len(units)) // want[a][b]: b waits for a, itself or by way of others
		for a := len(units) - 1; a >= 0; a-- {
			want[a] = make([]bool, len(units))
			for b := a + 1; b < len(units); b++ {
				if mustWait(accesses[a], accesses[b]) {
					want[a][b] = true
					for c := range units {
						want[a][c] = want[a][c] || want[b][c]
					}
				}
			}
		}
		for a, u := range units {
			got := make([]bool, len(units))
			seen := map[*unit]bool{}
			for work := []*unit{u}; len(work) > 0; {
				from := work[len(work)-1]
				work = work[:len(work)-1]
				for _, e := range from.after {
					if seen[e.to] {
						continue
					}
					seen[e.to] = true
					work = append(work, e.to)
					if len(e.to.operations) > 0 {
						got[e.to.position] = true
					}
				}
			}
			if !assert.Equal(t, want[a], got, "access %d", a) {
				return
			}
		}
	}
}

// mustWait is the rule for two accesses: one writes and they may touch one byte, or both keep their order with all their like.
func mustWait(a, b *isa.Instruction) bool {
	volatile := a.Memory.Cache == isa.CacheVolatile && b.Memory.Cache == isa.CacheVolatile
	if volatile || a.Op == isa.OpLd && b.Op == isa.OpLd {
		return volatile
	}
	x, y := a.Memory, b.Memory
	if x.Space == y.Space && x.Base == y.Base {
		return x.Offset < y.Offset+int64(b.Type.Bytes()) && y.Offset < x.Offset+int64(a.Type.Bytes())
	}
	return x.Space == y.Space || x.Space == isa.SpaceGeneric || y.Space == isa.SpaceGeneric
}
