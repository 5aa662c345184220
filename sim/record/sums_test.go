package record_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/record"
	"github.com/keplersim/keplersim/sim/stats"
)

// recorded runs a workload with a recorder, and returns the file's bytes and the launches.
func recorded(t testing.TB, file, config string, o record.Options, s sim.Options) ([]byte, []*stats.Launch) {
	t.Helper()
	r := record.New(o)
	s.Observer = r
	job, err := host.Open(context.Background(), file, host.Options{Config: config, Simulator: s})
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, r.Write(&out, &record.About{Workload: job.Workload.Name, Config: job.Config, Launches: result.Launches,
		Timeline: result.Timeline}))
	return out.Bytes(), result.Launches
}

func read(t testing.TB, data []byte) *recording.Recording {
	t.Helper()
	r, err := recording.Read(bytes.NewReader(data))
	require.NoError(t, err)
	return r
}

// line is a line of a machine operation in the report.
type line struct {
	file, function, calls string
	number                int
}

// sums are the totals of one grid in a recording.
type sums struct {
	total     stats.SMX
	lines     map[line]*stats.OperationCount
	eligible  uint64
	residence uint64 // warp cycles, from a block's start to the end of each warp
	lookups   uint64
	hits      uint64
}

func lineOf(o *recording.Operation) line {
	l := line{file: o.File, number: o.Line, function: o.Function}
	for _, c := range o.Calls {
		l.calls += fmt.Sprintf("%s:%d ", c.File, c.Line)
	}
	return l
}

// slot is an issue slot.
type slot struct {
	cycle     int64
	scheduler int
}

// rootOf returns the index of the host's launch that a grid comes from.
func rootOf(r *recording.Recording, i int) int {
	for r.Grids[i].Parent != nil {
		i = slices.IndexFunc(r.Grids, func(g recording.Grid) bool { return g.Device == r.Grids[i].Device && g.ID == *r.Grids[i].Parent })
	}
	return i
}

// sum adds up a track's entries by launch, nested launches included.
func sum(r *recording.Recording, t *recording.Track, grids []*sums) {
	of := func(warp, op int32) (*sums, *stats.OperationCount) {
		s := grids[t.Blocks[t.Warps[warp].Block].Grid]
		at := lineOf(r.Operation(t, warp, op))
		if s.lines[at] == nil {
			s.lines[at] = &stats.OperationCount{}
		}
		return s, s.lines[at]
	}
	for i := range t.Blocks {
		s := &grids[t.Blocks[i].Grid].total
		if t.Blocks[i].Again {
			continue
		}
		s.BlocksLaunched++
		s.WarpsLaunched += uint64(t.Blocks[i].Count)
	}
	replayed := map[slot]bool{}
	for _, e := range t.Replays {
		s, o := of(e.Warp, e.Op)
		s.total.InstIssued += uint64(e.Slots)
		s.total.IssuedSingle += uint64(e.Slots)
		s.total.IssueSlots += uint64(e.Slots)
		o.Memory.Replays += uint64(e.Slots)
	}
	// Replays of a pair's two accesses follow one another.
	next := map[int]int64{}
	for _, e := range t.Replays {
		scheduler := t.Warps[e.Warp].Scheduler
		at := max(int64(e.Cycle), next[scheduler])
		for n := range e.Slots {
			replayed[slot{at + 1 + int64(n), scheduler}] = true
		}
		next[scheduler] = at + int64(e.Slots)
	}
	last := emptied(t)
	stalled, issued := make([]engine.Cycle, len(t.Warps)), make([]engine.Cycle, len(t.Warps))
	for _, e := range t.Issues {
		s, o := of(e.Warp, e.Op)
		issued[e.Warp] = e.Cycle
		s.total.InstExecuted++
		s.total.InstIssued++
		o.Executed++
		for m := e.Mask; m != 0; m &= m - 1 {
			o.Lanes++
		}
		if e.Second {
			s.total.IssuedDual++
			s.total.IssuedSingle--
		} else {
			s.total.IssuedSingle++
			s.total.IssueSlots++
			s.residence++
			if !last[e.Cycle] {
				s.eligible++
			}
		}
	}
	for _, e := range t.Stalls {
		s, o := of(e.Warp, e.Op)
		o.Stalls[e.Reason] += uint64(e.To - e.From)
		s.total.Stalls[e.Reason] += uint64(e.To - e.From)
		s.residence += uint64(e.To - e.From)
		stalled[e.Warp] = max(stalled[e.Warp], e.To)
		if e.Reason != stats.StallNotSelected {
			continue
		}
		for at := e.From; at < e.To; at++ {
			if !replayed[slot{int64(at), t.Warps[e.Warp].Scheduler}] {
				s.eligible++
			}
		}
	}
	answered := make([]engine.Cycle, len(t.Warps))
	for _, e := range t.Answers {
		if e.Cycle == issued[e.Warp]+1 && r.Operation(t, e.Warp, e.Op).Class != "shared" { // reported ahead for shared memory
			answered[e.Warp] = e.Cycle
		}
	}
	for i := range t.Warps {
		if t.Blocks[t.Warps[i].Block].Left && goesOn(t, i) {
			continue
		}
		if issued[i] >= max(stalled[i],
			answered[i]) { // its exit issued in that cycle, so it was not resident at the end
			grids[t.Blocks[t.Warps[i].Block].Grid].residence--
		}
	}
	for _, e := range t.Lookups {
		s, o := of(e.Warp, e.Op)
		s.lookups++
		o.Memory.Cache.Accesses++
		if e.Found == observe.Hit {
			s.hits++
			o.Memory.Cache.Hits++
		}
	}
	for _, e := range t.Answers {
		if len(r.Operation(t, e.Warp, e.Op).Writes) > 0 {
			_, o := of(e.Warp, e.Op)
			o.Memory.Answered++
			o.Memory.Latency += uint64(e.Cycle - e.Issued)
		}
	}
	for _, e := range t.Barriers {
		if e.Warp >= 0 {
			grids[t.Blocks[e.Block].Grid].total.Barriers++
		}
	}
}

// goesOn reports whether a warp of a parked block is still there when the block comes back.
func goesOn(t *recording.Track, warp int) bool {
	b := &t.Blocks[t.Warps[warp].Block]
	for i := t.Warps[warp].Block + 1; i < len(t.Blocks); i++ {
		if next := &t.Blocks[i]; next.Grid == b.Grid && next.Number == b.Number {
			return slices.ContainsFunc(t.Warps[next.First:next.First+next.Count], func(w recording.Warp) bool {
				return w.Index == t.Warps[warp].Index
			})
		}
	}
	return false
}

// emptied returns the cycles after which an SMX has no warp. They do not count as active.
func emptied(t *recording.Track) map[engine.Cycle]bool {
	change := map[engine.Cycle]int{}
	for i := range t.Blocks {
		change[t.Blocks[i].Start]++
		change[t.Blocks[i].End]--
	}
	resident, empty := 0, map[engine.Cycle]bool{}
	for _, at := range slices.Sorted(maps.Keys(change)) {
		if resident += change[at]; resident == 0 {
			empty[at] = true
		}
	}
	return empty
}

// assertSums checks that a recording adds up to the report of the same run.
func assertSums(t *testing.T, r *recording.Recording, launches []*stats.Launch) {
	t.Helper()
	require.False(t, r.Truncated)
	grids := make([]*sums, len(r.Grids))
	hosts := 0
	for i := range grids {
		at := rootOf(r, i)
		if grids[at] == nil {
			grids[at] = &sums{lines: map[line]*stats.OperationCount{}}
			hosts++
		}
		grids[i] = grids[at]
	}
	require.Len(t, launches, hosts)
	for _, track := range r.Tracks {
		sum(r, track, grids)
	}
	for i := range r.Grids {
		g := &r.Grids[i]
		if g.Parent != nil {
			continue
		}
		at := slices.IndexFunc(launches, func(l *stats.Launch) bool { return l.Device == g.Device && l.Number == g.ID })
		require.GreaterOrEqual(t, at, 0)
		l, s := launches[at], grids[i]
		want, name := &l.Total, l.Kernel
		got := s.total
		for field, values := range map[string][2]uint64{
			"InstExecuted": {want.InstExecuted, got.InstExecuted}, "InstIssued": {want.InstIssued, got.InstIssued},
			"IssuedSingle": {want.IssuedSingle, got.IssuedSingle},
			"IssuedDual":   {want.IssuedDual, got.IssuedDual}, "IssueSlots": {want.IssueSlots, got.IssueSlots},
			"Barriers":       {want.Barriers, got.Barriers},
			"BlocksLaunched": {want.BlocksLaunched, got.BlocksLaunched}, "WarpsLaunched": {want.WarpsLaunched,
				got.WarpsLaunched},
			"EligibleWarpCycles": {want.EligibleWarpCycles, s.eligible},
			"lookups": {
				want.L1Local.Accesses + want.L1Global.Accesses + want.ReadOnly.Accesses + want.TextureCache.Accesses, s.lookups,
			},
			"hits": {want.L1Local.Hits + want.L1Global.Hits + want.ReadOnly.Hits + want.TextureCache.Hits, s.hits},
		} {
			assert.Equal(t, values[0], values[1], "%s of %s", field, name)
		}
		assert.Equal(t, want.Stalls, got.Stalls, "stalls of %s", name)
		assert.Equal(t, want.ActiveWarpCycles, s.residence, "cycles of warps of %s", name)
		assertLines(t, l, s)
		if !l.Concurrent && len(r.Memory) > 0 {
			assertMemory(t, r, g, l)
		}
	}
}

// assertLines checks each line of the source.
func assertLines(t *testing.T, l *stats.Launch, s *sums) {
	t.Helper()
	lines := map[line]*stats.OperationCount{}
	for i := range l.Source {
		at := &l.Source[i]
		key := line{file: at.File, number: at.Line, function: l.Functions[at.Function].Name}
		for _, c := range at.InlinedAt {
			key.calls += fmt.Sprintf("%s:%d ", c.File, c.Line)
		}
		if lines[key] == nil {
			lines[key] = &stats.OperationCount{}
		}
		lines[key].Add(&at.OperationCount)
	}
	for key, want := range lines {
		got := s.lines[key]
		if got == nil {
			got = &stats.OperationCount{}
		}
		where := fmt.Sprintf("%s, %s:%d", l.Kernel, key.file, key.number)
		assert.Equal(t, want.Executed, got.Executed, "executed, %s", where)
		assert.Equal(t, want.Lanes, got.Lanes, "lanes, %s", where)
		assert.Equal(t, want.Stalls, got.Stalls, "stalls, %s", where)
		assert.Equal(t, want.Memory.Replays, got.Memory.Replays, "replays, %s", where)
		assert.Equal(t, want.Memory.Cache, got.Memory.Cache, "lookups, %s", where)
		assert.Equal(t, [2]uint64{want.Memory.Answered, want.Memory.Latency}, [2]uint64{got.Memory.Answered,
			got.Memory.Latency}, "answers, %s", where)
	}
	for key := range s.lines {
		assert.Contains(t, lines, key, "a line of %s that the report does not have", l.Kernel)
	}
}

// assertMemory checks the memory system's events while one grid ran alone.
func assertMemory(t *testing.T, r *recording.Recording, g *recording.Grid, l *stats.Launch) {
	t.Helper()
	m, name := stats.Memory{}, l.Kernel
	var bursts [2]uint64
	var rows, left uint64 // requests of DRAM while the grid ran, and writes left after it
	next := engine.Cycle(math.MaxInt64)
	for i := range r.Grids {
		if n := &r.Grids[i]; n.Device == g.Device && n.Start > g.End {
			next = min(next, n.Start)
		}
	}
	for _, track := range r.Memory {
		if track.Device != g.Device {
			continue
		}
		for i := range track.Flights {
			f := &track.Flights[i]
			if f.Issued < g.Start || f.Issued > g.End {
				continue
			}
			m.Responses++
			latency := uint64(f.Ready - f.Issued)
			switch f.Kind {
			case stats.RequestAtomic:
				m.AtomicResponses++
				m.AtomicLatency += latency
			case stats.RequestLoad, stats.RequestFill:
				m.L2ReadRequestsBy[f.Source]++
				m.L2ReadSectorsBy[f.Source] += sectorsOf(f)
				if f.Filled > 0 {
					m.DRAMResponses++
					m.DRAMLatency += latency
					assert.NotEqual(t, stats.RowUnasked, f.Row, "%s: a request that went to DRAM knows its row", name)
				} else {
					m.L2HitResponses++
					m.L2HitLatency += latency
				}
			case stats.RequestStore, stats.RequestWriteBack:
				m.L2WriteRequestsBy[f.Source]++
				m.L2WriteSectorsBy[f.Source] += sectorsOf(f)
			}
		}
		for _, b := range track.Bursts {
			switch {
			case b.Decided >= g.Start && b.Decided <= g.End:
				bursts[btoi(b.Write)]++
				rows++
			case b.Decided > g.End && b.Decided < next:
				left++
			}
		}
	}
	want := &l.Memory
	assert.Equal(t, want.Responses, m.Responses, "%s: responses", name)
	assert.Equal(t, want.L2ReadRequestsBy, m.L2ReadRequestsBy, "%s: reads of L2", name)
	assert.Equal(t, want.L2ReadSectorsBy, m.L2ReadSectorsBy, "%s: sectors read from L2", name)
	assert.Equal(t, want.L2WriteRequestsBy, m.L2WriteRequestsBy, "%s: writes of L2", name)
	assert.Equal(t, want.L2WriteSectorsBy, m.L2WriteSectorsBy, "%s: sectors written to L2", name)
	assert.Equal(t, [2]uint64{want.AtomicResponses, want.AtomicLatency}, [2]uint64{m.AtomicResponses, m.AtomicLatency},
		"%s: atomics", name)
	assert.Equal(t, [2]uint64{want.DRAMResponses, want.DRAMLatency}, [2]uint64{m.DRAMResponses, m.DRAMLatency},
		"%s: loads from DRAM", name)
	assert.Equal(t, [2]uint64{want.L2HitResponses, want.L2HitLatency}, [2]uint64{m.L2HitResponses, m.L2HitLatency},
		"%s: loads from L2", name)
	assert.Equal(t, want.DRAMReadRequests, bursts[0], "%s: reads of DRAM", name)
	all := want.RowHits + want.RowMisses + want.RowConflicts
	assert.GreaterOrEqual(t, all, rows, "%s: rows", name)
	assert.LessOrEqual(t, all, rows+left, "%s: rows, of what the grid left to be written among them", name)
	last := l.Samples[len(l.Samples)-1]
	assert.Equal(t, l.Total.InstExecuted, last.Instructions, "%s: the last sample", name)
	assert.Equal(t, want.DRAMReadSectors, last.DRAMReadSectors, "%s: the last sample", name)
	assert.Equal(t, l.BlocksDone, last.Blocks, "%s: the last sample", name)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sectorsOf(f *observe.Flight) (n uint64) {
	for m := f.Sectors; m != 0; m &= m - 1 {
		n++
	}
	return n
}

// few are the workloads of short runs: together they have barriers, caches, atomics, streams and calls.
var few = []string{"vectoradd", "reduction-shared", "histogram", "hyperq"}

// A recording of all cycles adds up to the report, for every workload: over warps, reasons, lines, requests and DRAM.
func TestRecordingsAddUpToReports(t *testing.T) {
	files, err := filepath.Glob("../../workloads/*/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 16)
	ran := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if testing.Short() && !slices.Contains(few, name) {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			config := "gk110"
			if name == "multi-gpu" {
				config = "k80"
			}
			data, launches := recorded(t, file, config, record.Options{}, sim.Options{Threads: 2})
			assertSums(t, read(t, data), launches)
		})
	}
	assert.GreaterOrEqual(t, ran, len(few)-1)
}
