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

// iterated returns a workload file with one launch, repeated.
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

// Launches similar to earlier ones are estimated. Every report says so, and the results are the same.
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
	note := fmt.Sprintf(" %d of them estimated from launches or blocks that were timed (--sample, --budget): ± ", estimates)
	assert.Contains(t, unwrapped(out), note)
}

// With --sample=time, results that timing does not need are not computed. The reports say so, and nothing is compared with expectations.
func TestSampleForTimeAlone(t *testing.T) {
	file := iterated(t, 12)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "expect:\n  y: {values: [1]}\n"...), 0o600))
	code, out, _ := keplersim(t, "run", "--sample", file)
	require.Equal(t, exitFailed, code, out)
	code, out, errOut := keplersim(t, "run", "--sample=time", file)
	require.Zero(t, code, errOut)
	assert.Contains(t, out, "results incomplete")
	assert.NotContains(t, out, "FAILED")
	code, out, errOut = keplersim(t, "run", "--sample=time", "--format", "json", file)
	require.Zero(t, code, errOut)
	var r struct {
		Incomplete bool `json:"results_incomplete"`
		Results    []any
		Checks     []any
		Kernels    []struct {
			Cycles   float64
			Estimate *struct {
				Incomplete bool `json:"results_incomplete"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.True(t, r.Incomplete)
	assert.Empty(t, r.Results)
	assert.Empty(t, r.Checks)
	last := r.Kernels[len(r.Kernels)-1]
	require.NotNil(t, last.Estimate)
	assert.True(t, last.Estimate.Incomplete)
	assert.InEpsilon(t, r.Kernels[3].Cycles, last.Cycles, 0.05)

	for flag, part := range map[string]string{"--sample=all": "write --detail sample for every result",
		"--dump=y=y.bin": "--dump writes them"} {
		code, _, errOut := keplersim(t, "run", "--sample=time", flag, file)
		assert.Equal(t, exitBadInput, code)
		assert.Contains(t, errOut, part)
	}
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

// A budget that is spent at once estimates everything possible; one that is never spent estimates nothing. Results are the same, and each
// report says what it is.
func TestBudgetChoosesWhatIsTimed(t *testing.T) {
	module, err := filepath.Abs("../workloads/saxpy/saxpy.ptx")
	require.NoError(t, err)
	launch := "  - launch: {kernel: saxpy, grid: [%d], block: [256], args: [{u32: 262144}, {f32: 2.0}, x, y]}\n"
	file := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(file, []byte("name: large\nmodule: "+module+`
buffers:
  x: {type: f32, count: 262144, init: {random: {seed: 1, min: -1, max: 1}}}
  y: {type: f32, count: 262144, init: {random: {seed: 2, min: -1, max: 1}}}
steps:
`+fmt.Sprintf(launch, 1024)+strings.Repeat(fmt.Sprintf(launch, 64), 3)), 0o600))
	type result struct {
		Kernels []struct {
			Cycles   uint64
			Estimate *struct {
				Detailed   float64
				Launches   int
				OtherGrids bool    `json:"other_grids"`
				Low        float64 `json:"cycles_low"`
				High       float64 `json:"cycles_high"`
			}
		}
		Results []struct{ SHA256 string }
	}
	run := func(budget string) (r result) {
		code, out, errOut := keplersim(t, "run", "--config", "gk110", "--format", "json", "--budget", budget, file)
		require.Zero(t, code, errOut)
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		return r
	}
	ample, spent := run("10h"), run("1ns")
	require.Equal(t, ample.Results, spent.Results)
	for _, k := range ample.Kernels {
		require.Nil(t, k.Estimate)
	}
	first := spent.Kernels[0]
	require.NotNil(t, first.Estimate, "of a long grid some blocks are timed")
	assert.Positive(t, first.Estimate.Detailed)
	assert.Less(t, first.Estimate.Detailed, 0.5)
	assert.InEpsilon(t, ample.Kernels[0].Cycles, first.Cycles, 0.5)
	for i, k := range spent.Kernels[1:] {
		require.NotNil(t, k.Estimate)
		assert.Equal(t, 1, k.Estimate.Launches)
		assert.True(t, k.Estimate.OtherGrids)
		cycles := float64(ample.Kernels[1+i].Cycles)
		assert.True(t, k.Estimate.Low <= cycles && cycles <= k.Estimate.High, "%v in %v to %v", cycles, k.Estimate.Low, k.Estimate.High)
	}

	code, _, errOut := keplersim(t, "run", "--budget", "0s", "--budget", "-3s", file)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "--budget -3s: give a time above 0")
	code, _, errOut = keplersim(t, "run", "--budget", "3s", "--sample", file)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "give one of them")
}
