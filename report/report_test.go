package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/workload"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before committing")

// chip is a GK110 with round numbers.
var chip = stats.Chip{
	Base:   "gk110",
	Config: "gk110", Name: "GK110", Capability: "3.5", SMXs: 2, Schedulers: 4, Dispatch: 2, WarpsPerSMX: 64, BlocksPerSMX: 16,
	CoreMHz: 1000, MemoryMHz: 3000, LanesFP32: 192, LanesFP64: 64, DRAMBytesPerSecond: 288e9, L2BytesPerCycle: 768, SharedBytesPerPass: 256,
	L2Slices: 12, DRAMChannels: 12, CommandCycles: 0.5, ActivateTicks: 8, TurnaroundTicks: 14, RefreshPart: 0.1, Outstanding: 384,
	InstructionCache: 8192, InstructionLine: 128, InstructionBytes: 8, WalkCycles: 40, TextureSlices: 4,
	Units: [configs.ExecutionUnits]int{configs.UnitCore: 192, configs.UnitFP64: 64, configs.UnitSFU: 32, configs.UnitLoadStore: 32,
		configs.UnitTexture: 16, configs.UnitBranch: 128},
	Classes: [isa.ClassCount]stats.ClassRate{
		isa.ClassInteger:  {Unit: configs.UnitCore, ResultsPerClock: 160, Shares: isa.ClassInteger},
		isa.ClassCompare:  {Unit: configs.UnitCore, ResultsPerClock: 160, Shares: isa.ClassInteger},
		isa.ClassFP32:     {Unit: configs.UnitCore, ResultsPerClock: 192, Shares: isa.ClassFP32},
		isa.ClassFP64:     {Unit: configs.UnitFP64, ResultsPerClock: 64, Shares: isa.ClassFP64},
		isa.ClassMultiply: {Unit: configs.UnitCore, ResultsPerClock: 32, Shares: isa.ClassMultiply},
		isa.ClassBits:     {Unit: configs.UnitCore, ResultsPerClock: 32, Shares: isa.ClassMultiply},
		isa.ClassSFU:      {Unit: configs.UnitSFU, ResultsPerClock: 32, Shares: isa.ClassSFU},
		isa.ClassGlobal:   {Unit: configs.UnitLoadStore, ResultsPerClock: 32, Shares: isa.ClassGlobal},
	},
}

// launch returns a plausible launch of a vector addition: 20 blocks on two SMXs.
func launch() *stats.Launch {
	l := &stats.Launch{
		Kernel: "_Z9vectoraddPKfS0_Pfj", Name: "vectoradd(float const*, float const*, float*, unsigned int)", Chip: chip,
		Grid: [3]int{20, 1, 1}, Block: [3]int{16, 16, 1}, CodeBytes: 640, Registers: 10, BlocksDone: 20,
		KernelCycles: 7000, LaunchCycles: 8000, Cycles: 8000, TimeUS: 8,
		Occupancy: stats.Occupancy{Blocks: 8, Warps: 64, Limiters: []string{"warps"}},
		Wall:      250 * time.Millisecond,
	}
	for i := range 2 {
		s := stats.SMX{
			ElapsedCycles: 8000, ActiveCycles: uint64(7000 - 1000*i), InstExecuted: 1280, ThreadInstExecuted: 40000,
			NotPredicatedOff: 38000, SchedulerCycles: uint64(28000 - 4000*i), IssuedSingle: 1000, IssuedDual: 150,
			ActiveWarpCycles: uint64(300000 - 40000*i), EligibleWarpCycles: 3000, Branches: 80, BlocksLaunched: 10, WarpsLaunched: 80,
			ThreadsLaunched: 2560,
			FlopAdd32:       2560,
			GlobalLoad:      stats.Traffic{Requests: 160, Transactions: 160, Sectors: 640, Bytes: 20480},
			GlobalStore:     stats.Traffic{Requests: 80, Transactions: 640, Sectors: 640, Bytes: 10240},
			Constant:        stats.CacheCount{Accesses: 400, Hits: 390},
		}
		s.Stalls[stats.StallMemoryDependency], s.Stalls[stats.StallExecutionDependency], s.Stalls[stats.StallInstructionFetch] = 200000,
			50000, 50001
		s.ByClass[isa.ClassInteger], s.ByClass[isa.ClassGlobal], s.ByClass[isa.ClassFP32], s.ByClass[isa.ClassNop] = 960, 240, 80, 1
		l.SMXs = append(l.SMXs, s)
	}
	l.Functions = []stats.FunctionCount{
		{Symbol: "_Z9vectoraddPKfS0_Pfj", Name: l.Name, Kernel: true,
			OperationCount: operations(2400, 70000, 600001, stats.StallMemoryDependency)},
		{Symbol: "_Z3addff", Name: "add(float, float)", Inlined: 2,
			OperationCount: operations(160, 5000, 1, stats.StallExecutionDependency)},
		{Symbol: "_Z4deepi", Name: "deep(int)", Calls: 1},
	}
	l.Source = []stats.SourceCount{
		{Function: 0, Operations: 1, OperationCount: operations(160, 5000, 0, 0)},
		{Place: stats.Place{File: "v.cu", Line: 3}, Function: 1, InlinedAt: []stats.Place{{File: "v.cu", Line: 9}, {File: "w.cu", Line: 1}},
			Operations:     2,
			OperationCount: operations(160, 5000, 1, stats.StallExecutionDependency)},
		{Place: stats.Place{File: "v.cu", Line: 8}, Function: 0, Operations: 12,
			OperationCount: operations(2240, 65000, 600001, stats.StallMemoryDependency)},
	}
	loads := stats.AccessCount{
		InSectors: 20480,
		Traffic:   stats.Traffic{Requests: 160, Transactions: 320, Sectors: 1280, Bytes: 20480},
		Cache:     stats.CacheCount{Accesses: 320, Hits: 80}, Replays: 160, Answered: 160, Latency: 48000,
	}
	stores := stats.AccessCount{
		InSectors: 10240, Traffic: stats.Traffic{Requests: 80, Transactions: 640, Sectors: 640, Bytes: 10240}, Replays: 640,
	}
	l.Source[1].Text, l.Source[2].Text = "return x + y;", "c[i] = add(a[i], b[i]);"
	l.Source[1].AddAccesses(stats.AccessGlobalLoad, &loads)
	l.Source[2].AddAccesses(stats.AccessGlobalStore, &stores)
	for i := range l.Source {
		l.Source[i].Memory = l.Source[i].Of(stats.AccessGlobalLoad, stats.AccessGlobalStore)
	}
	l.Sum()
	l.Memory = stats.Memory{L2ReadSectors: 1280, L2ReadSectorHits: 320, L2WriteSectors: 1280, DRAMReadSectors: 960, DRAMWriteSectors: 1200}
	return l
}

// operations returns counts with a single stall reason.
func operations(executed, lanes, stalled uint64, why stats.Stall) stats.OperationCount {
	o := stats.OperationCount{Executed: executed, Lanes: lanes}
	o.Stalls[why] = stalled
	return o
}

// cases returns the runs of the golden files.
func cases() map[string]*Run {
	functional := launch()
	functional.Functional, functional.Cycles, functional.TimeUS = true, 0, 0
	functional.KernelCycles, functional.LaunchCycles = 0, 0
	stopped := launch()
	stopped.Interrupted, stopped.BlocksDone = true, 7
	longer := launch()
	longer.LaunchCycles, longer.Cycles, longer.TimeUS = 16000, 16000, 16
	shared := launch()
	shared.Kernel, shared.Name = "transpose", ""
	shared.StaticShared, shared.LocalBytes, shared.SpillBytes, shared.SpillLoads, shared.SpillStores = 16384, 48, 40, 12, 10
	shared.Occupancy = stats.Occupancy{Blocks: 3, Warps: 24, Limiters: []string{"registers", "shared_memory"}}
	shared.Total.SharedNeeded = 100
	shared.Total.SharedLoad = stats.Traffic{Requests: 100, Transactions: 3200, Bytes: 12800}
	shared.Total.ThreadInstExecuted, shared.Total.DivergentBranches = 30000, 40
	host := Host{Threads: 2, Wall: 300 * time.Millisecond, PeakMemory: 64 << 20}
	return map[string]*Run{
		"one": {Workload: "vectoradd", Config: "gk110", Launches: []*stats.Launch{launch()}, Host: host,
			Notes: []string{"made up: block: 256 threads"}, Checks: []Check{{Buffer: "c"}}},
		"several": {Workload: "two kernels", Config: "gk110", Launches: []*stats.Launch{launch(), longer, shared}, Host: host},
		"chosen": {Workload: "two kernels", Config: "gk110", Launches: []*stats.Launch{launch(), longer, shared}, Host: host,
			Metrics: []string{"inst_executed", "ipc", "achieved_occupancy", "gld_efficiency", "shared_load_transactions_per_request"}},
		"functional": {Workload: "vectoradd", Config: "gk110", Launches: []*stats.Launch{functional}, Host: host,
			Checks: []Check{{Buffer: "a"},
				{Buffer: "c", Mismatch: &workload.Mismatch{Buffer: "c", Differing: 2, Compared: 8, First: []workload.Difference{
					{Index: 3, Expected: "1.5", Got: "1.25", ULP: 2097152, Comparable: true}, {Index: 7, Expected: "NaN", Got: "0.0"}}}}}},
		"stopped": {Workload: "vectoradd", Config: "gk110", Launches: []*stats.Launch{stopped}, Host: host,
			Failure: "launch of vectoradd: interrupted"},
	}
}

func TestGolden(t *testing.T) {
	for name, run := range cases() {
		for _, format := range Formats() {
			var out bytes.Buffer
			require.NoError(t, Write(&out, format, run))
			path := filepath.Join("testdata", name+"."+strings.Replace(format, "text", "txt", 1))
			if *update {
				require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), out.String(), path)
		}
	}
}

// The JSON's guaranteed members, read as a program would.
func TestJSONShape(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, JSON(&out, cases()["one"]))
	var got struct {
		Kernels []struct {
			Name      string
			Config    string
			Grid      [3]int
			Block     [3]int
			Registers int
			Cycles    uint64
			TimeUS    float64 `json:"time_us"`
			Metrics   map[string]float64
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Len(t, got.Kernels, 1)
	k := got.Kernels[0]
	assert.Equal(t, "vectoradd(float const*, float const*, float*, unsigned int)", k.Name)
	assert.Equal(t, "gk110", k.Config)
	assert.Equal(t, [3]int{20, 1, 1}, k.Grid)
	assert.Equal(t, [3]int{16, 16, 1}, k.Block)
	assert.Equal(t, 10, k.Registers)
	assert.Equal(t, uint64(8000), k.Cycles)
	assert.InDelta(t, 8, k.TimeUS, 0)
	assert.InDelta(t, 2560, k.Metrics["inst_executed"], 0)
	assert.InDelta(t, 2560.0/13000, k.Metrics["ipc"], 1e-6)
	assert.Len(t, k.Metrics, len(stats.Metrics()))
}

// docs/report.md names every member of the JSON.
func TestJSONIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/report.md")
	require.NoError(t, err)
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, item := range v {
				assert.Contains(t, string(text), "`"+key+"`")
				if key != "metrics" && key != "stalls" { // docs/metrics.md has their names
					look(item)
				}
			}
		case []any:
			for _, item := range v {
				look(item)
			}
		}
	}
	for _, run := range cases() {
		var out bytes.Buffer
		require.NoError(t, JSON(&out, run))
		var object map[string]any
		require.NoError(t, json.Unmarshal(out.Bytes(), &object))
		look(object)
	}
}

// In JSON only wall_clock depends on the host, in text only the last line, in CSV nothing.
func TestOnlyTheHostDiffers(t *testing.T) {
	write := func(format string, host Host, took time.Duration) string {
		run := cases()["one"]
		run.Host, run.Launches[0].Wall = host, took
		var out bytes.Buffer
		require.NoError(t, Write(&out, format, run))
		return out.String()
	}
	here, there := Host{Threads: 1, Wall: time.Second, PeakMemory: 1}, Host{Threads: 64, Wall: time.Hour, PeakMemory: 1 << 40}
	assert.Equal(t, write("csv", here, time.Second), write("csv", there, time.Hour))
	strip := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		assert.Contains(t, lines[len(lines)-1], "simulated in")
		return strings.Join(lines[:len(lines)-1], "\n")
	}
	assert.Equal(t, strip(write("text", here, time.Second)), strip(write("text", there, time.Hour)))
	object := func(text string) map[string]any {
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &o))
		assert.Contains(t, o, "wall_clock")
		delete(o, "wall_clock")
		return o
	}
	assert.Equal(t, object(write("json", here, time.Second)), object(write("json", there, time.Hour)))
}

func TestCSVHasALineALaunch(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, CSV(&out, cases()["several"]))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	assert.Equal(t, "16000", rows[2][15])
}

// The shown percentages sum to 100.0 despite rounding.
func TestShownStallsSumToHundred(t *testing.T) {
	for _, stalls := range [][]uint64{{1, 1, 1}, {2, 2, 2, 1}, {1, 1, 1, 1, 1, 1, 1}, {999, 1}, {1}} {
		l := &stats.Launch{}
		copy(l.Total.Stalls[:], stalls)
		sum := 0.0
		for _, s := range stallShares(l) {
			sum += s.part
		}
		assert.InDelta(t, 1, sum, 1e-12, stalls)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.01234: "0.0123", 0.5: "0.500", 1.234: "1.23", 9.999: "10.0", 12.34: "12.3",
		99.96: "100", 123.4: "123", 1234.5: "1,235", 1e-9: "1e-09"} {
		assert.Equal(t, want, significant(v))
	}
	assert.Equal(t, "1,234,567", count(1234567))
	assert.Equal(t, "12", count(12))
	assert.Equal(t, "288 GB/s", rate(288e9))
	assert.Equal(t, "1.00 kB", inBytes(999.9))
	assert.Equal(t, "250 ns", microseconds(0.25))
	assert.Equal(t, "12.5 ms", microseconds(12500))
	assert.Equal(t, "16 × 8", extent([3]int{16, 8, 1}))
	assert.Equal(t, "16 × 1 × 4", extent([3]int{16, 1, 4}))
}

func TestUnknownFormat(t *testing.T) {
	assert.ErrorContains(t, CheckFormat("xml"), "one of text, csv, full, gpgpusim, json")
	assert.ErrorContains(t, Write(&bytes.Buffer{}, "xml", &Run{}), "one of text, csv, full, gpgpusim, json")
}
