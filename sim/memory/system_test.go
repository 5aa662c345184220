package memory

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
)

// noise sends random requests of all kinds and checks that each is answered once, in time.
type noise struct {
	t         testing.TB
	random    *rand.Rand
	lines     uint64
	left      int
	limit     int
	sent      []engine.Cycle // by tag; -1 once answered
	kinds     []RequestKind
	flying    int
	readAsked int // sectors of loads and fills
	writes    int // sectors of stores and write-backs
	atomics   int // sectors
	log       []Response
}

func (n *noise) done() bool { return n.left == 0 }

func (n *noise) next(now engine.Cycle) (Request, bool) {
	if n.left == 0 || n.flying >= n.limit || n.random.IntN(3) == 0 {
		return Request{}, false
	}
	n.left--
	n.flying++
	r := Request{Kind: RequestKind(n.random.IntN(6)), Line: firstAddress + 128*(n.random.Uint64()%n.lines),
		Sectors: uint8(1 + n.random.IntN(15)), Lanes: isa.FullMask, Tag: uint32(len(n.sent))}
	r.Source = Source(n.random.IntN(5))
	sectors := bits.OnesCount8(r.Sectors)
	switch r.Kind {
	case RequestLoad, RequestFill:
		n.readAsked += sectors
	case RequestStore, RequestWriteBack:
		n.writes += sectors
	default:
		n.atomics += sectors
	}
	n.sent = append(n.sent, now)
	n.kinds = append(n.kinds, r.Kind)
	return r, true
}

func (n *noise) respond(r Response, now engine.Cycle) {
	require.Less(n.t, int(r.Tag), len(n.sent))
	require.GreaterOrEqual(n.t, n.sent[r.Tag], engine.Cycle(0), "answered twice")
	require.Greater(n.t, now, n.sent[r.Tag])
	require.Equal(n.t, n.kinds[r.Tag], r.Kind)
	n.sent[r.Tag] = -1
	n.flying--
	n.log = append(n.log, r)
}

func noises(t testing.TB, cfg *configs.Config, seed uint64, requests int) []core {
	var cores []core
	for i := range cfg.SMX.Count {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		cores = append(cores, &noise{
			t: t, random: random, lines: 1 << (6 + random.IntN(14)), left: requests, limit: 1 + random.IntN(cfg.LoadStore.Outstanding),
		})
	}
	return cores
}

// Every request is answered exactly once, and sectors are conserved from level to level. The sectors requested are those that L2 had, those
// in flight, and those from DRAM. The sectors written went to DRAM or are still in L2.
func TestConservation(t *testing.T) {
	for seed, name := range []string{"gk110", "gk104", "k40", "gk210", "gk20a", "gk208", "k20"} {
		cfg := load(t, name)
		s := New(cfg, NewGlobal(cfg))
		cores := noises(t, cfg, uint64(seed), 1500)
		drive(t, s, cores)
		require.True(t, s.Idle())
		require.Equal(t, engine.Never, s.NextEvent())
		asked, written, atomics, sent := 0, 0, 0, 0
		for _, c := range cores {
			n := c.(*noise)
			for tag, when := range n.sent {
				require.EqualValues(t, -1, when, "%s: request %d was never answered", name, tag)
			}
			asked, written, atomics, sent = asked+n.readAsked, written+n.writes, atomics+n.atomics, sent+len(n.sent)
		}
		c := s.Counters(houseAccount)
		require.EqualValues(t, sent, c.Requests)
		require.EqualValues(t, sent, c.Responses)
		require.EqualValues(t, asked, c.L2ReadSectors)
		require.EqualValues(t, atomics, c.L2AtomicSectors)
		require.EqualValues(t, written, c.L2WriteSectors)
		require.EqualValues(
			t, asked+atomics, c.L2ReadSectorHits+c.L2AtomicSectorHits+c.L2ReadSectorsMerged+c.DRAMReadSectors-c.L2PrefetchSectors, name,
		)
		require.EqualValues(t, c.L2WriteBackSectors, c.DRAMWriteSectors, name)
		require.EqualValues(t, c.DRAMReadRequests+c.DRAMWriteRequests, c.RowHits+c.RowMisses+c.RowConflicts, name)
		var bySource uint64
		for source := range c.L2ReadSectorsBy {
			bySource += c.L2ReadSectorsBy[source] + c.L2WriteSectorsBy[source]
		}
		require.Equal(t, c.L2ReadSectors+c.L2WriteSectors, bySource)
		if !cfg.DRAM.ECC {
			require.Zero(t, c.ECCReadSectors+c.ECCWriteSectors)
		}
		for _, sl := range s.slices {
			require.Zero(t, sl.cache.Pending())
			require.Zero(t, sl.queue.Len())
			require.Zero(t, sl.held.Len())
			require.Equal(t, cfg.Interconnect.Queue, sl.credits)
		}
		s.WriteBackAll()
		c = s.Counters(houseAccount)
		require.EqualValues(t, c.L2WriteBackSectors, c.DRAMWriteSectors, name)
		before := c.DRAMWriteSectors
		s.WriteBackAll()
		require.Equal(t, before, s.Counters(houseAccount).DRAMWriteSectors, "%s: nothing is dirty any more", name)
	}
}

// The same input gives the same answers in the same cycles and the same counters.
func TestDeterminism(t *testing.T) {
	cfg := load(t, "k20")
	run := func() ([][]Response, any) {
		s := New(cfg, NewGlobal(cfg))
		cores := noises(t, cfg, 99, 1000)
		drive(t, s, cores)
		var logs [][]Response
		for _, c := range cores {
			logs = append(logs, c.(*noise).log)
		}
		return logs, s.Counters(houseAccount)
	}
	firstLog, firstStats := run()
	secondLog, secondStats := run()
	require.Equal(t, firstLog, secondLog)
	require.Equal(t, firstStats, secondStats)
}

// With one of everything no request is lost and the system does not stop.
func TestSmallestParts(t *testing.T) {
	for _, overrides := range [][]string{
		{"l2.miss_registers=1", "l2.miss_merges=1"},
		{"interconnect.queue=1"},
		{"dram.queue=1", "dram.write_high=1", "dram.write_low=0"},
		{"dram.scheduling=fcfs", "dram.starvation_limit=1"},
		{"tlb.walks=1"},
		{"dram.channels=3", "l2.slices=4"},
		{"dram.channels=1", "l2.slices=12"},
		{"l2.policy=random", "atomics.global.lanes_per_cycle=1", "atomics.global.queue=1"},
		{"dram.bank_groups=1", "dram.banks=1"},
		{"dram.controller_latency=0"},
	} {
		cfg := load(t, "gk110", overrides...)
		s := New(cfg, NewGlobal(cfg))
		cores := noises(t, cfg, 5, 150)
		drive(t, s, cores)
		for _, c := range cores {
			require.Zero(t, c.(*noise).flying, "%v", overrides)
		}
	}
}

// Accesses to one word take effect in the order in which one SMX sent them, whatever their translations take: a load sees the store before
// it.
func TestSameAddressStaysInOrder(t *testing.T) {
	cfg := load(t, "gk110")
	g := NewGlobal(cfg)
	const pieces = 200
	address, err := g.Allocate("a", pieces*300_000)
	require.NoError(t, err)
	s := New(cfg, g)
	p := s.Port(0)
	random := rand.New(rand.NewPCG(1, 1))
	var loads []*exec.Access
	var want []uint32
	now := engine.Cycle(0)
	for i := range uint32(3000) {
		at := address + 300_000*uint64(random.IntN(pieces))
		store := &exec.Access{Kind: exec.AccessStore, Bytes: 4, Active: 1}
		store.Address[0], store.Data[0][0] = at, i
		load := &exec.Access{Kind: exec.AccessLoad, Bytes: 4, Active: 1, Address: store.Address}
		line, sector := at&^127, uint8(1)<<(at%128/32)
		p.Send(Request{Issued: now, Kind: RequestStore, Line: line, Sectors: sector, Lanes: 1, Access: store})
		p.Send(Request{Issued: now + 1, Kind: RequestLoad, Line: line, Sectors: sector, Lanes: 1, Access: load})
		loads, want = append(loads, load), append(want, i)
		now += 2
		if i%50 == 49 {
			s.Step(now)
		}
	}
	for !s.Idle() {
		now += s.EpochCycles()
		s.Step(now)
	}
	for i, load := range loads {
		require.Equal(t, want[i], load.Data[0][0], "load %d", i)
	}
}

// Idle time may be skipped, as sim does, and no response comes later than with steps throughout.
func TestJumpsOverIdleTimeMissNothing(t *testing.T) {
	cfg := load(t, "gk110")
	ready := func(jump bool) (cycles []engine.Cycle) {
		s := New(cfg, NewGlobal(cfg))
		p := s.Port(3)
		now := engine.Cycle(0)
		for i := range 40 {
			p.Send(Request{Issued: now, Kind: RequestLoad, Line: firstAddress + uint64(i)*7_000_000/128*128, Sectors: 1})
			for {
				if jump {
					if next := s.NextEvent(); next != engine.Never {
						now = max(now, next)
					}
				}
				end := now + s.EpochCycles()
				before, known := p.NextReady()
				s.Step(end)
				if known {
					require.Less(t, before, end+10_000)
				}
				if at, ok := p.NextReady(); ok && at < end+s.EpochCycles() {
					require.True(t, known || at >= end, "an answer for cycle %d was made known in %d", at, end)
					cycles = append(cycles, at)
					require.NotEmpty(t, p.Receive(at))
					now = max(at, end)
					break
				}
				now = end
			}
		}
		return cycles
	}
	latency := func(cycles []engine.Cycle) int { return len(cycles) }
	require.Equal(t, 40, latency(ready(true)))
	require.Equal(t, 40, latency(ready(false)))
}

// A warm system allocates nothing for its requests.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	cfg := load(t, "gk110")
	s := New(cfg, NewGlobal(cfg))
	now := engine.Cycle(0)
	line := uint64(0)
	epoch := func() {
		for range 20 {
			for smx := range cfg.SMX.Count {
				p := s.Port(smx)
				for i := range engine.Cycle(8) {
					p.Send(Request{Issued: now + i, Kind: RequestKind(line / 128 % 2), Line: firstAddress + line, Sectors: 0xf})
					line += 128
				}
			}
			now += s.EpochCycles()
			s.Step(now)
			for smx := range cfg.SMX.Count {
				s.Port(smx).Receive(now)
			}
		}
	}
	for range 30 {
		epoch()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(20, epoch), 1.0)
}

// benchmark sends requests of all SMXs over a footprint at the rate that the chip sustains.
func benchmark(b *testing.B, footprint uint64, perEpoch int) {
	cfg := load(b, "gk110")
	s := New(cfg, NewGlobal(cfg))
	now := engine.Cycle(0)
	line := uint64(0)
	requests := 0
	b.ResetTimer()
	for requests < b.N {
		for smx := range cfg.SMX.Count {
			p := s.Port(smx)
			for i := range perEpoch {
				p.Send(Request{Issued: now + engine.Cycle(i), Kind: RequestLoad, Line: firstAddress + line, Sectors: 0xf})
				line = (line + 128) % footprint
				requests++
			}
		}
		now += s.EpochCycles()
		s.Step(now)
		for smx := range cfg.SMX.Count {
			s.Port(smx).Receive(now)
		}
	}
}

// One request an operation, all hits in L2: 15 SMXs at two thirds of their links.
func BenchmarkL2Hits(b *testing.B) { benchmark(b, 1<<20, 28) }

// One request an operation, nearly all from DRAM, at three quarters of its rate.
func BenchmarkDRAM(b *testing.B) { benchmark(b, 1<<30, 20) }

// A dirty line is written back soon while DRAM is idle, and stays. A line that is written again soon is written back once.
func TestIdleDRAMTakesWrites(t *testing.T) {
	cfg := load(t, "gk110", "l2.write_delay=50")
	s := New(cfg, NewGlobal(cfg))
	line := firstAddress
	store := func(sectors uint8) Request {
		return Request{Kind: RequestStore, Line: line, Sectors: sectors, Lanes: 1}
	}
	now := driveFrom(t, s, []core{&single{request: store(0b0001), times: 1}}, 0)
	require.Zero(t, s.Counters(houseAccount).DRAMWriteSectors, "it waits for more")
	now = driveFrom(t, s, []core{&single{request: store(0b0011), times: 1}}, now+s.EpochCycles())
	require.EqualValues(t, 1, s.Counters(houseAccount).DRAMWriteSectors, "the first store's sector")
	driveFrom(t, s, []core{&single{request: Request{Kind: RequestLoad, Line: line, Sectors: 0b0011, Lanes: 1}, times: 1}},
		now+s.EpochCycles())
	require.EqualValues(t, 3, s.Counters(houseAccount).DRAMWriteSectors, "the second's")
	require.Zero(t, s.Counters(houseAccount).DRAMReadSectors, "all of it is still there")
	s.WriteBackAll()
	require.EqualValues(t, 3, s.Counters(houseAccount).DRAMWriteSectors, "nothing is left")
}

// Blocks whose warps all store to the same lines, as in a transposition: a write-back after each store takes no DRAM time from the loads.
func TestEarlyWritesHoldUpNoLoads(t *testing.T) {
	rate := func(delay string) engine.Cycle {
		cfg := load(t, "k40", "l2.write_delay="+delay)
		loads := func(w int, into []uint64) []uint64 { return append(into, firstAddress+uint64(w)*128) }
		stores := func(w int, into []uint64) []uint64 {
			block := uint64(w / streamBlock)
			for row := range uint64(32) {
				into = append(into, firstAddress+64<<20+(block%32*32+row)*4096+block/32*128)
			}
			return into
		}
		return drive(t, New(cfg, NewGlobal(cfg)), newStreams(cfg, 512, loads, stores))
	}
	early, late := rate("50"), rate("1000000")
	t.Logf("%d cycles, %d when lines are written back only when they are evicted", early, late)
	require.LessOrEqual(t, float64(early), 1.05*float64(late))
}

// writer stores line after line, with a limit of requests in flight.
type writer struct {
	line, end uint64
	limit     int
	flying    int
}

func (w *writer) done() bool { return w.line >= w.end }

func (w *writer) next(engine.Cycle) (Request, bool) {
	if w.done() || w.flying >= w.limit {
		return Request{}, false
	}
	r := Request{Kind: RequestStore, Line: w.line, Sectors: 0xf, Lanes: 0xffff}
	w.line += 128
	w.flying++
	return r, true
}

func (w *writer) respond(Response, engine.Cycle) { w.flying-- }

// No request waits for L2's write-backs. Still, stores end no sooner than DRAM has taken what L2 cannot hold.
func TestStoresWaitForDRAM(t *testing.T) {
	cfg := load(t, "k20", "dram.ecc=false")
	const each = 1 << 20
	var cores []core
	for i := range cfg.SMX.Count {
		first := firstAddress + uint64(i)*each
		cores = append(cores, &writer{line: first, end: first + each, limit: cfg.LoadStore.Outstanding})
	}
	end := drive(t, New(cfg, NewGlobal(cfg)), cores)
	moved := float64(each*cfg.SMX.Count - cfg.L2.Bytes)
	rate := moved / float64(end) // bytes a cycle
	peak := float64(cfg.DRAM.Channels) * SectorBytes / cfg.DRAM.SectorCycles
	t.Logf("%.0f of %.0f bytes a cycle", rate, peak)
	require.LessOrEqual(t, rate, peak*1.02)
	require.GreaterOrEqual(t, rate, peak/2)
}
