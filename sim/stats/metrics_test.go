package stats

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

// measured returns the naive 256 × 256 matrix product in blocks of 16 × 16 threads on a real GTX 680 of 8 SMXs, with its published profiler
// counters, summed over all SMXs.
func measured(t *testing.T) *Launch {
	t.Helper()
	config, err := configs.Load("gtx680", nil)
	require.NoError(t, err)
	l := &Launch{
		Kernel: "matMul_gpu", Chip: NewChip(config), Grid: [3]int{16, 16, 1}, Block: [3]int{16, 16, 1}, TimeUS: 553.028,
		Cycles: 4553720 / 8,
	}
	l.Total = SMX{
		ElapsedCycles: 4553720, ActiveCycles: 4473203, InstExecuted: 6088704, IssuedSingle: 7415739, IssuedDual: 830582,
		WarpsLaunched:    2048,
		GlobalLoad:       Traffic{Transactions: 1572864, Sectors: 2097222},
		GlobalStore:      Traffic{Transactions: 4096},
		ActiveWarpCycles: uint64(math.Round(0.970504 * 64 * 4473203)),
	}
	l.Memory = Memory{L2ReadSectors: 2097222, L2WriteSectors: 8198}
	return l
}

func TestMetricsOfRealCounters(t *testing.T) {
	l := measured(t)
	for name, want := range map[string]float64{
		"elapsed_cycles_sm": 4553720, "active_cycles": 4473203, "inst_executed": 6088704, "inst_issued1": 7415739, "inst_issued2": 830582,
		"ipc":                1.361151, // 6088704 / 4473203; the profiler's own, from another pass, says 1.362512
		"achieved_occupancy": 0.970504, "gld_transactions": 1572864, "gst_transactions": 4096, "l2_read_transactions": 2097222,
		"l2_write_transactions": 8198, "inst_per_warp": 2973, "sm_efficiency": 98.2318,
		"issued_ipc": 2.029166, // (7415739 + 2 · 830582) / 4473203
	} {
		d, ok := Find(name)
		require.True(t, ok, name)
		assert.InEpsilon(t, want, d.Value(l), 1e-5, name)
	}
}

// A launch with small round numbers, whose metrics can be computed by hand.
func TestMetricsByHand(t *testing.T) {
	l := &Launch{TimeUS: 2, Cycles: 100, Chip: Chip{SMXs: 2, WarpsPerSMX: 64, LanesFP32: 192, SharedBytesPerPass: 256, TextureSlices: 4},
		Occupancy: Occupancy{Warps: 48}}
	l.SMXs = make([]SMX, 2)
	l.SMXs[0] = SMX{
		ElapsedCycles: 100, ActiveCycles: 80, InstExecuted: 200, ThreadInstExecuted: 3200, NotPredicatedOff: 1600, SchedulerCycles: 320,
		IssuedSingle: 120, IssuedDual: 60, ActiveWarpCycles: 1280, EligibleWarpCycles: 160, Branches: 20, DivergentBranches: 5,
		FlopAdd32: 100, FlopMul32: 50, FlopFMA32: 25, FlopSpecial32: 7, SharedReplays: 20,
		GlobalLoad:  Traffic{Requests: 10, Transactions: 20, Sectors: 80, Bytes: 1280},
		SharedLoad:  Traffic{Requests: 10, Transactions: 15, Bytes: 1280},
		SharedStore: Traffic{Requests: 5, Transactions: 5, Bytes: 640},
		ReadOnly:    CacheCount{Accesses: 40, Hits: 30},
		L1Global:    CacheCount{Accesses: 8, Hits: 6},
		L1Local:     CacheCount{Accesses: 5, Hits: 1},
		Texture:     Traffic{Requests: 4}, TextureCache: CacheCount{Accesses: 200, Hits: 150}, TextureCycles: 80,
	}
	l.SMXs[0].Stalls[StallMemoryDependency], l.SMXs[0].Stalls[StallSync] = 300, 100
	l.SMXs[0].ByClass[isa.ClassGlobal], l.SMXs[0].ByClass[isa.ClassShared] = 10, 15
	by := &l.SMXs[0].ByClass
	by[isa.ClassFP32], by[isa.ClassMultiply], by[isa.ClassBranch], by[isa.ClassShuffle] = 60, 50, 20, 40
	l.SMXs[0].ExchangeLanes, l.SMXs[0].SharedAtomics = 1280, Traffic{Requests: 2, Transactions: 7}
	l.SMXs[0].LoadStoreCycles[isa.ClassGlobal], l.SMXs[0].LoadStoreCycles[isa.ClassShared] = 24, 11
	l.SMXs[1] = SMX{ElapsedCycles: 100}
	l.Sum()
	l.Chip.Units = [configs.ExecutionUnits]int{configs.UnitCore: 192, configs.UnitLoadStore: 32, configs.UnitBranch: 32}
	l.Chip.Classes[isa.ClassFP32] = ClassRate{configs.UnitCore, 192, isa.ClassFP32}
	l.Chip.Classes[isa.ClassMultiply] = ClassRate{configs.UnitCore, 32, isa.ClassMultiply}
	l.Chip.Classes[isa.ClassBranch] = ClassRate{configs.UnitBranch, 32, isa.ClassBranch}
	l.Chip.Classes[isa.ClassShuffle] = ClassRate{configs.UnitLoadStore, 32, isa.ClassShuffle}
	l.Chip.DRAMBytesPerSecond = 1e9
	l.Memory = Memory{L2ReadSectors: 100, L2ReadSectorHits: 25, DRAMReadSectors: 30, DRAMWriteSectors: 10, ECCReadSectors: 5,
		DRAMLatency: 8000, DRAMResponses: 20,
		RowHits: 6, RowMisses: 1, RowConflicts: 3, TLBHits: [TLBLevels]uint64{8, 1}, TLBWalks: 1}
	l.Chip.L2BytesPerCycle, l.Chip.CoreMHz = 64, 50
	l.Memory.HostReadSectors, l.Memory.HostWriteSectors = 9, 4
	l.Memory.L2WriteSectorsBy[SourceLocal] = 20
	l.Memory.L2ReadSectorsBy[SourceGlobal], l.Memory.L2ReadSectorHitsBy[SourceGlobal] = 60, 15
	for name, want := range map[string]float64{
		"l2_read_hit_rate": 25, "l2_l1_read_hit_rate": 25, "l2_l1_read_transactions": 60, "dram_read_transactions": 35,
		"dram_read_throughput": 0.56, "l2_utilization": 5 /* 100 · 32 bytes of 64 · 100 */, "local_memory_overhead": 25,
		"ecc_transactions": 5, "dram_peak_percent": 72, "dram_utilization": 7, "dram_latency": 400, "dram_row_hit_rate": 60,
		"tlb_hit_rate": 80, "sm_efficiency": 40, "ipc": 2.5, "issued_ipc": 3, "inst_issued": 240, "issue_slots": 180,
		"issue_slot_utilization": 56.25, "inst_replay_overhead": 0.2, "shared_replay_overhead": 0.1, "eligible_warps_per_cycle": 2,
		"achieved_occupancy": 0.25, "theoretical_occupancy": 0.75, "branch_efficiency": 75, "warp_execution_efficiency": 50,
		"warp_nonpred_execution_efficiency": 25, "flop_count_sp": 200, "flop_count_sp_fma": 25,
		"flop_sp_efficiency": 100 * 200.0 / (2 * 192 * 100 * 2), "inst_fp_32": 175, "gld_request": 10, "gld_transactions_per_request": 2,
		"gld_efficiency": 50, "gld_throughput": 1.28, "gld_requested_throughput": 0.64, "shared_load_transactions": 15,
		"shared_load_transactions_per_request": 1.5, "shared_efficiency": 37.5, "shared_load_throughput": 1.92,
		"stall_memory_dependency": 75, "stall_sync": 25, "stall_texture": 0, "nc_cache_global_hit_rate": 75, "tex_request": 4,
		"tex_cache_transactions": 200, "tex_cache_hit_rate": 75, "tex_cache_throughput": 3.2,
		"tex_utilization": 3 /* 200 lines of 8 · 100 */, "tex_fu_utilization": 1, "ldst_executed": 25,
		"ldst_issued": 45 /* 25 and 20 replays */, "shared_load_replay": 5, "shared_store_replay": 0,
		"global_ld_mem_divergence_replays": 10, "global_st_mem_divergence_replays": 0,
		"alu_fu_utilization": 3 /* 50 cycles of multiplications of 2 · 100 */, "cf_fu_utilization": 1, /* 20 */
		"ldst_fu_utilization":             2, /* 40 cycles of shuffles, more than 24 + 11 of the queue */
		"l1_shared_utilization":           2, /* 15 + 5 + 7 passes, 5 + 8 lines */
		"inst_inter_thread_communication": 1280, "sysmem_utilization": 0, "sysmem_read_transactions": 9, "sysmem_write_transactions": 4,
		"global_cache_replay_overhead": 0,
		"sm_efficiency_instance":       40, "ipc_instance": 1.25, // of the second SMX, which had no warp, 0
		"l1_global_load_hit": 6, "l1_global_load_miss": 2, "l1_local_load_hit": 1, "l1_local_load_miss": 4,
		"uncached_global_load_transaction": 12,
	} {
		d, ok := Find(name)
		require.True(t, ok, name)
		assert.InDelta(t, want, d.Value(l), 1e-9, name)
	}
	least, most := l.ActiveRange()
	assert.Equal(t, [2]uint64{0, 80}, [2]uint64{least, most})
}

// An empty launch has a number for every metric: a quotient of 0 by 0 never shows.
func TestMetricsOfNothing(t *testing.T) {
	for _, d := range Metrics() {
		v := d.Value(&Launch{})
		assert.False(t, math.IsNaN(v) || math.IsInf(v, 0), d.Name)
		if d.Name != "branch_efficiency" {
			assert.Zero(t, v, d.Name)
		}
	}
}

func TestStallsSumToHundred(t *testing.T) {
	l := &Launch{}
	for s := range StallCount {
		l.Total.Stalls[s] = uint64(7*s*s + 3)
	}
	sum := 0.0
	for s := range ProfilerStalls {
		d, ok := Find("stall_" + s.String())
		require.True(t, ok, s)
		sum += d.Value(l)
	}
	assert.InDelta(t, 100, sum, 1e-9)
}

// A part of a reason counts in the reason, and has its own metric.
func TestPartsOfStalls(t *testing.T) {
	l := &Launch{}
	l.Total.Stalls[StallOther], l.Total.Stalls[StallBranch], l.Total.Stalls[StallFence] = 10, 50, 20
	l.Total.Stalls[StallExecutionDependency], l.Total.Stalls[StallShared] = 15, 5
	for name, want := range map[string]float64{
		"stall_other": 80, "stall_other_branch": 50, "stall_other_fence": 20, "stall_other_exit": 0, "stall_exec_dependency": 20,
		"stall_exec_dependency_shared": 5,
	} {
		d, ok := Find(name)
		require.True(t, ok, name)
		assert.InDelta(t, want, d.Value(l), 1e-9, name)
	}
}

func TestGlossaryIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Metrics() {
		assert.False(t, seen[d.Name], "%s is there twice", d.Name)
		seen[d.Name] = true
		assert.NotEmpty(t, d.Unit, d.Name)
		assert.NotNil(t, d.Value, d.Name)
		assert.True(t, strings.HasSuffix(d.Meaning, "."), "%s: %s", d.Name, d.Meaning)
		assert.Contains(t, []Kind{Event, Metric, Own}, d.Kind, d.Name)
	}
	for _, name := range []string{
		"gld_efficiency", "gst_efficiency", "shared_replay_overhead", "flop_count_dp", "stall_not_selected", "stall_other",
	} {
		assert.True(t, seen[name], name)
	}
}

// numbers are the differences between metrics of a family.
var numbers = regexp.MustCompile(`\d+`)

// docs/metrics.md is the table for readers; go test ./sim/stats -update writes it.
func TestDocumentation(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Metrics

What each metric of a launch means. Names and meanings are those of nvprof for compute capability 3.x. ` + "`keplersim metrics 'stall_*'`" + ` prints
rows in your terminal, ` + "`--format json`" + ` for programs.

- *event*: a counter of nvprof. *own*: not in nvprof. nvprof computes all others from counters.
- ⏱ has no value with ` + "`--functional`" + `.
- An instruction *executed by warps* counts once for each warp, *by threads* once for each thread. A *predicated-on* thread is an
  active thread whose predicate is true.
- Counters are sums over all SMXs, counted in one run. nvprof samples some SMXs, repeats the kernel and scales up.
- A ratio of 0 to 0 is 0. Names that share a row count the kinds of access that it lists, in its order.
- *0 to 10*: 0 is idle, 10 the peak rate. A stall metric is the share of stalls with the cause in its row.

## What nvprof has and keplersim does not

Events of one slice or partition (` + "`l2_subp0_…`, `fb_subp0_…`, `tex0_…`, `rocache_subp0_…`" + `): all slices are counted together. The error
for such a name says why, and which metric serves instead. The report and its JSON also have memory of peers, which nvprof counts as host
memory.

## Cycles

A launch has three counts of core clock cycles. Every output calls each by its own name:

| name | meaning |
|---|---|
`)
	for _, c := range CycleCounts {
		fmt.Fprintf(&b, "| %s, `%s` | %s |\n", c.Title, c.Name, c.Meaning)
	}
	section := map[string]string{
		"elapsed_cycles_sm": "Time and instructions", "sm_cta_launched": "Blocks and occupancy", "stall_inst_fetch": "Stalls",
		"branch": "Branches and barriers", "inst_fp_32": "Kinds of instructions", "flop_count_sp": "Floating-point operations",
		"gld_request": "Global and local memory", "shared_load": "Shared memory",
		"uncached_global_load_transaction": "Global transactions and atomics",
		"tex_request":                      "Textures", "l1_cache_global_hit_rate": "Caches of an SMX", "l2_read_transactions": "L2",
		"dram_read_transactions": "Device memory", "sysmem_read_transactions": "Host memory",
		"alu_fu_utilization": "Function units",
	}
	all := Metrics()
	var rows []metricRow
	for i := 0; i < len(all); i++ {
		d := all[i]
		if title, ok := section[d.Name]; ok {
			b.WriteString(metricTable(rows))
			rows = nil
			fmt.Fprintf(&b, "\n## %s\n\n| name | unit | meaning |\n|---|---|---|\n", title)
			delete(section, d.Name)
		}
		d.Meaning = brief(d.Meaning)
		name, unit := "`"+d.Name+"`", string(d.Unit)
		if d.Timed {
			name += " ⏱"
		}
		if i+1 < len(all) && isRateOf(all[i+1], d) { // a count and its rate share a row
			i++
			name, unit = name+", `"+all[i].Name+"` ⏱", unit+", "+string(all[i].Unit)
		}
		first := i
		for i+1 < len(all) && numbers.ReplaceAllString(all[i+1].Meaning, "0") == numbers.ReplaceAllString(d.Meaning, "0") {
			i++
		}
		if i > first { // a family of widths or numbers shares a row
			name += " to `" + all[i].Name + "`"
		}
		if d.Kind != Metric {
			unit += ", " + string(d.Kind)
		}
		rows = addMetric(rows, name, unit, d.Meaning)
	}
	b.WriteString(metricTable(rows))
	assert.Empty(t, section, "a section begins with a metric that is gone")
	const path = "../../docs/metrics.md"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(text), "go test ./sim/stats -update writes it anew")
}

// metricRow is a row of the page: metrics that differ only in the kind of access that they count, which is #KIND in the meaning.
type metricRow struct {
	names, kinds  []string
	unit, meaning string
}

// kindsOfAccess are the kinds of access whose metrics share rows.
var kindsOfAccess = regexp.MustCompile(`(global|local) (loads|stores)\b|shared memory (loads|stores)`)

// addMetric adds a metric to the row with the same meaning for another kind of access, or as a new row.
func addMetric(rows []metricRow, name, unit, meaning string) []metricRow {
	kind := kindsOfAccess.FindString(meaning)
	if kind != "" {
		meaning = strings.Replace(meaning, kind, "#KIND", 1)
	}
	for i, r := range rows {
		if kind != "" && r.unit == unit && r.meaning == meaning {
			rows[i].names, rows[i].kinds = append(r.names, name), append(r.kinds, kind)
			return rows
		}
	}
	return append(rows, metricRow{[]string{name}, []string{kind}, unit, meaning})
}

// metricTable returns the rows of a section.
func metricTable(rows []metricRow) string {
	var b strings.Builder
	for _, r := range rows {
		last := len(r.kinds) - 1
		kinds := r.kinds[last]
		if last > 0 {
			kinds = strings.Join(r.kinds[:last], ", ") + " and " + kinds
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(r.names, ", "), r.unit, strings.Replace(r.meaning, "#KIND", kinds, 1))
	}
	return b.String()
}

// brief removes from a meaning what the page's head says once.
func brief(meaning string) string {
	if what, stalls := strings.CutPrefix(meaning, "Share of stalls where "); stalls {
		return strings.ToUpper(what[:1]) + what[1:]
	}
	for _, of := range []string{"its", "their", "the"} {
		meaning = strings.ReplaceAll(meaning, ": 0 idle, 10 at "+of+" peak rate", "")
	}
	return meaning
}

// isRateOf reports whether a metric is only the throughput of another.
func isRateOf(rate, count Definition) bool {
	what, _, _ := strings.Cut(strings.TrimSuffix(count.Meaning, "."), ", in 32-byte sectors")
	return strings.EqualFold(rate.Meaning, "Throughput of "+what+".") && rate.Kind == count.Kind
}

// A line's efficiency covers only its accesses that use sectors, not those to shared memory.
func TestEfficiencyOfALineLeavesSharedMemoryOut(t *testing.T) {
	var a AccessCount
	a.Book(32, 1, 1)  // bytes of a warp, from one sector
	a.Book(128, 5, 0) // an atomic on shared memory
	assert.InDelta(t, 1, a.Efficiency(), 1e-12)
	assert.EqualValues(t, 160, a.Bytes)
	var sum AccessCount
	sum.Add(&a)
	sum.Book(32, 2, 4)
	assert.InDelta(t, 0.4, sum.Efficiency(), 1e-12)
}
