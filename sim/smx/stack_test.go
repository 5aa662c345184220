package smx

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBranchAllTakenOrNone(t *testing.T) {
	var s stack
	s.reset(0xff)
	assert.False(t, s.branch(0xff, 10, 1, 20))
	assert.Equal(t, entry{10, noIndex, 0xff, 0}, *s.top())
	assert.False(t, s.branch(0, 30, 11, 20))
	assert.Equal(t, entry{11, noIndex, 0xff, 0}, *s.top())
}

func TestBranchDivergesAndMeets(t *testing.T) {
	var s stack
	s.reset(0xff)
	require.True(t, s.branch(0x0f, 10, 1, 20))
	assert.Equal(t, entry{1, 20, 0xf0, 0}, *s.top(), "the fall-through runs first")
	s.advance(20)
	assert.Equal(t, entry{10, 20, 0x0f, 0}, *s.top())
	s.advance(20)
	assert.Equal(t, entry{20, noIndex, 0xff, 0}, *s.top())
}

func TestLoopExitsOneByOneKeepTheStackShallow(t *testing.T) {
	var s stack
	s.reset(isaFull)
	// The loop's backward branch at 5 goes to 0; lanes leave one at a time to 6, where all meet.
	for lane := range 31 {
		s.advance(5)
		s.branch(s.top().mask&^(1<<lane), 0, 6, 6)
		require.LessOrEqual(t, len(s.entries), 2)
		require.Equal(t, int32(0), s.top().pc)
	}
	s.advance(5)
	s.branch(0, 0, 6, 6)
	assert.Equal(t, []entry{{6, noIndex, isaFull, 0}}, s.entries)
}

func TestExitInOneBranchLeavesTheOther(t *testing.T) {
	var s stack
	s.reset(0xff)
	s.branch(0x0f, 10, 1, noIndex)
	assert.False(t, s.exit(0xf0, 2))
	assert.Equal(t, uint32(0x0f), s.top().mask)
	assert.Equal(t, int32(10), s.top().pc)
	assert.Equal(t, uint32(0x0f), s.live())
	assert.True(t, s.exit(0x0f, 11))
}

func TestGuardedExitGoesOn(t *testing.T) {
	var s stack
	s.reset(0xff)
	assert.False(t, s.exit(0x3, 1))
	assert.Equal(t, entry{1, noIndex, 0xfc, 0}, *s.top())
}

func TestIndexedBranchSplitsByTarget(t *testing.T) {
	var s stack
	s.reset(0xf)
	targets := [32]int32{7, 9, 7, 8}
	require.True(t, s.index(&targets, 20))
	seen := map[int32]uint32{}
	for s.top().reconverge == 20 {
		seen[s.top().pc] = s.top().mask
		s.advance(20)
	}
	assert.Equal(t, map[int32]uint32{7: 0b0101, 9: 0b0010, 8: 0b1000}, seen)
	assert.Equal(t, entry{20, noIndex, 0xf, 0}, *s.top())
}

// Random structured programs: every lane passes through every point of its own path, whatever the others do.
func TestRandomBranchesRunEveryLaneOnItsPath(t *testing.T) {
	state := uint64(7)
	random := func(n uint64) uint64 {
		state = state*6364136223846793005 + 1442695040888963407
		return (state >> 33) % n
	}
	for range 2000 {
		// An if-then-else nest of depth d: node n branches at pc 4n to 4(2n+1) or 4(2n+2) and meets at 4n+3.
		const depth = 4
		conditions := map[int32]uint32{}
		var s stack
		live := uint32(random(1 << 32))
		if live == 0 {
			continue
		}
		s.reset(live)
		visits := map[int32]uint32{}
		for steps := 0; s.top().pc != 3; steps++ {
			require.Less(t, steps, 10_000)
			pc, mask := s.top().pc, s.top().mask
			node := pc / 4
			switch {
			case pc%4 == 3: // met: go on to the parent's meeting point
				s.advance((node-1)/2*4 + 3)
			case node >= 1<<depth-1: // a leaf
				visits[node] |= mask
				s.advance((node-1)/2*4 + 3)
			default:
				if _, ok := conditions[node]; !ok {
					conditions[node] = uint32(random(1 << 32))
				}
				s.branch(mask&conditions[node], (2*node+1)*4, (2*node+2)*4, node*4+3)
			}
		}
		assert.Equal(t, live, s.top().mask)
		for m := live; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			node := int32(0)
			for node < 1<<depth-1 {
				if conditions[node]>>lane&1 != 0 {
					node = 2*node + 1
				} else {
					node = 2*node + 2
				}
			}
			require.NotZero(t, visits[node]>>lane&1)
		}
	}
}

const isaFull = ^uint32(0)

// Lanes that call different functions run one function after the other, return one by one, and go on together behind the call.
func TestCallsAndReturnsOnTheStack(t *testing.T) {
	var s stack
	s.reset(0xff)
	s.top().pc = 6
	s.call(0x0f, 100, frame{section: 1})
	s.call(0xf0, 200, frame{section: 2})
	assert.Equal(t, int32(200), s.top().pc)
	require.True(t, s.branch(0x30, 210, 201, noIndex), "paths that meet only at the return")
	s.giveBack(0xc0, 202)
	assert.Equal(t, entry{210, noIndex, 0x30, 2}, *s.top())
	s.giveBack(0x10, 211)
	assert.Equal(t, entry{211, noIndex, 0x20, 2}, *s.top())
	s.giveBack(0x20, 212)
	assert.Equal(t, entry{100, noIndex, 0x0f, 1}, *s.top())
	assert.Len(t, s.frames, 2)
	assert.False(t, s.exit(0x03, 101), "lanes that exit inside a call never return")
	s.giveBack(0x0c, 102)
	assert.Equal(t, entry{6, noIndex, 0xfc, 0}, *s.top())
	assert.Len(t, s.frames, 1)
}
