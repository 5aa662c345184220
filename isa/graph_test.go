package isa

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomFunction makes a function of n blocks that end in branches, guarded or not, exits, guarded exits, or fall through.
func randomFunction(r *rand.Rand, n int) *Function {
	f := &Function{Kernel: true}
	guard := Guard{Present: true}
	for i := range n {
		b := &Block{Instructions: []*Instruction{{Op: OpAdd}}}
		if r.IntN(4) == 0 {
			b.Instructions[0].Op = OpBar
		}
		end := &Instruction{}
		switch r.IntN(7) {
		case 0, 1:
			end.Op, end.Guard, end.Targets = OpBra, guard, []BlockID{BlockID(r.IntN(n))}
		case 2:
			end.Op, end.Targets = OpBra, []BlockID{BlockID(r.IntN(n))}
		case 3:
			end.Op, end.Targets = OpBrx, []BlockID{BlockID(r.IntN(n)), BlockID(r.IntN(n)), BlockID(r.IntN(n))}
		case 4:
			end.Op = OpExit
		case 5:
			end.Op, end.Guard = OpExit, guard
		default:
			end = nil
		}
		if i == n-1 && (end == nil || end.Guard.Present) {
			end = &Instruction{Op: OpExit}
		}
		if end != nil {
			b.Instructions = append(b.Instructions, end)
		}
		f.Blocks = append(f.Blocks, b)
	}
	return f
}

// naiveMeetings finds meeting points by their definition. A branch of block a meets at b if every path from a's successors to a target
// passes b, and no other such block comes before b. A path ends at its first target.
func naiveMeetings(f *Function, target func(*Block) bool) []BlockID {
	n := len(f.Blocks)
	reaches := func(a, avoiding int) bool {
		seen := make([]bool, n)
		work := slices.Clone(f.Blocks[a].Successors)
		for len(work) > 0 {
			b := f.Blocks[work[0]]
			work = work[1:]
			if seen[b.ID] || int(b.ID) == avoiding {
				continue
			}
			if seen[b.ID] = true; target(b) {
				return true
			}
			work = append(work, b.Successors...)
		}
		return false
	}
	postDominates := func(b, a int) bool { return reaches(a, -1) && !reaches(a, b) }
	out := make([]BlockID, n)
	for a := range n {
		out[a] = -1
		var common []int
		for b := range n {
			if postDominates(b, a) {
				common = append(common, b)
			}
		}
		for _, b := range common { // the first is the one from which all the others are still to come, or that is one with a target
			first := true
			for _, c := range common {
				first = first && (c == b || !target(f.Blocks[b]) && postDominates(c, b))
			}
			if first || len(common) == 1 {
				out[a] = BlockID(b)
			}
		}
	}
	return out
}

// On random graphs, some with endless loops, the lanes of a divergent branch reconverge where all paths meet. If some paths leave the
// kernel, they reconverge where all paths that reach a barrier meet.
func TestMeetings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole, atBarriers, others, none := 0, 0, 0, 0
	for range 6000 {
		f := randomFunction(r, 1+r.IntN(12))
		f.Connect(nil)
		leaves := func(b *Block) bool { return b.Instructions[len(b.Instructions)-1].Op == OpExit }
		paths := naiveMeetings(f, leaves)
		barriers := naiveMeetings(f, func(b *Block) bool { return b.Instructions[0].Op == OpBar })
		for i, b := range f.Blocks {
			for _, s := range b.Successors {
				assert.Contains(t, f.Blocks[s].Predecessors, b.ID)
			}
			if len(b.Successors) < 2 {
				continue
			}
			switch {
			case paths[i] >= 0:
				whole++
				require.Equal(t, paths[i], b.Reconverge, "block %d of\n%s", i, f.Listing())
			case barriers[i] >= 0:
				atBarriers++
				require.Equal(t, barriers[i], b.Reconverge, "block %d of\n%s", i, f.Listing())
			case b.Reconverge >= 0:
				others++
			default:
				none++
			}
		}
	}
	t.Log(whole, atBarriers, others, none)
	assert.Greater(t, min(whole, atBarriers, others, none), 300)
}

// TestSuccessors: branch targets first, fall-through last, each once.
func TestSuccessors(t *testing.T) {
	f := &Function{Blocks: []*Block{
		{Instructions: []*Instruction{{Op: OpBra, Guard: Guard{Present: true}, Targets: []BlockID{2}}}},
		{Instructions: []*Instruction{{Op: OpBrx, Targets: []BlockID{3, 0, 3}}}},
		{Instructions: []*Instruction{{Op: OpBra, Guard: Guard{Present: true}, Targets: []BlockID{3}}}},
		{Instructions: []*Instruction{{Op: OpExit}}},
	}}
	f.Connect(nil)
	assert.Equal(t, []BlockID{2, 1}, f.Blocks[0].Successors)
	assert.Equal(t, []BlockID{3, 0}, f.Blocks[1].Successors)
	assert.Equal(t, []BlockID{3}, f.Blocks[2].Successors)
	assert.Empty(t, f.Blocks[3].Successors)
	assert.Equal(t, BlockID(3), f.Blocks[0].Reconverge)
	assert.Equal(t, BlockID(-1), f.Blocks[3].Reconverge)
}
