package validation

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
)

// runSweep measures one sweep and returns its tables' values by row and column.
func runSweep(t *testing.T, name, board string, overrides ...string) []map[string]map[string]float64 {
	t.Helper()
	sweep, err := FindSweep(name)
	require.NoError(t, err)
	tables, err := sweep.Run(context.Background(), loadConfig(t, board, overrides...), Options{Progress: func(p Progress) {
		assert.LessOrEqual(t, p.Done, p.Total)
	}})
	require.NoError(t, err)
	var all []map[string]map[string]float64
	for _, table := range tables {
		values := map[string]map[string]float64{}
		for _, row := range table.Rows {
			require.Len(t, row.Values, len(table.Columns))
			values[row.Label] = map[string]float64{}
			for i, v := range row.Values {
				values[row.Label][table.Columns[i]] = v
			}
		}
		all = append(all, values)
	}
	return all
}

// The bank rules of compute capability 3.x (CUDA C Programming Guide): odd strides never conflict in 4-byte mode. A stride of 3 conflicts
// in 8-byte mode, whose banks have 8-byte words. Neighbouring 8-byte numbers conflict in neither mode: a K80 moves them at the full rate
// with 4-byte banks (gpumembench), because the two words of a pair arrive together.
func TestSharedSweepFollowsTheBankRules(t *testing.T) {
	passes := runSweep(t, "shared", "gk110")[0]
	const narrow, wide = "4-byte banks, 4-byte loads", "8-byte banks, 4-byte loads"
	for _, stride := range []string{"1", "3", "5", "31", "33"} {
		assert.Equal(t, 1.0, passes[stride][narrow], stride)
	}
	assert.Equal(t, 32.0, passes["64"][narrow])
	assert.Equal(t, 1.0, passes["6"][wide])
	assert.Equal(t, 2.0, passes["6"][narrow])
	assert.Equal(t, 1.0, passes["2"]["4-byte banks, 8-byte loads"])
	assert.Equal(t, 1.0, passes["2"]["8-byte banks, 8-byte loads"])
	assert.True(t, math.IsNaN(passes["1"]["8-byte banks, 8-byte loads"]))
}

// The constant caches have 2 and 32 KB with latencies of 30, 92 and 220 cycles (Jia et al. 2018). Further addresses cost a pass each.
func TestConstantSweepShowsThePlateaus(t *testing.T) {
	tables := runSweep(t, "constants", "k80")
	for label, want := range map[string]float64{"512": 30, "2K": 30, "4K": 92, "32K": 92, "48K": 220, "64K": 220} {
		assert.InEpsilon(t, want, tables[0][label]["stride 256"], 0.05, label)
	}
	step := tables[1]["2"]["all in one line"] - tables[1]["1"]["all in one line"]
	assert.Positive(t, step)
	assert.InDelta(t, tables[1]["1"]["all in one line"]+31*step, tables[1]["32"]["all in one line"], 1)
}

// The line is the stride at which every load fetches its own line. A way is the smallest stride at which a footprint beyond L1 fits again.
func TestStrideSweepShowsLineAndWay(t *testing.T) {
	latency := runSweep(t, "strides", "gk210", "l1.policy=lru")[0]
	for _, footprint := range []string{"8KB", "32KB", "48KB"} {
		assert.Equal(t, latency["8"][footprint], latency["128"][footprint], footprint)
	}
	over := func(stride string) float64 { return latency[stride]["96KB"] - latency[stride]["48KB"] }
	assert.InEpsilon(t, 2, over("64")/over("32"), 0.02)
	assert.InEpsilon(t, 2, over("128")/over("64"), 0.02)
	assert.InEpsilon(t, 1, over("256")/over("128"), 0.02)
	assert.Positive(t, over("8K"))
	assert.Zero(t, over("16K")) // 6 loads a set of 6 ways
}

func TestContendedAtomicsAreSlower(t *testing.T) {
	config := loadConfig(t, "gk110")
	rate := func(where, kind int) float64 {
		b, err := newBench(config, sim.Options{})
		require.NoError(t, err)
		v, err := atomicRate(context.Background(), b, contentions[where], kind)
		require.NoError(t, err)
		return v
	}
	const red32, red64 = 0, 2
	word, line, own := rate(0, red32), rate(2, red32), rate(4, red32)
	assert.Greater(t, line, 4*word)
	assert.Greater(t, own, 4*line)
	assert.Greater(t, own, 1.5*rate(4, red64), "64-bit words take twice the sectors")
}

// Little's law: with few warps, bandwidth grows with warps times loads in flight, up to the memory's bandwidth.
func TestBandwidthGrowsWithLoadsInFlight(t *testing.T) {
	config := loadConfig(t, "gk110", "smx.count=4", "l2.bytes=384K")
	rate := func(warps, inFlight int) float64 {
		b, err := newBench(config, sim.Options{})
		require.NoError(t, err)
		v, err := readBandwidth(context.Background(), b, 64<<20, warps, inFlight)
		require.NoError(t, err)
		return v
	}
	one := rate(1, 1)
	assert.InEpsilon(t, 4, rate(4, 1)/one, 0.1)
	assert.InEpsilon(t, 2, rate(1, 2)/one, 0.1)
	assert.Less(t, rate(64, 4), 64*4*one/2)
}

func TestUnknownSweepIsNamed(t *testing.T) {
	_, err := FindSweep("stride")
	require.ErrorContains(t, err, `no sweep "stride"; there are caches, strides`)
}
