package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// neighbours returns the memories of two devices with different addresses. The first reaches the second's.
func neighbours(t *testing.T, cfg *configs.Config) (g, peer *Global) {
	t.Helper()
	const part = 64 << 20
	arena := func(n uint64) *Global {
		bytes := make([]byte, part)
		made := NewGlobal(cfg)
		zero := func(from, to uint64) error { clear(bytes[from:to]); return nil }
		made.UseArena(&Arena{Base: firstAddress + n*part, Bytes: bytes, Zero: zero})
		return made
	}
	g, peer = arena(0), arena(1)
	g.AddPeer(peer)
	return g, peer
}

// Reads of a peer's memory by all SMXs run at the rate of a K80's switch, 11.3 GB/s, whatever the host's link has. L2 keeps none of the
// lines, and the host and both devices' DRAM have no part.
func TestPeerMemoryCrossesTheSwitch(t *testing.T) {
	cfg := load(t, "k80", "copies.to_device=3000")
	const lines = 40_000
	g, peer := neighbours(t, cfg)
	address, err := peer.Allocate("there", 128*lines)
	require.NoError(t, err)
	s := New(cfg, g)
	read := func(warp int, into []uint64) []uint64 { return append(into, address+uint64(warp)*128) }
	none := func(_ int, into []uint64) []uint64 { return into }
	cycles := drive(t, s, newStreams(cfg, lines/streamBlock, read, none))
	microseconds := float64(cycles) / float64(cfg.Clocks.Core)
	assert.InEpsilon(t, 11341, lines*128/microseconds, 0.02, "MB/s")
	m := s.Counters(houseAccount)
	assert.EqualValues(t, 4*lines, m.PeerReadSectors)
	assert.Zero(t, m.PeerWriteSectors+m.HostReadSectors+m.DRAMReadSectors)
}

// A peer's memory is found, read and written while it is a peer, and the version covers its allocations.
func TestPeers(t *testing.T) {
	g, peer := neighbours(t, load(t, "k80"))
	own, err := g.Allocate("here", 256)
	require.NoError(t, err)
	seen := map[uint64]bool{g.Version(): true}
	fresh := func() {
		t.Helper()
		assert.False(t, seen[g.Version()], "version %d is not new", g.Version())
		seen[g.Version()] = true
	}
	other, err := peer.Allocate("there", 256)
	require.NoError(t, err)
	fresh()
	assert.True(t, g.Find(own, 256) && g.Find(other, 256))
	assert.False(t, g.Find(other, 257))
	assert.False(t, peer.Find(own, 4), "one way alone")
	assert.Equal(t, other, g.Reach(other+8).From)
	require.NoError(t, peer.Free(other))
	fresh()
	assert.False(t, g.Find(other, 4))
	_, err = peer.Allocate("there", 256)
	require.NoError(t, err)
	fresh()
	assert.True(t, g.HasPeer(peer))
	g.RemovePeer(peer)
	fresh()
	assert.False(t, g.HasPeer(peer) || g.Find(other, 4))
	g.AddPeer(peer)
	fresh()
	g.RemovePeer(peer)
	fresh()
}
