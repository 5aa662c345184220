package memory

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// Blocks never overlap, are aligned, and are usable exactly while in use. In the end everything fits again.
func TestHeapBlocks(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	g := NewGlobal(config)
	const size = 1 << 14
	h, err := g.NewHeap(size)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	taken := map[uint64]uint64{}
	nulls := 0
	for range 5000 {
		if random.IntN(5) < 3 {
			bytes := 1 + random.Uint64N(700)
			address := h.Malloc(bytes, "a test")
			if address == 0 {
				nulls++
				continue
			}
			require.Zero(t, address%16)
			for other, n := range taken {
				require.True(t, address >= other+n || other >= address+bytes, "blocks overlap")
			}
			taken[address] = bytes
			require.True(t, g.Find(address, int(bytes)))
			require.False(t, g.Find(address, int(bytes)+16), "the guard behind a block is not part of it")
			continue
		}
		for address := range taken { // any one
			require.NoError(t, h.Free(address, "a test"))
			require.False(t, g.Find(address, 1))
			require.ErrorContains(t, h.Free(address, "again"), "double free")
			delete(taken, address)
			break
		}
	}
	assert.Positive(t, nulls, "the heap was never full")
	reach := g.Reach(h.base)
	require.Equal(t, [2]uint64{h.base, h.bytes}, [2]uint64{reach.From, reach.Bytes})
	for n, live := range unsafe.Slice((*byte)(reach.Live), h.bytes/granule) { // for machine code
		require.Equal(t, g.Find(h.base+uint64(n)*granule, granule), live == 1)
	}
	for address := range taken {
		require.NoError(t, h.Free(address, "a test"))
	}
	assert.Zero(t, h.Used())
	assert.NotZero(t, h.Malloc(size-heapGuard, "a test"), "free pieces join")
	assert.Zero(t, h.Malloc(1, "a test"))
	assert.Zero(t, h.Malloc(0, "a test"))
	require.NoError(t, h.Free(0, "a test"))
	assert.ErrorContains(t, h.Free(64, "a test"), "malloc has not returned")
}
