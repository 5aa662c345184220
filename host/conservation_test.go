package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/stats"
)

// assertConserved checks that nothing is lost or added between an SMX's instructions and DRAM. Every request is answered, warps' requests
// equal L2's requests and hits in the caches above, and L2's misses come from DRAM.
func assertConserved(t *testing.T, l *stats.Launch) {
	t.Helper()
	s, m, name := &l.Total, &l.Memory, l.Kernel+" on "+l.Chip.Config
	assert.Equal(t, m.Requests, m.Responses, "%s: every request is answered once", name)

	assert.Equal(t, s.GlobalStore.Sectors, m.L2WriteSectorsBy[stats.SourceGlobal], "%s: stores", name)
	assert.Equal(t, s.Atomics.Sectors+s.Reductions.Sectors, m.L2AtomicSectors, "%s: atomics", name)
	if s.L1Global.Accesses == 0 {
		assert.Equal(t, s.GlobalLoad.Sectors, m.L2ReadSectorsBy[stats.SourceGlobal], "%s: loads past L1", name)
	}
	assert.Equal(t, s.LocalLoad.Transactions, s.L1Local.Accesses, "%s: local loads and L1", name)
	l1 := s.L1Local.Accesses + s.L1Global.Accesses - s.L1Local.Hits - s.L1Global.Hits
	assertFetched(t, l1, m.L2ReadRequestsBy[stats.SourceLocal], name+": L1")
	readOnly := s.ReadOnly.Accesses + s.TextureCache.Accesses - s.ReadOnly.Hits - s.TextureCache.Hits
	assertFetched(t, readOnly, m.L2ReadRequestsBy[stats.SourceReadOnly], name+": the read-only cache")

	assert.Equal(t, m.L2ReadSectors+m.L2AtomicSectors, m.L2ReadSectorHits+m.L2AtomicSectorHits+m.L2ReadSectorsMerged+
		m.DRAMReadSectors-m.L2PrefetchSectors, "%s: L2 and DRAM", name)
	assert.Equal(t, m.L2WriteBackSectors, m.DRAMWriteSectors, "%s: written back", name)
	assert.Equal(t, m.DRAMReadRequests+m.DRAMWriteRequests, m.RowHits+m.RowMisses+m.RowConflicts, "%s: rows", name)
	var reads, hits, writes uint64
	for source := range m.L2ReadSectorsBy {
		reads, hits, writes = reads+m.L2ReadSectorsBy[source], hits+m.L2ReadSectorHitsBy[source], writes+m.L2WriteSectorsBy[source]
	}
	assert.Equal(t, []uint64{m.L2ReadSectors, m.L2ReadSectorHits, m.L2WriteSectors}, []uint64{reads, hits, writes}, "%s: by source", name)

	var lines stats.AccessCount
	for i := range l.Source {
		lines.Add(&l.Source[i].Memory)
	}
	var sectors uint64
	for _, traffic := range []*stats.Traffic{
		&s.GlobalLoad, &s.GlobalStore, &s.ReadOnlyLoad, &s.Texture, &s.LocalLoad, &s.LocalStore, &s.Atomics, &s.Reductions,
	} {
		sectors += traffic.Sectors
	}
	assert.Equal(t, sectors, lines.Sectors, "%s: sectors by line", name)
	assert.Equal(t, s.L1Local.Accesses+s.L1Global.Accesses+s.ReadOnly.Accesses+s.TextureCache.Accesses, lines.Cache.Accesses,
		"%s: lookups by line", name)
	assert.Equal(t, s.L1Local.Hits+s.L1Global.Hits+s.ReadOnly.Hits+s.TextureCache.Hits, lines.Cache.Hits, "%s: hits by line", name)
	assert.Equal(t, s.GlobalReplays+s.SharedReplays+s.LocalReplays+s.ConstantReplays+s.AtomicReplays, lines.Replays, "%s: replays by line",
		name)

	var sum stats.SMX
	for i := range l.SMXs {
		sum.Add(&l.SMXs[i])
	}
	assert.Equal(t, sum, *s, "%s: the SMXs' sum", name)
}

// assertFetched checks a cache's requests to L2: at most one a miss, as misses to a line in flight share a request; and at least one if
// there is a miss.
func assertFetched(t *testing.T, missed, asked uint64, name string) {
	t.Helper()
	assert.LessOrEqual(t, asked, missed, name)
	assert.Equal(t, missed > 0, asked > 0, name)
}

// scatterText is a kernel with random accesses only: loads by each path, stores, atomics and local memory.
const scatterText = `.version 4.2
.target %s
.address_size 64
.visible .entry scatter(.param .u64 data, .param .u64 sums, .param .u32 words, .param .u32 turns)
{
	.reg .b32 %%r<16>;
	.reg .b64 %%a<12>;
	.reg .pred %%p;
	.local .align 4 .b8 array[256];
	ld.param.u64 %%a0, [data];
	ld.param.u64 %%a1, [sums];
	ld.param.u32 %%r1, [words];
	ld.param.u32 %%r2, [turns];
	mov.u32 %%r3, %%ctaid.x;
	mov.u32 %%r4, %%ntid.x;
	mov.u32 %%r5, %%tid.x;
	mad.lo.u32 %%r0, %%r3, %%r4, %%r5;
	mad.lo.u32 %%r6, %%r0, 747796405, %d;
	mov.u32 %%r7, 0;
	mov.u64 %%a6, array;
TURN:
%s	add.u32 %%r2, %%r2, -1;
	setp.ne.u32 %%p, %%r2, 0;
	@%%p bra TURN;
	mul.wide.u32 %%a2, %%r0, 4;
	add.u64 %%a3, %%a0, %%a2;
	st.global.u32 [%%a3], %%r7;
	ret;
}
`

// scatter writes a kernel with a random mix of accesses and its workload, and returns the workload's file.
func scatter(t *testing.T, target string, random *rand.Rand) string {
	t.Helper()
	operations := []string{
		"ld.global.cg.u32 %r9, [%a3];", "ld.global.ca.u32 %r9, [%a3];", "ld.global.u32 %r9, [%a3];", "st.global.u32 [%a3], %r7;",
		"atom.global.add.u32 %r9, [%a5], 1;", "red.global.add.u32 [%a5], %r7;", "ld.local.u32 %r9, [%a7];", "st.local.u32 [%a7], %r7;",
		"ld.global.cg.v2.u32 {%r9, %r10}, [%a4];", "ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%a4];",
	}
	if target != "sm_30" {
		operations = append(operations, "ld.global.nc.u32 %r9, [%a5];", "ld.global.nc.u32 %r9, [%a8];")
	}
	var turn strings.Builder
	for _, operation := range random.Perm(len(operations))[:len(operations)-3] {
		fmt.Fprintf(&turn, `	mad.lo.u32 %%r6, %%r6, 1664525, 1013904223;
	shr.u32 %%r8, %%r6, %d;
	rem.u32 %%r8, %%r8, %%r1;
	mul.wide.u32 %%a2, %%r8, 4;
	add.u64 %%a3, %%a0, %%a2;
	and.b64 %%a4, %%a3, -16;
	and.b64 %%a9, %%a2, 4092;
	add.u64 %%a5, %%a1, %%a9;
	add.u64 %%a8, %%a1, 128;
	and.b64 %%a10, %%a2, 252;
	add.u64 %%a7, %%a6, %%a10;
	%s
	xor.b32 %%r7, %%r7, %%r9;
`, random.IntN(16), operations[operation])
	}
	folder := t.TempDir()
	words := 1 << (10 + random.IntN(10))
	blocks := 1 + random.IntN(24)
	threads := 1 + random.IntN(300)
	require.NoError(t, os.WriteFile(
		filepath.Join(folder, "scatter.ptx"), fmt.Appendf(nil, scatterText, target, random.Uint32()>>1, turn.String()), 0o600,
	))
	file := filepath.Join(folder, "scatter.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `module: scatter.ptx
buffers:
  data: {type: u32, count: %d}
  sums: {type: u32, count: 1024}
steps:
  - launch: {kernel: scatter, grid: [%d], block: [%d], args: [data, sums, {u32: %d}, {u32: %d}], repeat: 2}
`, max(words, blocks*threads+4), blocks, threads, words, 1+random.IntN(12)), 0o600))
	return file
}

func TestRandomAccessesAreConserved(t *testing.T) {
	targets := map[string]string{"gk104": "sm_30", "gk110": "sm_35", "k40": "sm_35", "gk210": "sm_37", "gk20a": "sm_30"}
	for config, target := range targets {
		t.Run(config, func(t *testing.T) {
			t.Parallel()
			var all stats.SMX
			for seed := range uint64(4) {
				random := rand.New(rand.NewPCG(seed, 7))
				o := sim.Options{Threads: 1, GlobalLoads: []memorymode.GlobalLoads{memorymode.LoadsToL2, memorymode.LoadsThroughL1}[seed%2],
					CacheConfig: []string{"none", "l1", "equal"}[seed%3]}
				job, err := host.Open(context.Background(), scatter(t, target, random), host.Options{Config: config, Simulator: o})
				require.NoError(t, err)
				result, err := job.Run(context.Background())
				require.NoError(t, err)
				require.Len(t, result.Launches, 2)
				for _, l := range result.Launches {
					assertConserved(t, l)
					all.Add(&l.Total)
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			for what, n := range map[string]uint64{
				"loads": all.GlobalLoad.Sectors, "stores": all.GlobalStore.Sectors, "atomics": all.Atomics.Sectors,
				"reductions": all.Reductions.Sectors, "local loads": all.L1Local.Accesses, "local stores": all.LocalStore.Transactions,
			} {
				assert.NotZero(t, n, what)
			}
			assert.Equal(t, slices.Contains([]string{"k40", "gk210", "gk20a"}, config), all.L1Global.Accesses > 0)
			assert.Equal(t, target != "sm_30", all.ReadOnly.Accesses > 0)
		})
	}
}
