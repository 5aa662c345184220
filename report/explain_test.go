package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Each rule applies exactly where it should, with the right numbers.
func TestFindings(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*stats.Launch)
		rule   func(*stats.Launch) string
		want   string // "" if no rule applies
	}{
		{"few blocks", func(l *stats.Launch) { l.Grid[0] = 9 }, findOccupancyGap, "the grid has 9 blocks where 16 fit at once"},
		{"idle SMXs", func(l *stats.Launch) { l.Grid[0] = 1 }, findOccupancyGap, "the grid has 1 block for 2 SMXs."},
		{"tail", func(l *stats.Launch) { l.Grid[0] = 20 }, findOccupancyGap, "the last of 2 waves of blocks is 25.0 % full (the tail)"},
		{"many waves", func(l *stats.Launch) {
			l.Grid[0] = 1000
			l.SMXs[1].ActiveCycles = 7000
		}, findOccupancyGap, "until its last warp ends"},
		{"imbalance", func(l *stats.Launch) { l.Grid[0] = 1000 }, findOccupancyGap, "not equally busy, 6,000 to 7,000 cycles"},
		{"no gap", func(l *stats.Launch) { l.Total.ActiveWarpCycles = 64 * l.Total.ActiveCycles }, findOccupancyGap, ""},
		// The busiest SMX has 7,000 active cycles, both together 13,000.
		{"device memory", func(l *stats.Launch) {
			l.Memory.DRAMPaths = stats.Busy{Sum: 70000, Most: 6300}
			l.Memory.DRAMReadSectors = 50000
		}, findLimit,
			// 51,200 sectors of 32 bytes in 8 µs: 204.8 of 288 GB/s
			"The limit is device memory: busy 90.0 % of the time (71.1 % of its peak rate over the whole launch). Move fewer bytes"},
		// 12 channels of 14,000 ticks each, minus a tenth for refreshes.
		{"the bus of device memory", func(l *stats.Launch) {
			l.Memory.DRAMBusyTicks, l.Memory.DRAMTurnarounds = 100000, 1000
		}, findLimit, "The limit is device memory: busy 75.4 % of the time"},
		{"one channel", func(l *stats.Launch) {
			l.Memory.DRAMPaths = stats.Busy{Sum: 8400, Most: 6300}
		}, findLimit, "(the busiest of its 12 channels; the average is 10.0 %: addresses crowd in some of them)"},
		{"rows", func(l *stats.Launch) {
			l.Memory.DRAMActivates = 16800
			l.Memory.DRAMReadSectors = 20000
		}, findLimit, "The limit is the opening of rows in device memory: busy 80.0 % of the time (a row is opened for every 40 bytes)"},
		{"translation", func(l *stats.Launch) { l.Memory.TLBWalks = 140 }, findLimit, "The limit is the address translation: busy 80.0 %"},
		{"L2", func(l *stats.Launch) {
			l.Memory.L2Slices = stats.Busy{Sum: 80000, Most: 7000}
		}, findLimit, "The limit is the bandwidth of L2: busy 100.0 % of the time. Reuse"},
		{"atomics", func(l *stats.Launch) {
			l.Memory.AtomicUnits = stats.Busy{Sum: 70000, Most: 6300}
			l.Memory.L2AtomicRequests, l.Memory.L2AtomicLanes, l.Memory.L2AtomicConflicts = 10, 80, 20
		}, findLimit, "The limit is the atomics units of L2: busy 90.0 % of the time (8.00 lanes a request, 25.0 % of the lanes wait " +
			"for another on their word). Combine results"},
		{"answers", func(l *stats.Launch) { l.Memory.ResponseLinks.Sum = 11700 }, findLimit, "the way from L2 to the SMXs: busy 90.0 %"},
		{"requests", func(l *stats.Launch) { l.Memory.RequestLinks.Sum = 11700 }, findLimit, "the way from the SMXs to L2: busy 90.0 %"},
		{"scattered loads", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassGlobal], l.Total.LoadStoreCycles[isa.ClassShared], l.Block = 10400, 1300, [3]int{256, 1, 1}
		}, findLimit,
			"The limit is the load/store unit: busy 90.0 % of the time (88.9 % of that for global loads and stores, of 3.33 lines of " +
				"128 bytes each). Neighbouring threads"},
		{"wide accesses", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassShared] = 11700
			l.Total.SharedLoad = stats.Traffic{Requests: 10, Transactions: 20, Bytes: 2560}
			l.Total.SharedNeeded, l.Total.SharedNarrow = 10, 10
		}, findLimit,
			"of 2.00 passes over the banks each). Banks of 8 bytes"},
		{"loads that begin within a line", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassGlobal] = 11700
			l.Block = [3]int{32, 8, 1}
			l.Total.GlobalStore = stats.Traffic{}
			l.Total.GlobalLoad = stats.Traffic{Requests: 100, Transactions: 190, Sectors: 500, Bytes: 12800}
		}, findLimit, "of 1.90 lines of 128 bytes each). Wider accesses"},
		{"coalesced loads", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassGlobal] = 11700
			l.Total.GlobalStore = stats.Traffic{}
		}, findLimit, "of 1.00 lines of 128 bytes each). Wider accesses"},
		{"bank conflicts", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassShared] = 11700
			l.Total.SharedLoad = stats.Traffic{Requests: 10, Transactions: 40}
		}, findLimit,
			"for accesses of shared memory, of 4.00 passes over the banks each). Fewer bank conflicts"},
		{"read-only loads", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassReadOnly] = 11700
			l.Total.ReadOnlyLoad = stats.Traffic{Requests: 10, Transactions: 40}
		}, findLimit,
			"for read-only loads, of 4.00 lines of 32 bytes each). Keep what is read again"},
		{"read-only loads without a cache for them", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassReadOnly] = 11700
		}, findLimit, "(100.0 % of that for global loads and stores"},
		{"shared atomics", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassSharedAtomic] = 11700
			l.Total.SharedAtomics = stats.Traffic{Requests: 10, Transactions: 40}
		}, findLimit, "a copy for each warp"},
		{"local memory", func(l *stats.Launch) { l.Total.LoadStoreCycles[isa.ClassLocal] = 11700 }, findLimit, "Fewer spilled registers"},
		{"constants", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassConstant] = 11700
		}, findLimit, "for loads of constants). The threads of a warp should read the same"},
		{"miss registers", func(l *stats.Launch) {
			l.Total.HeldCycles, l.Total.L1Local = 11700, stats.CacheCount{Accesses: 5000, Hits: 1000}
		}, findLimit, "The limit is the MSHRs of the SMX's caches: busy 90.0 % of the time (accesses wait for one, most for local " +
			"memory in L1, which misses 4,000 times). Smaller arrays, fewer spilled registers"},
		{"textures", func(l *stats.Launch) { l.Total.TextureCycles = 46800 }, findLimit, "the texture units: busy 90.0 %"},
		{"texture lines", func(l *stats.Launch) { l.Total.TextureCache.Accesses = 46800 }, findLimit, "the texture units: busy 90.0 %"},
		{"issue slots", func(l *stats.Launch) {
			l.Total.IssuedSingle = 46500
		}, findLimit, "the issue slots: busy 90.0 % of the time. Only fewer instructions"},
		{"replays", func(l *stats.Launch) {
			l.Total.IssuedSingle, l.Total.GlobalReplays = 46500, 23400
		}, findLimit, "(replays of memory accesses take 50.0 % of them). Accesses of fewer lines"},
		{"register banks", func(l *stats.Launch) {
			l.Total.IssuedSingle, l.Total.CollectionCycles = 38700, 7800
		}, findLimit, "the register file's banks: busy 90.0 %"},
		// At 160 results a cycle, a warp takes 0.2 cycles.
		{"a shared rate", func(l *stats.Launch) {
			l.Total.ByClass[isa.ClassInteger], l.Total.ByClass[isa.ClassCompare] = 36000, 22500
		}, findLimit,
			"The limit is the rate of whole-number additions and logic, comparisons: busy 90.0 % of the time (an SMX carries out 160 a " +
				"cycle, and 192 single-precision additions)"},
		{"multiplications", func(l *stats.Launch) {
			l.Total.ByClass[isa.ClassMultiply], l.Total.ByClass[isa.ClassBits] = 11000, 700
		}, findLimit, "The limit is the rate of whole-number multiplications: busy 90.0 %"},
		{"double precision", func(l *stats.Launch) {
			l.Total.ByClass[isa.ClassFP64] = 23400
		}, findLimit, "the rate of double-precision additions and multiplications: busy 90.0 % of the time (an SMX carries out 64 a cycle"},
		{"special functions", func(l *stats.Launch) {
			l.Total.ByClass[isa.ClassSFU] = 11700
		}, findLimit, "the rate of special functions: busy 90.0 %"},
		{"all lanes", func(l *stats.Launch) {
			l.Total.ByClass[isa.ClassInteger], l.Total.ByClass[isa.ClassFP32] = 32500, 32500
		}, findLimit, "The limit is the arithmetic lanes: busy 83.3 % of the time (an SMX has 192)"},
		{"near a limit", func(l *stats.Launch) { l.Total.LoadStoreCycles[isa.ClassGlobal] = 7800 }, findLimit,
			"The nearest limit is the load/store unit: busy 60.0 % of the time (100.0 % of that for global loads and stores, of 3.33 " +
				"lines of 128 bytes each). Blocks of 32 threads or more in x, not 16, let a warp touch fewer lines. Beside that, warps " +
				"wait for data from memory"},
		{"requests in flight", func(l *stats.Launch) {
			l.Total.OutstandingCycles = 350 * 13000
		}, findLimit, "Each SMX has 350 requests to memory in flight of the 384 that it can have"},
		{"latency", func(*stats.Launch) {}, findLimit, "No unit is busy for more than 4.4 % of the time: warps wait for data from " +
			"memory, 66.7 % of all waiting. More warps at a time, or more independent loads"},
		{"latency, and a unit in use", func(l *stats.Launch) {
			l.Total.IssuedSingle = 20000
		}, findLimit, "No unit is at its limit (the nearest is the issue slots, busy 39.0 % of the time): warps wait"},
		{"latency with all warps there", func(l *stats.Launch) {
			l.Total.ActiveWarpCycles = 64 * l.Total.ActiveCycles
		}, findLimit, "of all waiting. More independent loads in a thread would hide it."},
		{"arithmetic latency", func(l *stats.Launch) {
			l.Total.Stalls[stats.StallExecutionDependency] = 1e6
		}, findLimit, "more independent arithmetic"},
		{"atomics on shared memory", func(l *stats.Launch) {
			l.Total.Stalls[stats.StallShared], l.Total.SharedAtomics = 1e6, stats.Traffic{Requests: 10, Transactions: 30}
		}, findLimit, "warps wait for atomics on shared memory (3.00 rounds each)"},
		{"results of atomics", func(l *stats.Launch) { l.Memory.AtomicLatency = 1000 }, findLimit, "warps wait for the results of atomics"},
		{"latency of shared memory", func(l *stats.Launch) {
			l.Total.Stalls[stats.StallShared] = 1e6
		}, findLimit, "warps wait for data from shared memory"},
		{"branches", func(l *stats.Launch) { l.Total.Stalls[stats.StallBranch] = 1e6 }, findLimit, "unrolled loops"},
		{"fences", func(l *stats.Launch) { l.Total.Stalls[stats.StallFence] = 1e6 }, findLimit, "Fewer fences"},
		{"large code", func(l *stats.Launch) {
			l.CodeBytes, l.Total.InstructionL15 = 12800, stats.CacheCount{Accesses: 500, Hits: 300}
		}, findColdStart, "The code, 12.8 kB, does not stay in the instruction cache of 8.19 kB: 16.7 % of all waiting"},
		{"large code, a loop of which stays", func(l *stats.Launch) {
			l.CodeBytes, l.Total.InstructionL15 = 12800, stats.CacheCount{Accesses: 250, Hits: 50}
		}, findColdStart, "an SMX reads for the first time"},
		{"small code, first read", func(l *stats.Launch) {
			l.CodeBytes, l.Total.InstructionL15 = 3500, stats.CacheCount{Accesses: 500, Hits: 450}
		}, findColdStart, "16.7 % of all waiting is for instructions and constants that an SMX reads for the first time; this weighs " +
			"where each instruction runs seldom, here 2.93 times an SMX"},
		{"constants that do not stay", func(l *stats.Launch) {
			l.Total.Stalls[stats.StallInstructionFetch], l.Total.Stalls[stats.StallConstant] = 0, 1e6
			l.Total.ConstantL15 = stats.CacheCount{Accesses: 1000, Hits: 900}
		}, findColdStart, ""},
		{"constants read first", func(l *stats.Launch) {
			l.Total.Stalls[stats.StallInstructionFetch], l.Total.Stalls[stats.StallConstant] = 0, 1e6
			l.Total.ConstantL15 = stats.CacheCount{Accesses: 100, Hits: 70}
		}, findColdStart, "66.7 % of all waiting is for instructions and constants"},
		{"small code, long run", func(l *stats.Launch) { l.Total.Stalls[stats.StallMemoryDependency] = 1e7 }, findColdStart, ""},
		{"short launch", func(l *stats.Launch) { l.TimeUS = 10 }, findShortness, "30.0 % of its time passes before its first block begins"},
		{"long launch", func(*stats.Launch) {}, findShortness, ""},
		{"registers", func(l *stats.Launch) {
			l.Occupancy = stats.Occupancy{Warps: 16, Limiters: []string{"registers"}}
		}, findLimiter, "Only 16 of 64 warps fit into an SMX: 10 registers a thread"},
		{"small blocks", func(l *stats.Launch) {
			l.Occupancy = stats.Occupancy{Warps: 16, Limiters: []string{"blocks"}}
		}, findLimiter, "blocks of 256 threads are small"},
		{"few warps, but room for all blocks", func(l *stats.Launch) {
			l.Occupancy = stats.Occupancy{Blocks: 10, Warps: 16, Limiters: []string{"blocks"}}
		}, findLimiter, ""},
		{"enough warps", func(*stats.Launch) {}, findLimiter, ""},
		{"strided stores", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassGlobal] = 6000
		}, findCoalescing, "Global stores use 50.0 % of the bytes that they move (8.00 sectors of 32 bytes an instruction): " +
			"neighbouring threads"},
		{"strided stores, too few to matter", func(l *stats.Launch) { l.Total.LoadStoreCycles[isa.ClassGlobal] = 300 }, findCoalescing, ""},
		{"bytes", func(l *stats.Launch) {
			l.Total.GlobalStore = stats.Traffic{Requests: 1000, Transactions: 1200, Sectors: 1900, Bytes: 32000}
			l.Memory.L2WriteSectors, l.Memory.L2Slices.Most = 1900, 3500
		}, findCoalescing, "each is short and begins or ends within a sector"},
		{"one lane a warp", func(l *stats.Launch) {
			l.Total.GlobalStore = stats.Traffic{Requests: 1000, Transactions: 1000, Sectors: 1000, Bytes: 4000}
			l.Memory.L2WriteSectors, l.Memory.L2Slices.Most = 1000, 3500
		}, findCoalescing, "each asks for less than a sector"},
		{"coalesced", func(l *stats.Launch) {
			l.Total.LoadStoreCycles[isa.ClassGlobal] = 6000
			l.Total.GlobalStore.Bytes *= 2
		}, findCoalescing, ""},
		{"conflicts", func(l *stats.Launch) {
			l.Total.SharedLoad, l.Total.SharedNeeded = stats.Traffic{Requests: 1000, Transactions: 4000, Bytes: 128000}, 1000
		}, findBankConflicts, "take 4.00 passes on average where 1.00 would do: lanes meet in banks."},
		{"64-bit words in banks of 4 bytes", func(l *stats.Launch) {
			l.Total.SharedLoad, l.Total.SharedNeeded, l.Total.SharedNarrow = stats.Traffic{Requests: 1000, Transactions: 2000,
				Bytes: 256000}, 1000, 1000
		}, findBankConflicts, "take 2.00 passes on average where 1.00 would do: banks of 8 bytes"},
		{"128-bit words", func(l *stats.Launch) {
			l.Total.SharedLoad, l.Total.SharedNeeded = stats.Traffic{Requests: 1000, Transactions: 2000, Bytes: 512000}, 2000
		}, findBankConflicts, ""},
		{"few conflicts", func(l *stats.Launch) {
			l.Total.SharedLoad = stats.Traffic{Requests: 10, Transactions: 40}
		}, findBankConflicts, ""},
		{"no conflicts", func(l *stats.Launch) {
			l.Total.SharedLoad, l.Total.SharedNeeded = stats.Traffic{Requests: 1000, Transactions: 1000}, 1000
		}, findBankConflicts, ""},
		{"divergence", func(l *stats.Launch) {
			l.Total.ThreadInstExecuted, l.Total.DivergentBranches = 25600, 12
		}, findDivergence, "10.0 of its 32 lanes active on average; 12 of 160 branches"},
		{"odd blocks", func(l *stats.Launch) {
			l.Total.ThreadInstExecuted, l.Block = 25600, [3]int{10, 1, 1}
		}, findDivergence, "blocks of 10 threads leave lanes"},
		{"full warps", func(*stats.Launch) {}, findDivergence, ""},
		{"barriers", func(l *stats.Launch) { l.Total.Stalls[stats.StallSync] = 1e6 }, findBarriers, "at barriers"},
		{"barriers that a part of a warp reaches", func(l *stats.Launch) {
			l.Total.Barriers, l.Total.PartialBarriers = 16, 4
		}, findPartialBarriers, "4 of 16 arrivals at barriers came with a part of the warp's threads"},
		{"and no advice about their wait", func(l *stats.Launch) {
			l.Total.Stalls[stats.StallSync], l.Total.PartialBarriers = 1e6, 4
		}, findBarriers, ""},
		{"barriers that whole warps reach", func(l *stats.Launch) { l.Total.Barriers = 16 }, findPartialBarriers, ""},
		{"no barriers", func(*stats.Launch) {}, findBarriers, ""},
		{"spills", func(l *stats.Launch) {
			l.SpillBytes, l.SpillStores, l.SpillLoads = 8, 2, 3
		}, findSpills, "8 bytes of registers a thread are spilled to local memory (2 stores, 3 loads"},
		{"no spills", func(*stats.Launch) {}, findSpills, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := launch()
			test.change(l)
			got := test.rule(l)
			if test.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, test.want)
			assert.True(t, strings.HasSuffix(got, "."), got)
		})
	}
	functional := launch()
	functional.Functional = true
	assert.Empty(t, Findings(functional))
	assert.Empty(t, Findings(&stats.Launch{}))
}
