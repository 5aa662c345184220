package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/stats"
)

func TestLimitersAreAList(t *testing.T) {
	for want, names := range map[string][]string{
		"nothing":                            nil,
		"warps":                              {"warps"},
		"registers and shared memory":        {"registers", "shared_memory"},
		"warps, registers and shared memory": {"warps", "registers", "shared_memory"},
	} {
		assert.Equal(t, want, limiters(&stats.Launch{Occupancy: stats.Occupancy{Limiters: names}}))
	}
}

// Levels of utilization read as nvprof writes them.
func TestLevelsHaveWords(t *testing.T) {
	for v, want := range map[float64]string{0: "Idle (0)", 1: "Low (1)", 3.4: "Low (3)", 4: "Mid (4)", 6: "Mid (6)", 7: "High (7)", 9: "High (9)", 10: "Max (10)"} {
		assert.Equal(t, want, metricText(v, stats.Level))
	}
	assert.Equal(t, "1,234", metricText(1234, stats.Count))
	assert.Equal(t, "0.250", metricText(0.25, stats.Ratio))
}
