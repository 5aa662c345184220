package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Reads of mapped memory by all SMXs run at the link's rate, with writes in the other direction at the same time. A single read takes the
// link's round trip. L2 keeps nothing: a second round crosses the link again. DRAM has no part.
func TestMappedMemoryCrossesTheLink(t *testing.T) {
	cfg := load(t, "k40c", "copies.mapped_latency=2")
	const lines = 40_000
	for _, stores := range []int{0, 1} {
		g := NewGlobal(cfg)
		address, err := g.AllocateAt(Mapped, "host", 256*lines, 256)
		require.NoError(t, err)
		s := New(cfg, g)
		read := func(warp int, into []uint64) []uint64 { return append(into, address+uint64(warp)*128) }
		write := func(warp int, into []uint64) []uint64 {
			if stores > 0 {
				into = append(into, address+uint64(lines+warp)*128)
			}
			return into
		}
		cycles := drive(t, s, newStreams(cfg, lines/streamBlock, read, write))
		microseconds := float64(cycles) / float64(cfg.Clocks.Core)
		assert.InEpsilon(t, float64(cfg.Copies.ToDevice), lines*128/microseconds, 0.02, "MB/s, with %d stores a load", stores)
		m := s.Counters(houseAccount)
		assert.EqualValues(t, 4*lines, m.HostReadSectors)
		assert.EqualValues(t, 4*lines*stores, m.HostWriteSectors)
		assert.Zero(t, m.DRAMReadSectors+m.DRAMWriteSectors+m.L2WriteBackSectors)
	}
	g := NewGlobal(cfg)
	address, err := g.AllocateAt(Mapped, "host", 1<<20, 256)
	require.NoError(t, err)
	check := int(float64(cfg.DRAM.Bytes) * cfg.DRAM.ECCCapacityPercent / 100)
	assert.EqualValues(t, cfg.DRAM.Bytes, int(g.Capacity())+check, "the device's memory is all there")
	c := &chase{rounds: 3}
	for a := uint64(0); a < 64; a++ {
		c.addresses = append(c.addresses, address+a*128)
	}
	s := New(cfg, g)
	drive(t, s, []core{c})
	latency := float64(c.sum) / float64(c.count)
	way := float64(cfg.Interconnect.RequestLatency + cfg.Interconnect.ResponseLatency)
	assert.InDelta(t, 2*float64(cfg.Clocks.Core)+way, latency, 20, "two microseconds, and the way to L2")
	assert.EqualValues(t, 3*64, s.Counters(houseAccount).HostReadSectors)
}
