package report

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The statistics that Accel-Sim's script looks for in a simulator's output, for a run of three launches. Accumulated counters have their
// last value, the others a value for each kernel. The first launch has 2,560 warp instructions in 13,312 cycles.
func TestScriptsOfGPGPUSimReadOurStatistics(t *testing.T) {
	runs := cases()
	var out bytes.Buffer
	require.NoError(t, Write(&out, "gpgpusim", runs["several"]))
	text := out.String()
	last := func(expression string) float64 {
		t.Helper()
		all := regexp.MustCompile(expression).FindAllStringSubmatch(text, -1)
		require.NotEmpty(t, all, expression)
		v, err := strconv.ParseFloat(strings.TrimSpace(all[len(all)-1][1]), 64)
		require.NoError(t, err, expression)
		return v
	}
	launches := runs["several"].Launches
	instructions, cycles := 0.0, 0.0
	for _, l := range launches {
		instructions += float64(l.Total.NotPredicatedOff)
		cycles += float64(l.LaunchCycles)
	}
	third := launches[2]
	for expression, want := range map[string]float64{
		`gpu_tot_sim_insn\s*=\s*(.*)`: instructions, `gpu_tot_sim_cycle\s*=\s*(.*)`: cycles,
		`gpu_sim_cycle\s*=\s*(.*)`: float64(third.LaunchCycles), `gpgpu_n_tot_w_icount\s*=\s*(.*)`: 3 * 2560,
		`total dram reads\s*=\s*(.*)`: 3 * 960, `total dram writes\s*=\s*(.*)`: 3 * 1200,
		`gpu_ipc\s*=\s*(.*)`:        float64(third.Total.NotPredicatedOff) / float64(third.LaunchCycles),
		`gpu_tot_ipc\s*=\s*(.*)`:    instructions / cycles,
		`gpu_occupancy\s*=\s*(.*)%`: 100 * third.Achieved(),
		`L2_BW\s*=\s*(.*)+GB\/Sec`:  32 * 2560 / (1e3 * third.TimeUS),
		`\s+L2_cache_stats_breakdown\[GLOBAL_ACC_R\]\[HIT\]\s*=\s*(.*)`:          0,
		`\s+L2_cache_stats_breakdown\[GLOBAL_ACC_R\]\[TOTAL_ACCESS\]\s*=\s*(.*)`: 0,
		`\s+L2_cache_stats_breakdown\[GLOBAL_ACC_W\]\[TOTAL_ACCESS\]\s*=\s*(.*)`: 0,
		`\s+Total_core_cache_stats_breakdown\[GLOBAL_ACC_R\]\[HIT\]\s*=\s*(.*)`:  0,
		`gpgpu_n_shmem_bkconflict\s*=\s*(.*)`:                                    3100,
		`gpgpu_simulation_time\s*=.*\(([0-9]+) sec\).*`:                          1,
	} {
		assert.InDelta(t, want, last(expression), 1e-4*max(1, want), expression)
	}
	assert.Len(t, regexp.MustCompile(`(?m)^kernel_name\s+=\s+(.*)`).FindAllString(text, -1), 3)
	assert.Regexp(t, `GPGPU-Sim.*\[build\s+(.*)\].*`, strings.Split(text, "\n")[0])
	assert.Regexp(t, `gpgpu_simulation_rate\s+=\s+(.*)\s+\(inst\/sec\)`, text)
	assert.Regexp(t, `(?m)^GPGPU-Sim: \*\*\* exit detected \*\*\*`, text)

	out.Reset()
	require.NoError(t, Write(&out, "gpgpusim", runs["stopped"]))
	assert.NotContains(t, out.String(), "exit detected", "scripts leave out a run that did not end")
	out.Reset()
	require.NoError(t, Write(&out, "gpgpusim", runs["functional"]))
	assert.NotContains(t, out.String(), "cycle", "no timing")
}
