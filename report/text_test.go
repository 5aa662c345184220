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

// Levels of utilization are written as by nvprof.
func TestLevelsHaveWords(t *testing.T) {
	for v, want := range map[float64]string{
		0: "Idle (0)", 1: "Low (1)", 3.4: "Low (3)", 4: "Mid (4)", 6: "Mid (6)", 7: "High (7)", 9: "High (9)", 10: "Max (10)",
	} {
		assert.Equal(t, want, metricText(v, stats.Level))
	}
	assert.Equal(t, "1,234", metricText(1234, stats.Count))
	assert.Equal(t, "0.250", metricText(0.25, stats.Ratio))
}

// A launch's time is its launch cycles divided by the clock: 42,837 cycles at 732 MHz are 58.5 µs. The profiler's 45,287 are not.
func TestTimeIsCyclesOverTheClock(t *testing.T) {
	l := launch()
	l.Chip.CoreMHz, l.KernelCycles, l.LaunchCycles, l.Cycles, l.TimeUS = 732, 41837, 42837, 45287, 42837.0/732
	assert.Equal(t, "58.5 µs: 42,837 launch cycles at 732 MHz; 41,837 kernel cycles; nvprof would show 45,287 elapsed cycles", duration(l))
}

// Replays take issue slots that ipc does not count.
func TestSpeedNamesReplays(t *testing.T) {
	l := launch()
	assert.NotContains(t, speed(l), "replays")
	l.Total.GlobalReplays, l.Total.SharedReplays = 1000, 150 // of 2,300 slots
	assert.Equal(t, "ipc 0.197 of 8; 4.4 % of the issue slots used, of these 13.0 % by two instructions and 50.0 % by replays of "+
		"memory accesses", speed(l))
}
