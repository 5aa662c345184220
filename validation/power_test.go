package validation

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// Every power row is marked, and those without long kernels are within 15 %. A long run tries all.
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
		if r.Missing == "" && r.experiment.Kind != "power-of-use" && (r.Quick || !testing.Short()) {
			rows = append(rows, r)
		}
	}
	require.NotEmpty(t, rows)
	for _, result := range Run(context.Background(), rows, Options{}) {
		assert.Equal(t, Met, result.Status, "%s: %s", result.Row.Name, result.Reason)
	}
}

// Microbenchmarks on a K40c, by the utilisation of their units: the mean error has a bound at each clock. The coefficients are calibrated
// at 745 MHz and at no other clock.
func TestPowerByUse(t *testing.T) {
	all, err := Rows()
	require.NoError(t, err)
	sums, counts := map[int]float64{}, map[int]float64{}
	for _, r := range all {
		if r.experiment == nil || r.experiment.Kind != "power-of-use" {
			continue
		}
		result := Run(context.Background(), []*Row{r}, Options{})[0]
		require.Contains(t, []Status{Met, Missed}, result.Status, r.Name)
		config, err := configs.Load(r.Config, r.Overrides)
		require.NoError(t, err)
		sums[config.Clocks.Core] += math.Abs(result.Main().Error)
		counts[config.Clocks.Core]++
	}
	require.Len(t, counts, 4)
	for clock, most := range map[int]float64{666: 6.5, 745: 6, 810: 7, 875: 8.5} {
		assert.InDelta(t, 20, counts[clock], 0)
		assert.LessOrEqual(t, sums[clock]/counts[clock], most, "%d MHz", clock)
	}
}

// On a K80 a light kernel keeps the highest clock, and products settle below it, at the clocks that were measured (power.yaml). Those
// overlap, so they do not say which product is slower.
func TestProductsSettleBelowLightKernels(t *testing.T) {
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
	for _, product := range []struct{ clock, least, most float64 }{{sgemm, 692, 758}, {dgemm, 571, 748}} {
		assert.Less(t, product.clock, light)
		assert.True(t, product.least <= product.clock && product.clock <= product.most, "%g MHz", product.clock)
	}
}
