package memory

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// depth is the depth of the tree.
func (p *piece) depth() int {
	if p == nil {
		return 0
	}
	return 1 + max(p.left.depth(), p.right.depth())
}

// lowest returns the address that place has to find, from a scan of all pieces.
func lowest(base uint64, list []Allocation, bytes, alignment uint64) uint64 {
	at := base
	for _, a := range list {
		if roundUp(at+bytes+guardBytes, alignment) <= roundDown(a.Address, alignment) {
			break
		}
		at = roundUp(a.Address+a.Bytes+guardBytes, alignment)
	}
	return at
}

// The tree finds the same as a scan of a list: places, neighbours, and the piece at an address.
func TestAllocationsAgainstAList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tree, list := allocations{base: firstAddress}, []Allocation(nil)
	for range 5000 {
		if len(list) > 0 && random.IntN(5) < 2 {
			i := random.IntN(len(list))
			require.Equal(t, list[i], tree.remove(list[i].Address).Allocation)
			list = slices.Delete(list, i, i+1)
			continue
		}
		bytes, alignment := 1+random.Uint64N(1<<random.IntN(16)), uint64(256)<<(4*random.IntN(2))
		at := tree.place(bytes, alignment)
		require.Equal(t, lowest(firstAddress, list, bytes, alignment), at)
		made := Allocation{Address: at, Bytes: bytes}
		tree.add(made)
		i, _ := slices.BinarySearchFunc(list, at, func(a Allocation, at uint64) int { return int(int64(a.Address - at)) })
		list = slices.Insert(list, i, made)
		if p := tree.next(at); i+1 < len(list) {
			require.Equal(t, list[i+1], p.Allocation)
		} else {
			require.Nil(t, p)
		}
		require.Equal(t, made, tree.last(at+bytes-1).Allocation)
	}
	assert.Equal(t, list, tree.list())
	assert.Nil(t, tree.remove(1))
}

// Operations take logarithmic time: with 65,536 pieces, made and freed one after another as programs do, the tree is at most some forty
// deep, where the best tree has a depth of 16.
func TestAllocationsStayBalanced(t *testing.T) {
	tree := allocations{base: firstAddress}
	for range 1 << 16 {
		tree.add(Allocation{Address: tree.place(1000, 256), Bytes: 1000})
	}
	assert.Less(t, tree.root.depth(), 48)
	for p := tree.last(firstAddress); p != nil; p = tree.next(tree.next(p.Address).Address) { // every second piece
		tree.remove(p.Address)
	}
	assert.Less(t, tree.root.depth(), 48)
	assert.Equal(t, firstAddress, tree.place(1000, 256))
}

// A search for room skips subtrees without any: among 65,536 holes that are too small it takes less than sixteen times as long as among 64.
// In a list it would take a thousand times as long.
func TestSearchesForRoomPassOverSmallHoles(t *testing.T) {
	search := func(holes int) time.Duration {
		tree := allocations{base: firstAddress}
		for i := range uint64(holes) {
			tree.add(Allocation{Address: firstAddress + 4096*i, Bytes: 1000})
		}
		least := time.Hour
		for range 20 {
			began := time.Now()
			for range 100 {
				tree.place(5000, 256)
			}
			least = min(least, time.Since(began))
		}
		return least
	}
	few := search(64)
	assert.Less(t, search(1<<16), 16*few)
}
