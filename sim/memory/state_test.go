package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// Restored memory has every byte and every allocation, and places new allocations as the original would.
func TestRestoredMemoryGoesOn(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	g, random := NewGlobal(config), rand.New(rand.NewPCG(3, 4))
	contents := map[uint64][]byte{}
	for range 60 {
		data := make([]byte, 1+random.IntN(300_000))
		address, err := g.Allocate("some", uint64(len(data)))
		require.NoError(t, err)
		if random.IntN(3) > 0 {
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			require.NoError(t, g.Write(address, data))
		}
		if contents[address] = data; random.IntN(4) == 0 {
			require.NoError(t, g.Free(address))
			delete(contents, address)
		}
	}
	other := NewGlobal(config)
	require.NoError(t, other.Restore(g.State()))
	assert.Equal(t, g.Used(), other.Used())
	assert.Equal(t, g.Version(), other.Version())
	for address, want := range contents {
		got := make([]byte, len(want))
		require.NoError(t, other.Read(address, got))
		require.Equal(t, want, got)
		assert.False(t, other.Find(address, len(want)+256+len(want)%256), "what lies behind is apart")
	}
	one, err := g.Allocate("next", 5000)
	require.NoError(t, err)
	two, err := other.Allocate("next", 5000)
	require.NoError(t, err)
	assert.Equal(t, one, two)
}

// Explain describes an address of the heap: in use, beyond the requested size, freed, or no block.
func TestHeapExplains(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	g := NewGlobal(config)
	h, err := g.NewHeap(1 << 14)
	require.NoError(t, err)
	kept, gone := h.Malloc(100, "line 7"), h.Malloc(50, "line 8")
	require.NoError(t, h.Free(gone, "line 9"))
	assert.Same(t, h, g.Heap())
	require.Len(t, h.Blocks(), 1)
	assert.Equal(t, kept, h.Blocks()[0].Address)
	assert.True(t, h.Freed(gone+20))
	assert.False(t, h.Freed(kept))
	assert.True(t, h.Beyond(kept+98, 4))
	assert.False(t, h.Beyond(kept+96, 4))
	assert.Contains(t, g.Explain(kept+4), "it is 4 bytes into the 100 bytes")
	assert.Contains(t, g.Explain(gone), "use after free: 50 bytes")
	assert.Contains(t, g.Explain(gone), "freed by line 9")
	assert.Empty(t, g.Explain(kept-1<<20))
}

// The passes of each request are the most rows that one bank gives.
func TestRowsAreThePasses(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	banks, random := NewSharedBanks(config), rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		size, mode, spread := 1<<random.IntN(5), 4<<random.IntN(2), 1<<(1+random.IntN(9))
		a := access(size, func(int) uint64 { return uint64(random.IntN(spread) * size) })
		a.Active = random.Uint32() | 1
		requests, passes := SharedPasses(a, mode, &banks)
		rows := SharedRows(a, mode, &banks)
		require.Len(t, rows, requests)
		sum := 0
		for i := range rows {
			most := uint8(0)
			for _, n := range rows[i] {
				most = max(most, n)
			}
			sum += int(most)
		}
		require.Equal(t, passes, sum)
	}
}
