package suite

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		{"keplersim: launch of k failed\nDevice assert failed as expected\nreturned OK\n", true, true},
	} {
		passed, checked, _ := Judge(c.out)
		assert.Equal(t, c.passed, passed, c.out)
		assert.Equal(t, c.checked, checked, c.out)
	}
}

// The suites that come with keplersim are whole: each program has three sizes, and no two have one name.
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

// A row adds up launches: cycles and times; counters are means by cycles, and a launch without an estimate was timed whole.
func TestRowsAddUp(t *testing.T) {
	var r report
	require.NoError(t, json.Unmarshal([]byte(`{"kernels": [
		{"launch_cycles": 100, "time_us": 1, "trust": {"typical_percent": 10}, "metrics": {"ipc": 1}},
		{"launch_cycles": 300, "time_us": 3, "trust": {"typical_percent": 20}, "metrics": {"ipc": 2},
		 "estimate": {"detailed": 0.5, "cycles_low": 240, "cycles_high": 360}}], "wall_clock": {"seconds": 1.5}}`), &r))
	var row Row
	row.take(&r)
	assert.Equal(t, Row{Launches: 2, Cycles: 400, TimeUS: 4, Interval: 15, Error: 17.5, Timed: 62.5, HostSeconds: 1.5,
		Counters: [len(Counters)]float64{1.75}}, row)
}
