package validation

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every row of power is marked, and those that take no long kernels are within 15 %. A long run tries all.
func TestPowerRows(t *testing.T) {
	all, err := Rows()
	require.NoError(t, err)
	var rows []*Row
	for _, r := range all {
		if r.Group() != "power" {
			continue
		}
		assert.True(t, strings.HasSuffix(r.Name, "calibrated") || strings.HasSuffix(r.Name, "predicted"), r.Name)
		assert.LessOrEqual(t, r.Tolerance, 15.0, r.Name)
		if r.Missing == "" && (r.Quick || !testing.Short()) {
			rows = append(rows, r)
		}
	}
	require.NotEmpty(t, rows)
	for _, result := range Run(context.Background(), rows, Options{}) {
		assert.Equal(t, Met, result.Status, "%s: %s", result.Row.Name, result.Reason)
	}
}

// On a K80 a light kernel has the highest clock, a DGEMM the lowest, and STREAM and SGEMM lie between.
func TestKernelsSettleInTheOrderOfTheirPower(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates three kernels at many clocks")
	}
	clock := func(kernel string) float64 {
		row := &Row{Name: "power/" + kernel + "@k80", Config: "k80", experiment: &experiment{Kind: "sustained", Kernel: kernel,
			Figure: "clock", Seconds: 300}}
		config, err := row.load()
		require.NoError(t, err)
		ours, err := sustained(context.Background(), &bench{config: config}, row)
		require.NoError(t, err)
		return ours
	}
	light, stream, sgemm, dgemm := clock("light"), clock("triad"), clock("sgemm"), clock("dgemm")
	assert.InDelta(t, 875, light, 1e-6)
	assert.LessOrEqual(t, stream, light)
	assert.Less(t, sgemm, stream)
	assert.Less(t, dgemm, sgemm)
	assert.Greater(t, dgemm, 562.0)
}
