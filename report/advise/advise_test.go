package advise_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report/advise"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// launches runs a kernel of a workload with overrides; the results must be as expected with all of them.
func launches(t *testing.T, workload, kernel string, overrides ...string) []*stats.Launch {
	t.Helper()
	job, err := host.Open(context.Background(), "../../workloads/"+workload+"/"+workload+".yaml", host.Options{
		Config: "gk110", Kernel: kernel, Overrides: overrides, Simulator: sim.Options{Threads: 2},
	})
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, result.Mismatches, "%v", overrides)
	require.NotEmpty(t, result.Launches)
	return result.Launches
}

// measured caches the advice that several tests use, by workload and kernel; each takes a dozen runs.
var measured = map[[2]string]*advise.Advice{}

func measure(t *testing.T, workload, kernel string) *advise.Advice {
	t.Helper()
	if a := measured[[2]string{workload, kernel}]; a != nil {
		return a
	}
	a, err := advise.Measure(func(overrides ...string) ([]*stats.Launch, error) {
		return launches(t, workload, kernel, overrides...), nil
	})
	require.NoError(t, err)
	a.Config = "gk110"
	measured[[2]string{workload, kernel}] = a
	return a
}

// The advice's first limit is the one that a better version of the kernel improves, and that version is faster. If it improves nothing
// else, it takes the time that the advice predicted.
func TestAdviceAgreesWithBetterVersions(t *testing.T) {
	for _, test := range []struct {
		workload, kernel string
		first            string // the key of the largest gain
		better           [2]string
		exactly          bool // the better version lifts only this limit
	}{
		{"transpose", "transpose_naive", "ideal.coalescing", [2]string{"transpose", "transpose_padded"}, true},
		{"transpose", "transpose_tiled", "ideal.no_bank_conflicts", [2]string{"transpose", "transpose_padded"}, true},
		{"histogram", "histogram_global", "ideal.no_atomic_conflicts", [2]string{"histogram", "histogram_shared"}, false},
		{"spmv", "spmv_scalar", "ideal.coalescing", [2]string{"spmv", "spmv_vector"}, false},
		{"sgemm-naive", "sgemm_naive", "ideal.load_store", [2]string{"sgemm-tiled", "sgemm_tiled"}, false},
	} {
		t.Run(test.kernel, func(t *testing.T) {
			if testing.Short() && test.kernel != "transpose_tiled" {
				t.Skip("runs a kernel a dozen times")
			}
			a := measure(t, test.workload, test.kernel)
			best := a.Gains[0]
			assert.Equal(t, test.first, best.Key)
			assert.Greater(t, best.Percent, 10.0)
			naive, improved := launches(t, test.workload, test.kernel)[0], launches(t, test.better[0], test.better[1])[0]
			better := improved.TimeUS
			if test.workload != test.better[0] { // the workloads multiply matrices of different sizes
				better *= float64(naive.Total.FlopFMA32) / float64(improved.Total.FlopFMA32)
			}
			assert.Less(t, better, a.TimeUS)
			if test.exactly {
				assert.InEpsilon(t, better, best.TimeUS, 0.15, "what the advice foretold")
			}
			for i := 1; i < len(a.Gains); i++ {
				assert.GreaterOrEqual(t, a.Gains[i-1].Percent, a.Gains[i].Percent, "the largest first")
			}
			assert.GreaterOrEqual(t, a.All.Percent, best.Percent-3,
				"all limits lifted are at least as good as one, within what scheduling does by chance")
		})
	}
}

// A negative gain names the stall that grew.
func TestNegativeGainsAreExplained(t *testing.T) {
	run := func(overrides ...string) ([]*stats.Launch, error) {
		l := &stats.Launch{Kernel: "k", Cycles: 1000, TimeUS: 10}
		l.Total.Stalls[stats.StallMemoryDependency], l.Total.Stalls[stats.StallMemoryThrottle] = 4000, 100
		if len(overrides) == 1 && overrides[0] == "ideal.dual_issue=true" {
			l.Cycles, l.TimeUS = 1050, 10.5
			l.Total.Stalls[stats.StallMemoryDependency], l.Total.Stalls[stats.StallMemoryThrottle] = 4100, 600
		}
		return []*stats.Launch{l}, nil
	}
	a, err := advise.Measure(run)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, a.Text(&out))
	assert.Contains(t, out.String(), "-5.0 %     10.5 us  perfect dual issue")
	assert.Contains(t, out.String(), "Slower without the limit\n\n  perfect dual issue: warps wait longer elsewhere, "+
		"memory_throttle 2.4 % →\n    12.8 % of what they wait.")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 81, line)
	}
	assert.NotContains(t, out.String(), "zero-latency barriers: ")
	out.Reset()
	require.NoError(t, a.JSON(&out))
	assert.Contains(t, out.String(), `"slower_by": "memory_throttle"`)
}

// Each lift removes what it names.
func TestLiftsDoWhatTheySay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a dozen workloads twice")
	}
	with := func(workload, kernel, override string) (before, after *stats.Launch) {
		return launches(t, workload, kernel)[0], launches(t, workload, kernel, override)[0]
	}
	t.Run("no bank conflicts", func(t *testing.T) {
		before, after := with("transpose", "transpose_tiled", "ideal.no_bank_conflicts=true")
		assert.Positive(t, before.Total.SharedReplays)
		assert.Zero(t, after.Total.SharedReplays)
		assert.Zero(t, after.Total.CollectionCycles)
	})
	t.Run("coalescing", func(t *testing.T) {
		before, after := with("transpose", "transpose_naive", "ideal.coalescing=true")
		assert.Equal(t, 32*before.Total.GlobalStore.Requests, before.Total.GlobalStore.Transactions)
		assert.Equal(t, after.Total.GlobalStore.Requests, after.Total.GlobalStore.Transactions)
		assert.Equal(t, 4*after.Total.GlobalStore.Requests, after.Total.GlobalStore.Sectors)
	})
	t.Run("L2 always hits", func(t *testing.T) {
		before, after := with("transpose", "transpose_naive", "ideal.l2_hits=true")
		assert.Positive(t, before.Memory.DRAMReadSectors)
		assert.Zero(t, after.Memory.DRAMReadSectors+after.Memory.DRAMWriteSectors)
		assert.Equal(t, after.Memory.L2ReadSectors, after.Memory.L2ReadSectorHits)
	})
	t.Run("bandwidth", func(t *testing.T) {
		before, after := with("vectoradd", "", "ideal.bandwidth=2")
		// By less than half, because with twice DRAM's bandwidth the slices of L2 are the limit.
		assert.Less(t, after.TimeUS, 0.8*before.TimeUS, "a kernel that streams through memory is bound by it")
		assert.Equal(t, 2*before.Chip.DRAMBytesPerSecond, after.Chip.DRAMBytesPerSecond)
	})
	t.Run("registers", func(t *testing.T) {
		_, after := with("sgemm-tiled", "", "ideal.infinite_registers=true")
		assert.NotContains(t, after.Occupancy.Limiters, "registers")
	})
	t.Run("spills", func(t *testing.T) {
		capped := func(registers, resident int, overrides ...string) *stats.Launch {
			job, err := host.Open(t.Context(), "../../workloads/nbody/nbody.yaml", host.Options{
				Config: "gk110", Overrides: overrides, Simulator: sim.Options{Threads: 2, MaxRegisters: registers, Registers: resident},
			})
			require.NoError(t, err)
			result, err := job.Run(t.Context())
			require.NoError(t, err)
			require.Empty(t, result.Mismatches)
			return result.Launches[0]
		}
		before, after := capped(24, 0), capped(24, 0, "ideal.no_spills=true")
		assert.Positive(t, before.SpillBytes)
		assert.Zero(t, after.SpillBytes)
		assert.Equal(t, before.Occupancy, after.Occupancy)
		assert.Greater(t, before.Total.InstExecuted, after.Total.InstExecuted)
		assert.Equal(t, capped(0, before.Registers).Cycles, after.Cycles, "without a cap, and resident as with it")
	})
	t.Run("dual issue", func(t *testing.T) {
		before, after := with("sgemm-tiled", "", "ideal.dual_issue=true")
		assert.Greater(t, after.Total.IssuedDual, before.Total.IssuedDual)
		assert.Equal(t, before.Total.InstExecuted, after.Total.InstExecuted)
	})
	t.Run("atomics", func(t *testing.T) {
		before, after := with("histogram", "histogram_shared", "ideal.no_atomic_conflicts=true")
		assert.Less(t, after.Cycles, before.Cycles)
	})
	t.Run("load/store unit", func(t *testing.T) {
		before, after := with("sgemm-naive", "", "ideal.load_store=true")
		assert.Positive(t, before.Total.GlobalReplays)
		assert.Zero(t, after.Total.GlobalReplays)
		assert.Equal(t, before.Memory.L2ReadSectors, after.Memory.L2ReadSectors)
	})
	t.Run("divergence", func(t *testing.T) {
		before, after := with("quicksort", "", "ideal.no_divergence=true")
		assert.Less(t, after.Cycles, before.Cycles, "lanes go different ways")
		assert.Equal(t, before.Total.InstExecuted, after.Total.InstExecuted)
	})
	t.Run("barriers", func(t *testing.T) {
		before, after := with("scan", "", "ideal.free_barriers=true")
		assert.Less(t, after.Total.Stalls[stats.StallSync], before.Total.Stalls[stats.StallSync])
	})
}

// Advice is written as text and as JSON.
func TestAdviceIsTold(t *testing.T) {
	a := measure(t, "transpose", "transpose_tiled")
	var text, object bytes.Buffer
	require.NoError(t, a.Text(&text))
	assert.Contains(t, text.String(), "no bank conflicts: pad rows")
	require.NoError(t, a.JSON(&object))
	var parsed struct {
		Gains []struct {
			Key     string
			Percent float64 `json:"gain_percent"`
		}
	}
	require.NoError(t, json.Unmarshal(object.Bytes(), &parsed))
	require.Len(t, parsed.Gains, len(advise.Lifts))
	assert.Equal(t, a.Gains[0].Percent, parsed.Gains[0].Percent)
}
