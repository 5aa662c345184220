package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
)

// Latencies of Jia et al. 2018 (K80): an L2 hit in their table 3.1, and the plateaus of global loads over growing footprints in figure
// 3.12. The long strides make all lines fit in L2, so only the translations differ.
func TestLatencies(t *testing.T) {
	const mega = 1 << 20
	for _, test := range []struct {
		name              string
		footprint, stride uint64
		published         float64
	}{
		{"L2 hit", mega, 128, 200},
		{"reach of the second TLB level", 96 * mega, 2*mega + 128, 230},
		{"reach of the third TLB level", 1900 * mega, 2*mega + 128, 340},
		{"page walks", 6000 * mega, 2*mega + 128, 500},
	} {
		latency := chaseLatency(t, load(t, "k80", "dram.ecc=false"), test.footprint, test.stride, 3)
		t.Logf("%s: %.1f cycles, published %.0f", test.name, latency, test.published)
		require.InEpsilon(t, test.published, latency, 0.05, test.name)
	}
}

// streamTriad returns the rate of a[i] = b[i] + s·c[i] on f64, in MB/s as STREAM counts: three arrays moved once each.
func streamTriad(t testing.TB, name string, ecc bool) (float64, *System) {
	overrides := []string{"dram.ecc=false"}
	if ecc {
		overrides[0] = "dram.ecc=true"
	}
	if name == "k80" { // it boosts by default
		overrides = append(overrides, "clocks.core=875")
	}
	cfg := load(t, name, overrides...)
	s := New(cfg, NewGlobal(cfg))
	const bytes = 12 << 20
	const warpBytes = 256
	lines := func(base uint64, warp int, into []uint64) []uint64 {
		a := firstAddress + base + uint64(warp)*warpBytes
		return append(into, a, a+128)
	}
	const apart = 256<<20 + 512 // arrays of 2^25 elements, one allocation after the other
	cores := newStreams(cfg, bytes/warpBytes/streamBlock,
		func(w int, into []uint64) []uint64 { return lines(2*apart, w, lines(apart, w, into)) },
		func(w int, into []uint64) []uint64 { return lines(0, w, into) })
	end := drive(t, s, cores)
	// Dirty lines of L2 have not been moved.
	c := s.Counters(houseAccount)
	moved := float64(c.DRAMReadSectors+c.DRAMWriteSectors) * SectorBytes
	require.EqualValues(t, 2*bytes/SectorBytes, c.DRAMReadSectors)
	return moved / (float64(end) / float64(cfg.Clocks.Core)), s
}

// STREAM triad on real boards (KEPLER.md's sources: GPU-STREAM, f64 arrays of 2^25 elements).
func TestStreamTriad(t *testing.T) {
	for _, test := range []struct {
		board     string
		ecc       bool
		published float64
	}{
		{"k20", false, 173_616}, {"k20", true, 150_598},
		{"k40", false, 220_663}, {"k40", true, 191_240},
		{"k80", false, 203_422}, {"k80", true, 176_954},
	} {
		rate, s := streamTriad(t, test.board, test.ecc)
		c := s.Counters(houseAccount)
		t.Logf("%s ecc %v: %.0f MB/s, published %.0f (%+.1f %%); row hits %d misses %d conflicts %d, turns %d, refreshes %d, mean "+
			"queue %.1f", test.board, test.ecc, rate, test.published,
			100*(rate/test.published-1), c.RowHits, c.RowMisses, c.RowConflicts, c.DRAMTurnarounds, c.DRAMRefreshes,
			float64(c.DRAMQueueDepthSum)/float64(c.DRAMQueueSamples))
		require.InEpsilon(t, test.published, rate, 0.05, "%s ecc %v", test.board, test.ecc)
	}
}

// L2 read throughput of one GPU of a K80, 339 GB/s (Jia et al. 2018), at its highest clock.
func TestL2Bandwidth(t *testing.T) {
	cfg := load(t, "k80", "clocks.core=875")
	s := New(cfg, NewGlobal(cfg))
	const footprint, passes, warpBytes = 1 << 20, 12, 256
	s.HostWrite(firstAddress, footprint)
	cores := newStreams(cfg, passes*footprint/warpBytes/streamBlock,
		func(w int, into []uint64) []uint64 {
			a := firstAddress + uint64(w)*warpBytes%footprint
			return append(into, a, a+128)
		}, func(_ int, into []uint64) []uint64 { return into })
	end := drive(t, s, cores)
	rate := passes * footprint / (float64(end) / 875) / 1000
	t.Logf("%.0f GB/s, published 339", rate)
	require.InEpsilon(t, 339, rate, 0.10)
}

// single sends one request again and again.
type single struct {
	request Request
	times   int
	waiting bool
	sent    engine.Cycle
	latency engine.Cycle // of the last one
}

func (c *single) done() bool { return c.times == 0 }
func (c *single) next(now engine.Cycle) (Request, bool) {
	if c.waiting || c.times == 0 {
		return Request{}, false
	}
	c.waiting, c.sent = true, now
	return c.request, true
}
func (c *single) respond(_ Response, now engine.Cycle) {
	c.latency = now - c.sent
	c.waiting = false
	c.times--
}

// Cost of lanes on one word in a global atomic add, beyond a load: Jia et al. 2018 (K80).
func TestAtomicsByContention(t *testing.T) {
	cfg := load(t, "k80")
	for lanes, published := range map[int]float64{1: 29, 2: 69, 4: 96, 8: 152, 16: 264, 32: 488} {
		measure := func(kind exec.AccessKind, request RequestKind) engine.Cycle {
			g := NewGlobal(cfg)
			address, err := g.Allocate("word", 256)
			require.NoError(t, err)
			a := &exec.Access{Kind: kind, Bytes: 4, Active: uint32(1<<lanes - 1), Operation: isa.AtomicAdd, Type: isa.U32}
			for lane := range lanes {
				a.Address[lane] = address
				a.Data[0][lane] = 1
			}
			c := &single{request: Request{Kind: request, Line: address &^ 127, Sectors: 1, Lanes: a.Active, Access: a}, times: 3}
			drive(t, New(cfg, g), []core{c})
			return c.latency
		}
		cost := measure(exec.AccessAtomic, RequestAtomic) - measure(exec.AccessLoad, RequestLoad)
		t.Logf("%d lanes: %d cycles, published %.0f", lanes, cost, published)
		require.InEpsilon(t, published, float64(cost), 0.10, "%d lanes", lanes)
	}
}
