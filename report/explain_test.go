package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/stats"
)

// Each rule speaks where it should, of the numbers that it should, and only there.
func TestFindings(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*stats.Launch)
		rule   func(*stats.Launch) string
		want   string // "" for silence
	}{
		{"few blocks", func(l *stats.Launch) { l.Grid[0] = 9 }, findOccupancyGap, "the grid has 9 blocks where 16 fit at once"},
		{"idle SMXs", func(l *stats.Launch) { l.Grid[0] = 1 }, findOccupancyGap, "the grid has 1 block for 2 SMXs."},
		{"tail", func(l *stats.Launch) { l.Grid[0] = 20 }, findOccupancyGap, "the last of 2 waves of blocks is 25.0 % full (the tail)"},
		{"many waves", func(l *stats.Launch) { l.Grid[0] = 1000; l.SMXs[1].ActiveCycles = 7000 }, findOccupancyGap, "until its last warp ends"},
		{"imbalance", func(l *stats.Launch) { l.Grid[0] = 1000 }, findOccupancyGap, "not equally busy, 6,000 to 7,000 cycles"},
		{"no gap", func(l *stats.Launch) { l.Total.ActiveWarpCycles = 64 * l.Total.ActiveCycles }, findOccupancyGap, ""},
		{"device memory", func(l *stats.Launch) { l.Memory.DRAMReadSectors = 60000 }, findBusiest, "bound by device memory: 85.0 %"}, // 61,200 sectors of 32 bytes in 8 µs: 244.8 of 288 GB/s
		{"latency", func(*stats.Launch) {}, findBusiest, "More warps, or more independent loads"},
		{"arithmetic latency", func(l *stats.Launch) { l.Total.Stalls[stats.StallExecutionDependency] = 1e6 }, findBusiest, "more independent arithmetic"},
		{"code", func(l *stats.Launch) { l.Total.Stalls[stats.StallInstructionFetch] = 1e6 }, findBusiest, "instruction cache"},
		{"registers", func(l *stats.Launch) { l.Occupancy = stats.Occupancy{Warps: 16, Limiters: []string{"registers"}} }, findLimiter, "Only 16 of 64 warps fit into an SMX: 10 registers a thread"},
		{"small blocks", func(l *stats.Launch) { l.Occupancy = stats.Occupancy{Warps: 16, Limiters: []string{"blocks"}} }, findLimiter, "blocks of 256 threads are small"},
		{"enough warps", func(*stats.Launch) {}, findLimiter, ""},
		{"strided stores", func(*stats.Launch) {}, findCoalescing, "Global stores use 50.0 % of the bytes that they move (8.00 sectors"},
		{"coalesced", func(l *stats.Launch) { l.Total.GlobalStore.Bytes = 2 * l.Total.GlobalStore.Bytes }, findCoalescing, ""},
		{"conflicts", func(l *stats.Launch) { l.Total.SharedLoad = stats.Traffic{Requests: 10, Transactions: 40} }, findBankConflicts, "take 4.00 passes"},
		{"no conflicts", func(l *stats.Launch) { l.Total.SharedLoad = stats.Traffic{Requests: 10, Transactions: 10} }, findBankConflicts, ""},
		{"divergence", func(l *stats.Launch) { l.Total.ThreadInstExecuted, l.Total.DivergentBranches = 25600, 12 }, findDivergence, "10.0 of its 32 lanes active on average; 12 of 160 branches"},
		{"odd blocks", func(l *stats.Launch) { l.Total.ThreadInstExecuted, l.Block = 25600, [3]int{10, 1, 1} }, findDivergence, "blocks of 10 threads leave lanes"},
		{"full warps", func(*stats.Launch) {}, findDivergence, ""},
		{"barriers", func(l *stats.Launch) { l.Total.Stalls[stats.StallSync] = 1e6 }, findBarriers, "at barriers"},
		{"no barriers", func(*stats.Launch) {}, findBarriers, ""},
		{"spills", func(l *stats.Launch) { l.SpillBytes, l.SpillStores, l.SpillLoads = 8, 2, 3 }, findSpills, "8 bytes of registers a thread are spilled to local memory (2 stores, 3 loads"},
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
