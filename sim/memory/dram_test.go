package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// What a profiler counts on a K40c with ECC on when a kernel writes pieces of 1, 2 or 4 neighbouring sectors, each long after
// its neighbours: 2.0, 1.5 and 1.25 times the data (matrix products in blocks of 8, 16 and 32 threads across, n = 512).
func TestCheckBitsOfPieces(t *testing.T) {
	for piece, published := range map[int]float64{1: 65060. / 32768, 2: 48867. / 32768, 4: 40840. / 32768} {
		c := newCheckBits(8, 1, 100, 2)
		data, check := 0, 0
		for i := range 1000 {
			for at := 0; at < 8; at += piece {
				data += piece
				check += c.sectors(&dramRequest{block: c.block(uint32(i%50*8 + at)), write: true}, nil, engine.Tick((i*8+at)*1000))
			}
		}
		require.InEpsilon(t, published, float64(data+check)/float64(data), 0.01)
	}
	var off *checkBits
	require.Zero(t, off.sectors(&dramRequest{}, nil, 0), "without ECC")
}

// Check bits serve what waits for the same block, what comes soon, and nothing that goes the other way.
func TestCheckBitsAreShared(t *testing.T) {
	c := newCheckBits(8, 1, 100, 2)
	waiting := []dramRequest{{block: c.block(4)}, {block: c.block(8)}}
	require.Equal(t, 1, c.sectors(&dramRequest{block: c.block(0)}, waiting, 1000))
	require.True(t, waiting[0].checked)
	require.False(t, waiting[1].checked, "another block")
	require.Zero(t, c.sectors(&waiting[0], nil, 5000))
	require.Zero(t, c.sectors(&dramRequest{block: c.block(7)}, nil, 1099))
	require.Equal(t, 1, c.sectors(&dramRequest{block: c.block(7), write: true}, nil, 1099))
	require.Equal(t, 1, c.sectors(&dramRequest{block: c.block(7)}, nil, 1100))
}

// testChannel is one channel of a GK110 without refresh.
func testChannel(t testing.TB, overrides ...string) (*channel, *stats.Memory) {
	cfg := load(t, "gk110", append(overrides, "dram.timing.refi=100000")...)
	addresses := newAddressMap(cfg)
	counts := &stats.Memory{}
	return newChannel(cfg, cfg.DRAM.Channels-1, &addresses, counts), counts
}

// The times of single accesses follow from the standard's parameters.
func TestCommandTimes(t *testing.T) {
	c, _ := testChannel(t)
	p := c.timing
	decide := func(address uint64, write bool, now engine.Tick) engine.Tick {
		c.enqueue(dramRequest{arrived: now, sectors: 1, write: write}, address)
		decided, count, _ := c.decide(now)
		require.Equal(t, 1, count)
		return decided[0].done - now
	}
	require.EqualValues(t, p.RCD+p.CL+2, decide(0, false, 1000), "a closed bank: activate, read")
	require.EqualValues(t, p.CL+2, decide(64, false, 2000), "the row is open")
	require.EqualValues(t, p.CWL+2, decide(128, true, 3000), "a write")
	conflict := otherRow(c)
	require.EqualValues(t, p.RP+p.RCD+p.CL+2, decide(conflict, false, 4000), "another row is open: precharge, activate, read")
	require.EqualValues(t, p.CL+2, decide(conflict+64, false, 5000))
}

// otherRow is an address of the bank of address 0, in another row.
func otherRow(c *channel) uint64 {
	bank, first := c.addresses.bank(0)
	for other := uint64(4096); ; other += 256 {
		if b, r := c.addresses.bank(other); b == bank && r != first {
			return other
		}
	}
}

// A stream keeps the bus full, with whole lines and with one sector of each, since bank groups alternate; lines of one bank
// group alone only reach the group's rate.
func TestStreamsFillTheBus(t *testing.T) {
	for _, test := range []struct {
		name     string
		sectors  uint8
		oneGroup bool
		ticks    float64 // a burst
	}{{"lines", 0b1111, false, 2}, {"a sector of each line", 0b0100, false, 2}, {"one bank group", 0b1111, true, 3}} {
		c, counts := testChannel(t)
		now := engine.Tick(0)
		var done engine.Tick
		for i, sent := uint64(0), 0; sent < 2000; i++ {
			if b, _ := c.addresses.bank(i * 128); test.oneGroup && c.banks[b].group != 0 {
				continue
			}
			c.enqueue(dramRequest{arrived: now, sectors: test.sectors}, i*128)
			for sent++; c.waiting() > 40; {
				decided, count, next := c.decide(now)
				done, now = max(done, decided[count-1].done), next
			}
		}
		require.InEpsilon(t, test.ticks, float64(done)/float64(counts.DRAMReadSectors), 0.03, test.name)
		require.EqualValues(t, counts.DRAMReadSectors*2, counts.DRAMBusyTicks)
	}
}

// First ready first come first served passes a request to a closed row by, but not for ever.
func TestRowHitsPassUntilTheLimit(t *testing.T) {
	c, _ := testChannel(t, "dram.starvation_limit=500")
	c.enqueue(dramRequest{arrived: 0, sectors: 1}, 0)
	c.decide(0)
	other := otherRow(c)
	c.enqueue(dramRequest{arrived: 10, sectors: 1, line: 77}, other)
	now := engine.Tick(10)
	// One that wants the open row waits at any time, or the channel would open the other ahead.
	c.enqueue(dramRequest{arrived: now, sectors: 1}, 64)
	for i := range 200 {
		c.enqueue(dramRequest{arrived: now, sectors: 1}, uint64(32*(i%8)))
		decided, count, _ := c.decide(now)
		for _, r := range decided[:count] {
			if r.line == 77 {
				require.InDelta(t, 510, float64(now), 20)
				return
			}
		}
		now += 10
	}
	t.Fatal("never served")
}
