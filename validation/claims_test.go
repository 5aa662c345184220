package validation

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTuningGuidesClaimsHold(t *testing.T) {
	results, err := RunClaims(context.Background(), Options{})
	require.NoError(t, err)
	for _, r := range results {
		t.Log(r.Claim.Name, r.Claim.Figure, r.Figures)
		assert.True(t, r.Holds, "%s (%s): %s; %v", r.Claim.Name, r.Claim.Section, r.Claim.Shows, r.Figures)
	}
}

// If the cause of a claim is removed, the claim must fail.
func TestClaimsCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the kernels of five claims once more")
	}
	broken := map[string][]string{
		"shuffle":             {"pipelines.operations.shuffle.latency=60"},
		"global-loads-and-l1": {"l1.global_loads=always"},
		"read-only-cache":     {"features.read_only_loads=false"},
		"atomics":             {"atomics.global.lanes_per_cycle=1"},
		"double-precision":    {"pipelines.operations.fp64.results_per_clock=4"},
	}
	for _, c := range Claims() {
		overrides, ok := broken[c.Name]
		if !ok {
			continue
		}
		var figures []float64
		for i := range c.Runs {
			v, err := c.Runs[i].measure(context.Background(), c.Figure, overrides...)
			require.NoError(t, err)
			figures = append(figures, v)
		}
		holds, err := c.holds(figures)
		require.NoError(t, err)
		assert.False(t, holds, "%s with %v: %v", c.Name, overrides, figures)
	}
}

func TestClaimsCommandRepeatsTheRun(t *testing.T) {
	run := Claims()[1].Runs[1]
	assert.Equal(t, "keplersim run validation/claims/shared-numbers.ptx --kernel shared_f64 --config gk110 --set smx.count=1 --grid 8 "+
		"--block 256 --bank-mode 8 --arg u32[512] --arg 256", run.Command())
}
