package suite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/study"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		out             string
		passed, checked bool
	}{
		{"Test PASSED\n", true, true},
		{"done\n", true, false},
		{"Result = FAIL\n", false, true},
		{"0 errors\nmismatches: 0\n", true, false},
		{"12 mismatches\n", false, true},
		{"Non-Matching CPU-GPU Outputs Beyond Error Threshold of 0.05 Percent: 0\n", true, true},
		{"Non-Matching CPU-GPU Outputs Beyond Error Threshold of 0.05 Percent: 3\n", false, true},
		{"the program gets CUDA error 700 at its next synchronising call\nComputation done\n", false, true},
		{"keplersim: launch of k failed\nthe program gets CUDA error 710 at its next synchronising call\n" +
			"Device assert failed as expected\nreturned OK\n", true, true},
	} {
		passed, checked, _ := Judge(c.out)
		assert.Equal(t, c.passed, passed, c.out)
		assert.Equal(t, c.checked, checked, c.out)
	}
}

// The suites of keplersim are complete: each program has three sizes, and names are unique.
func TestSuitesAreWhole(t *testing.T) {
	require.Equal(t, []string{"polybench", "rodinia"}, Names())
	for _, name := range Names() {
		s, err := Load(name)
		require.NoError(t, err)
		assert.Equal(t, name, s.Name)
		assert.Equal(t, []string{"large", "medium", "small"}, s.Sizes())
		seen := map[string]bool{}
		for _, p := range s.Programs {
			assert.Len(t, p.Sizes, 3, p.Name)
			assert.False(t, seen[p.Name], p.Name)
			seen[p.Name] = true
		}
		assert.ErrorContains(t, s.Check(t.TempDir()), "git clone "+s.Source)
	}
	_, err := Load("parsec")
	assert.ErrorContains(t, err, "suites are polybench, rodinia")
}

// A row sums cycles and times over launches. Counters are means weighted by cycles, and a launch without an estimate counts as fully timed.
func TestRowsAddUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"config_hash": "h", "kernels": [
		{"launch_cycles": 100, "time_us": 1, "trust": {"typical_percent": 10}, "metrics": {"ipc": 1}},
		{"launch_cycles": 300, "time_us": 3, "trust": {"typical_percent": 20}, "metrics": {"ipc": 2},
		 "estimate": {"detailed": 0.5, "cycles_low": 240, "cycles_high": 360}}], "wall_clock": {"seconds": 1.5, "kernel_seconds": [1]}}`), 0o600))
	saved, err := report.ReadSaved([]string{file})
	require.NoError(t, err)
	row := Row{Suite: "s", Program: "p", Size: "small", Board: "k40", Status: study.OK}
	row.take(&saved[0])
	failed := Row{Suite: "s", Program: "q", Size: "small", Board: "k40", Status: study.Failed, Reason: "build: no"}
	table := Table([]Row{row, failed})
	cells := map[string]string{}
	for i, name := range table.Columns {
		cells[name] = table.Rows[0][i]
	}
	assert.NotEmpty(t, cells["keplersim"])
	delete(cells, "keplersim")
	assert.Equal(t, map[string]string{
		"workload": "p", "board": "k40", "suite": "s", "size": "small", "status": "ok",
		"reason": "", "launches": "2", "launch_cycles": "400",
		"time_us": "4", "interval_percent": "15", "typical_error_percent": "17.5", "timed_percent": "62.5", "ipc": "1.75",
		"achieved_occupancy": "0", "gld_efficiency": "0", "l2_read_hit_rate": "0", "dram_peak_percent": "0", "host_seconds": "1.5",
		"config": "h", "schema": "1",
	}, cells)
	assert.Equal(t, []string{"q", "k40", "s", "small", "failed", "build: no", "", "", ""}, table.Rows[1][:9])
}
