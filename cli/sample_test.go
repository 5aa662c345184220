package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// iterated is a workload file with one launch many times.
func iterated(t *testing.T, times int) string {
	t.Helper()
	module, err := filepath.Abs("../workloads/saxpy/saxpy.ptx")
	require.NoError(t, err)
	text := fmt.Sprintf(`name: iterated
module: %s
config: gk110
buffers:
  x: {type: f32, count: 8192, init: {random: {seed: 1, min: -1, max: 1}}}
  y: {type: f32, count: 8192, init: {random: {seed: 2, min: -1, max: 1}}}
steps:
%s`, module, strings.Repeat("  - launch: {kernel: saxpy, grid: [32], block: [256], args: [{u32: 8192}, {f32: 2.0}, x, y]}\n", times))
	file := filepath.Join(t.TempDir(), "iterated.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// Launches that are like those before are estimated; every report says so, and what they compute is the same.
func TestSampleLabelsItsEstimates(t *testing.T) {
	file := iterated(t, 12)
	type launch struct {
		Cycles   uint64
		Estimate *struct {
			Launches   int
			Low        float64 `json:"cycles_low"`
			High       float64 `json:"cycles_high"`
			Confidence float64
		}
	}
	var reports [2]struct {
		Kernels []launch
		Results []struct{ SHA256 string }
	}
	for i, args := range [][]string{nil, {"--sample"}} {
		code, out, errOut := keplersim(t, append([]string{"run", "--format", "json", file}, args...)...)
		require.Zero(t, code, errOut)
		require.NoError(t, json.Unmarshal([]byte(out), &reports[i]))
	}
	whole, part := reports[0], reports[1]
	require.Equal(t, whole.Results, part.Results)
	estimates := 0
	for i, k := range part.Kernels {
		require.Nil(t, whole.Kernels[i].Estimate)
		if e := k.Estimate; e != nil {
			estimates++
			assert.GreaterOrEqual(t, e.Launches, 3)
			assert.Equal(t, 0.95, e.Confidence)
			assert.LessOrEqual(t, e.Low, float64(k.Cycles))
			assert.GreaterOrEqual(t, e.High, float64(k.Cycles))
			assert.InEpsilon(t, whole.Kernels[i].Cycles, k.Cycles, 0.05)
		}
	}
	require.GreaterOrEqual(t, estimates, 4)
	code, out, _ := keplersim(t, "run", "--sample", file)
	require.Zero(t, code)
	assert.Contains(t, out, fmt.Sprintf("\n%d of them estimated from launches or blocks that were timed (--sample): ± ", estimates))
}

func TestSampleRefusesWhatItCannotEstimate(t *testing.T) {
	file := iterated(t, 1)
	for args, part := range map[string]string{
		"--functional": "--sample estimates time", "--check": "--sample estimates time", "--reuse-distance": "every access timed",
		"--format=csv": "no place for how sure",
	} {
		code, _, errOut := keplersim(t, "run", "--sample", args, file)
		assert.Equal(t, exitBadInput, code, args)
		assert.Contains(t, errOut, part)
	}
}
