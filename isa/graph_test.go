package isa

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// randomFunction makes a function of n blocks that end in branches, guarded or not, exits, guarded exits, or fall through.
func randomFunction(r *rand.Rand, n int) *Function {
	f := &Function{}
	guard := Guard{Present: true}
	for i := range n {
		b := &Block{Instructions: []*Instruction{{Op: OpAdd}}}
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

// naivePostDominators computes by definition: b post-dominates a when no path from a to the exit avoids b.
func naivePostDominators(f *Function) []BlockID {
	n := len(f.Blocks)
	reachesExit := func(from, avoiding int) bool {
		if from == avoiding {
			return false
		}
		seen := make([]bool, n)
		seen[from] = true
		work := []int{from}
		for len(work) > 0 {
			b := f.Blocks[work[0]]
			work = work[1:]
			last := b.Instructions[len(b.Instructions)-1]
			if last.Op == OpExit {
				return true
			}
			for _, s := range b.Successors {
				if !seen[s] && int(s) != avoiding {
					seen[s] = true
					work = append(work, int(s))
				}
			}
		}
		return false
	}
	postDominates := func(b, a int) bool { return a != b && reachesExit(a, -1) && !reachesExit(a, b) }
	out := make([]BlockID, n)
	for a := range n {
		out[a] = -1
		for b := range n {
			if !postDominates(b, a) || !reachesExit(b, -1) {
				continue
			}
			immediate := true
			for c := range n {
				if c != b && postDominates(c, a) && postDominates(b, c) {
					immediate = false
				}
			}
			if immediate {
				out[a] = BlockID(b)
			}
		}
	}
	return out
}

// TestPostDominators compares with the definition on random graphs, loops without exits among them.
func TestPostDominators(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	meets := 0
	for range 3000 {
		f := randomFunction(r, 1+r.IntN(12))
		f.Connect()
		want := naivePostDominators(f)
		for i, b := range f.Blocks {
			if !assert.Equal(t, want[i], b.Reconverge, "block %d of\n%s", i, f.Listing()) {
				return
			}
			if want[i] >= 0 {
				meets++
			}
			for _, s := range b.Successors {
				assert.Contains(t, f.Blocks[s].Predecessors, b.ID)
			}
		}
	}
	assert.Greater(t, meets, 3000)
}

// TestSuccessors: branch targets first, fall-through last, each once.
func TestSuccessors(t *testing.T) {
	f := &Function{Blocks: []*Block{
		{Instructions: []*Instruction{{Op: OpBra, Guard: Guard{Present: true}, Targets: []BlockID{2}}}},
		{Instructions: []*Instruction{{Op: OpBrx, Targets: []BlockID{3, 0, 3}}}},
		{Instructions: []*Instruction{{Op: OpBra, Guard: Guard{Present: true}, Targets: []BlockID{3}}}},
		{Instructions: []*Instruction{{Op: OpExit}}},
	}}
	f.Connect()
	assert.Equal(t, []BlockID{2, 1}, f.Blocks[0].Successors)
	assert.Equal(t, []BlockID{3, 0}, f.Blocks[1].Successors)
	assert.Equal(t, []BlockID{3}, f.Blocks[2].Successors)
	assert.Empty(t, f.Blocks[3].Successors)
	assert.Equal(t, BlockID(3), f.Blocks[0].Reconverge)
	assert.Equal(t, BlockID(-1), f.Blocks[3].Reconverge)
}
