package cache

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

func newCache(t testing.TB, spec Spec) *Cache {
	t.Helper()
	c, err := New(spec)
	require.NoError(t, err)
	return c
}

func TestSpecsThatCannotBe(t *testing.T) {
	good := Spec{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 32, Policy: "lru"}
	for name, change := range map[string]func(*Spec){
		"sets":    func(s *Spec) { s.Sets = 0 },
		"ways":    func(s *Spec) { s.Ways = 0 },
		"line":    func(s *Spec) { s.LineBytes = 96 },
		"sector":  func(s *Spec) { s.SectorBytes = 8 },
		"larger":  func(s *Spec) { s.SectorBytes = 256 },
		"policy":  func(s *Spec) { s.Policy = "mru" },
		"misses":  func(s *Spec) { s.MissRegisters = -1 },
		"waiting": func(s *Spec) { s.MissMerges = -1 },
	} {
		spec := good
		change(&spec)
		_, err := New(spec)
		require.Error(t, err, name)
	}
	_, err := New(Spec{Sets: 4, Ways: 2, LineBytes: 128, Policy: "mru"})
	require.ErrorContains(t, err, "there are fifo, lru, plru, random")
}

// Textbook sequences on one set: the letters are lines; the result lists the misses.
func TestPolicies(t *testing.T) {
	for _, test := range []struct {
		policy, accesses, misses string
		ways                     int
	}{
		{"lru", "abcabdabc", "abcdc", 3},
		{"lru", "abcdabcd", "abcdabcd", 3},
		{"fifo", "abcabdabc", "abcdabc", 3},
		{"fifo", "abacab", "abcab", 2},
		// Four leaves: after a b c d the tree points at a. Using a turns it to c, which e replaces. Using a again turns it to d, which c
		// replaces.
		{"plru", "abcdaeacd", "abcdecd", 4},
		{"plru", "aabba", "aba", 1},
	} {
		c := newCache(t, Spec{Sets: 1, Ways: test.ways, LineBytes: 32, Policy: configs.Policy(test.policy)})
		var misses string
		for _, letter := range test.accesses {
			line := uint64(letter-'a') * 32
			if c.Lookup(Unattributed(line), 1) == 0 {
				misses += string(letter)
				c.Fill(line, 1, nil)
			}
		}
		require.Equal(t, test.misses, misses, "%s %s", test.policy, test.accesses)
	}
}

func TestRandomPolicyIsDeterministicAndUsesAllWays(t *testing.T) {
	victims := func() []int {
		newPolicy, err := replacements.Find("random")
		require.NoError(t, err)
		p := newPolicy(ReplacementSpec{Sets: 1, Ways: 6})
		var out []int
		for range 600 {
			out = append(out, p.Victim(0, Unattributed(0)))
		}
		return out
	}
	first := victims()
	require.Equal(t, first, victims())
	var count [6]int
	for _, v := range first {
		count[v]++
	}
	for way, n := range count {
		require.InDelta(t, 100, n, 40, "way %d", way)
	}
}

// The stride sweep that finds a real cache's parameters finds ours. Walking N lines of one set twice misses the second time only if N
// exceeds the ways. Lines one set apart do not share it.
func TestStrideSweepRecoversWaysAndSets(t *testing.T) {
	for _, spec := range []Spec{
		{Sets: 32, Ways: 4, LineBytes: 128, Policy: "lru"},
		{Sets: 4, Ways: 96, LineBytes: 32, Policy: "lru"},
		{Sets: 5, Ways: 3, LineBytes: 64, Policy: "lru"},
		{Sets: 64, Ways: 6, LineBytes: 128, SectorBytes: 32, Policy: "fifo"},
	} {
		secondPass := func(lines, stride int) (misses int) {
			c := newCache(t, spec)
			for pass := range 2 {
				for i := range lines {
					if c.Lookup(Unattributed(uint64(i*stride)), 1) == 0 {
						misses += pass
						c.Fill(uint64(i*stride), 1, nil)
					}
				}
			}
			return misses
		}
		setStride := spec.Sets * spec.LineBytes
		require.Zero(t, secondPass(spec.Ways, setStride))
		require.Equal(t, spec.Ways+1, secondPass(spec.Ways+1, setStride))
		require.Zero(t, secondPass(spec.Sets*spec.Ways, spec.LineBytes))
		require.NotZero(t, secondPass(spec.Sets*spec.Ways+1, spec.LineBytes))
	}
}

func TestSectors(t *testing.T) {
	c := newCache(
		t,
		Spec{Sets: 2, Ways: 1, LineBytes: 128, SectorBytes: 32, Policy: "lru", MissRegisters: 2, MissMerges: 3, WriteBack: true,
			WriteAllocate: true},
	)
	status, fetch := c.Access(Unattributed(0), 0b0011, 1)
	require.Equal(t, MissNew, status)
	require.EqualValues(t, 0b0011, fetch)
	status, fetch = c.Access(Unattributed(0), 0b0110, 2)
	require.Equal(t, MissMerged, status)
	require.EqualValues(t, 0b0100, fetch, "sector 1 is in flight")
	status, fetch = c.Access(Unattributed(0), 0b0001, 3)
	require.Equal(t, MissMerged, status)
	require.Zero(t, fetch)
	status, _ = c.Access(Unattributed(0), 0b1000, 4)
	require.Equal(t, Stall, status, "three wait already")
	require.EqualValues(t, 0b0111, c.misses.find(0).pending)

	released, eviction := c.Fill(0, 0b0011, nil)
	require.Equal(t, []uint64{1, 3}, released)
	require.Zero(t, eviction)
	released, _ = c.Fill(0, 0b0100, nil)
	require.Equal(t, []uint64{2}, released)
	require.Zero(t, c.Pending())

	kept, _, _ := c.Write(Unattributed(0), 0b1000)
	require.True(t, kept)
	valid, dirty := c.Probe(0)
	require.EqualValues(t, 0b1111, valid)
	require.EqualValues(t, 0b1000, dirty)
	kept, _, eviction = c.Write(Unattributed(256), 0b0001)
	require.True(t, kept)
	require.Equal(t, Eviction{Line: 0, Valid: 0b1111, Dirty: 0b1000}, eviction)
	require.EqualValues(t, 1, c.CleanLine(256))
	require.Zero(t, c.CleanLine(256))
	require.Zero(t, c.CleanLine(128), "not there")
	require.Equal(t, Eviction{Line: 256, Valid: 1}, c.Invalidate(256))
	require.Zero(t, c.Invalidate(256))
}

func TestWriteThroughKeepsNothingDirty(t *testing.T) {
	c := newCache(t, Spec{Sets: 2, Ways: 1, LineBytes: 128, Policy: "lru"})
	kept, _, _ := c.Write(Unattributed(0), 1)
	require.False(t, kept)
	c.Fill(0, 1, nil)
	kept, _, _ = c.Write(Unattributed(0), 1)
	require.False(t, kept)
	require.Zero(t, c.CleanLine(0))
	c.InvalidateAll()
	require.Zero(t, c.Lookup(Unattributed(0), 1))
}

// A write past the cache removes the line. Its data in flight serve the accesses that wait already, and no others.
func TestWritesPastTheCacheOvertakeWhatIsInFlight(t *testing.T) {
	c := newCache(t, Spec{Sets: 4, Ways: 2, LineBytes: 128, Policy: "lru", MissRegisters: 4, MissMerges: 4})
	c.Insert(0, 1)
	require.Empty(t, c.Overwrite(0, nil))
	require.Zero(t, c.Lookup(Unattributed(0), 1))

	for waiter := range uint64(2) {
		c.Access(Unattributed(128), 1, waiter)
	}
	require.Equal(t, []uint64{0, 1}, c.Overwrite(128, nil))
	status, fetch := c.Access(Unattributed(128), 1, 2)
	require.Equal(t, Overtaken, status)
	require.Zero(t, fetch)
	require.Zero(t, c.Prefetch(128, 1))
	released, _ := c.Fill(128, 1, nil)
	require.Equal(t, []uint64{0, 1}, released)
	require.Zero(t, c.Lookup(Unattributed(128), 1), "what came is as before the write")
	require.Zero(t, c.Pending())

	c.Insert(256, 1)
	c.Insert(1024, 1)
	c.Access(Unattributed(384), 1, 3)
	c.Access(Unattributed(1152), 1, 4)
	c.Forget(func(line uint64) bool { return line < 1024 })
	require.Zero(t, c.Lookup(Unattributed(256), 1))
	require.EqualValues(t, 1, c.Lookup(Unattributed(1024), 1))
	c.Fill(384, 1, nil)
	c.Fill(1152, 1, nil)
	require.Zero(t, c.Lookup(Unattributed(384), 1))
	require.EqualValues(t, 1, c.Lookup(Unattributed(1152), 1))
}

// Random accesses against a model: valid sectors, released waiters, each exactly once, and the number of sectors.
func TestAgainstModel(t *testing.T) {
	for _, spec := range []Spec{
		{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 32, Policy: "lru", MissRegisters: 6, MissMerges: 4, WriteBack: true,
			WriteAllocate: true},
		{Sets: 3, Ways: 30, LineBytes: 128, SectorBytes: 32, Policy: "random", MissRegisters: 16, MissMerges: 2, WriteBack: true,
			WriteAllocate: true},
		{Sets: 8, Ways: 3, LineBytes: 128, SectorBytes: 32, Policy: "plru", MissRegisters: 9, MissMerges: 3, HashSets: true},
	} {
		random := rand.New(rand.NewPCG(11, uint64(spec.Ways)))
		c := newCache(t, spec)
		type state struct{ valid, dirty uint8 }
		held := map[uint64]state{}
		onTheWay := map[uint64]uint8{}
		waiting := map[uint64]uint8{}
		lineOf := map[uint64]uint64{}
		fetched, written := 0, 0
		evict := func(e Eviction) {
			if e.Valid == 0 {
				return
			}
			require.Equal(t, held[e.Line], state{e.Valid, e.Dirty})
			written += bits.OnesCount8(e.Dirty)
			delete(held, e.Line)
		}
		next := uint64(1)
		for range 20000 {
			line := uint64(random.IntN(150)) * 128
			sectors := uint8(1 + random.IntN(15))
			switch random.IntN(4) {
			case 0, 1:
				status, fetch := c.Access(Unattributed(line), sectors, next)
				missing := sectors &^ held[line].valid
				switch {
				case missing == 0:
					require.Equal(t, Hit, status)
				case status == Stall:
					require.True(t, len(onTheWay) == spec.MissRegisters || onTheWay[line] != 0)
				default:
					require.Equal(t, missing&^onTheWay[line], fetch)
					onTheWay[line] |= missing
					waiting[next], lineOf[next] = missing, line
					fetched += bits.OnesCount8(fetch)
					next++
				}
			case 2:
				_, present := held[line]
				clean := held[line].dirty == 0
				kept, fresh, e := c.Write(Unattributed(line), sectors)
				evict(e)
				require.Equal(t, spec.WriteBack, kept)
				require.Equal(t, clean, fresh)
				if kept {
					require.False(t, present && e.Valid != 0)
					s := held[line]
					held[line] = state{s.valid | sectors, s.dirty | sectors}
				}
			case 3:
				for line, sectors := range onTheWay {
					released, e := c.Fill(line, sectors, nil)
					evict(e)
					s := held[line]
					held[line] = state{s.valid | sectors, s.dirty}
					for _, w := range released {
						require.Equal(t, line, lineOf[w])
						require.Zero(t, waiting[w]&^sectors)
						delete(waiting, w)
					}
					delete(onTheWay, line)
					break
				}
			}
			require.Equal(t, len(onTheWay), c.Pending())
			require.LessOrEqual(t, len(held), spec.Sets*spec.Ways)
		}
		for line, s := range held {
			valid, dirty := c.Probe(line)
			require.Equal(t, s, state{valid, dirty})
		}
		require.Equal(t, spec.WriteBack, written > 0)
		for line, sectors := range onTheWay {
			released, _ := c.Fill(line, sectors, nil)
			for _, w := range released {
				delete(waiting, w)
			}
		}
		require.Empty(t, waiting)
		require.NotZero(t, fetched)
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	c := newCache(t, Spec{Sets: 16, Ways: 4, LineBytes: 128, SectorBytes: 32, Policy: "lru", MissRegisters: 32, MissMerges: 4})
	released := make([]uint64, 0, 8)
	line := uint64(0)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		c.Access(Unattributed(line), 0xf, line)
		c.Access(Unattributed(line), 0x1, line+1)
		released, _ = c.Fill(line, 0xf, released[:0])
		c.Write(Unattributed(line), 2)
		line += 128
	}))
}

func BenchmarkHit(b *testing.B) {
	c := newCache(b, Spec{Sets: 64, Ways: 16, LineBytes: 128, SectorBytes: 32, Policy: "lru", MissRegisters: 128, MissMerges: 16})
	for line := range 1024 {
		c.Fill(uint64(line)*128, 0xf, nil)
	}
	line := uint64(0)
	for b.Loop() {
		c.Access(Unattributed(line), 0xf, 0)
		line = (line + 128*7) % (1024 * 128)
	}
}

func BenchmarkMissAndFill(b *testing.B) {
	c := newCache(b, Spec{Sets: 64, Ways: 16, LineBytes: 128, SectorBytes: 32, Policy: "lru", MissRegisters: 128, MissMerges: 16})
	released := make([]uint64, 0, 16)
	line := uint64(0)
	for b.Loop() {
		c.Access(Unattributed(line), 0xf, 0)
		released, _ = c.Fill(line, 0xf, released[:0])
		line += 128
	}
}

// If a power of two of sets is hashed, no stride of a power of two keeps 256 lines in one set.
func TestHashedSetsSpreadPowersOfTwo(t *testing.T) {
	for _, sets := range []int{16, 64} {
		c := newCache(t, Spec{Sets: sets, Ways: 2, LineBytes: 128, SectorBytes: 32, Policy: "lru", HashSets: true})
		for stride := range 32 { // lines, up to a memory of 2^47 bytes
			used := map[int]bool{}
			for n := range uint64(256) {
				used[c.Set(128*n<<stride)] = true
			}
			require.Greater(t, len(used), 1, "%d sets, stride of 2^%d lines", sets, stride)
		}
	}
}
