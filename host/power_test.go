package host_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/stats"
)

func init() {
	boost.RegisterGovernor("restless", "another clock at each decision, for tests", func() boost.Governor {
		return &restless{rand.New(rand.NewPCG(11, 12))}
	})
}

// restless changes clocks at random.
type restless struct{ random *rand.Rand }

func (*restless) Start(s *boost.State) int { return s.Set }

func (r *restless) Next(s *boost.State) (int, stats.ThrottleReason) {
	return s.Clocks[r.random.IntN(len(s.Clocks))], 0
}

// runPowered runs a workload file with or without power.
func runPowered(t *testing.T, path, config string, threads int, power *boost.Options, overrides ...string) *host.Result {
	t.Helper()
	job, err := host.Open(context.Background(), path, host.Options{Config: config, Overrides: overrides,
		Simulator: sim.Options{Threads: threads, Power: power}})
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err, path)
	return result
}

// powerFiles are the workload files; in a short run, those with the most different launches.
func powerFiles(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		return []string{"../workloads/dgemm/dgemm.yaml", "../workloads/saxpy/saxpy.yaml", "../workloads/histogram/histogram.yaml",
			"../workloads/overlap/overlap.yaml"}
	}
	list, err := filepath.Glob("../workloads/*/*.yaml")
	require.NoError(t, err)
	return list
}

// A run's energy is that of its launches' counters at the fixed clock's voltage, plus the board's static energy over the time. The test
// computes it from the reports' counters, the meter from the device's counters during the run. They agree by component within 0.1 %.
func TestEnergyIsTheIntegralOfPower(t *testing.T) {
	for _, file := range powerFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			result := runPowered(t, file, "", 2, &boost.Options{})
			for device, p := range result.Power {
				var integral boost.Parts
				for i := range p.Samples {
					s := &p.Samples[i]
					for c, w := range s.Watts {
						integral[c] += w * (s.End - s.Start) * 1e-6
					}
				}
				counted, config := stats.Activity{}, ""
				all := false
				for _, l := range result.Launches {
					if l.Device != device {
						continue
					}
					config, all = l.Chip.Config, true
					counted.AddSMX(&l.Total)
				}
				if !all {
					continue
				}
				for c, j := range p.Joules {
					assert.InDelta(t, j, integral[c], 1e-3*j+1e-15, "%s on device %d of %s", stats.PowerComponent(c), device, config)
				}
				checkCounted(t, result, device, &counted, p)
			}
		})
	}
}

// checkCounted compares the energy by the launches' counters with the meter's.
func checkCounted(t *testing.T, result *host.Result, device int, counted *stats.Activity, p *stats.Power) {
	t.Helper()
	l := result.Launches[0]
	config := configOf(t, l)
	model := boost.NewModel(config)
	for _, l := range result.Launches {
		if l.Device == device {
			counted.AddMemory(&l.Memory, config)
		}
	}
	want := model.Dynamic(counted, config.Clocks.Core)
	for _, c := range []stats.PowerComponent{stats.PowerInstructions, stats.PowerFP32, stats.PowerFP64, stats.PowerInteger,
		stats.PowerRegisters, stats.PowerShared, stats.PowerL1} {
		assert.InDelta(t, want[c], p.Joules[c], 1e-3*want[c]+1e-15, "%s", c)
	}
	// Copies during kernels use L2 and DRAM outside any launch.
	for _, c := range []stats.PowerComponent{stats.PowerL2, stats.PowerCrossbar, stats.PowerDRAM} {
		assert.GreaterOrEqual(t, p.Joules[c], want[c]*0.999, "%s", c)
	}
	static := model.Static(config.Clocks.Core, p.Temperature)
	for _, c := range []stats.PowerComponent{stats.PowerBoard, stats.PowerMemory} {
		assert.InDelta(t, static[c]*p.Seconds, p.Joules[c], 1e-3*p.Joules[c], "%s", c)
	}
}

// Constantly changing clocks lose nothing: every request is answered, each launch executes the same instructions, results are as expected,
// and the run is the same with any number of threads.
func TestClockChangesLoseNothing(t *testing.T) {
	list := powerFiles(t)
	if testing.Short() {
		list = list[:3]
	}
	for _, file := range list {
		boards := []string{"k80", "k40"}
		if testing.Short() || strings.Contains(file, "multi-gpu") { // needs a board of two GPUs
			boards = boards[:1]
		}
		for _, board := range boards {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+" on "+board, func(t *testing.T) {
				still := runPowered(t, file, board, 2, nil)
				moving := runPowered(t, file, board, 1, &boost.Options{On: true}, "boost.governor=restless", "boost.sample=1")
				again := runPowered(t, file, board, 3, &boost.Options{On: true}, "boost.governor=restless", "boost.sample=1")
				assert.Empty(t, moving.Mismatches)
				require.Len(t, moving.Launches, len(still.Launches))
				for i, l := range moving.Launches {
					assert.Equal(t, l.Memory.Requests, l.Memory.Responses)
					assert.Equal(t, l.BlocksTotal(), l.BlocksDone)
					assert.Equal(t, still.Launches[i].Total.WarpsLaunched, l.Total.WarpsLaunched)
					assert.Equal(t, l.Total, again.Launches[i].Total)
					assert.Equal(t, l.Memory, again.Launches[i].Memory)
					assert.Equal(t, l.TimeUS, again.Launches[i].TimeUS)
				}
				assert.Equal(t, moving.Power, again.Power)
				require.NotEmpty(t, moving.Power)
				assert.Less(t, moving.Power[0].Lowest, moving.Power[0].Highest)
				assert.False(t, still.DeviceUS == moving.DeviceUS)
			})
		}
	}
}

// Reporting power does not change a cycle.
func TestTellingOfPowerChangesNoCycle(t *testing.T) {
	const file = "../workloads/dgemm/dgemm.yaml"
	without, with := runPowered(t, file, "k40", 2, nil), runPowered(t, file, "k40", 2, &boost.Options{})
	for i, l := range with.Launches {
		assert.Equal(t, without.Launches[i].Cycles, l.Cycles)
		assert.Equal(t, without.Launches[i].Total, l.Total)
		assert.Equal(t, without.Launches[i].Memory, l.Memory)
		assert.Nil(t, without.Launches[i].Power)
		require.NotNil(t, l.Power)
		assert.InDelta(t, l.TimeUS, l.Power.Seconds*1e6, 2)
	}
	assert.Nil(t, without.Power)
	assert.Equal(t, without.DeviceUS, with.DeviceUS)
}

// configOf is the configuration of a launch.
func configOf(t *testing.T, l *stats.Launch) *configs.Config {
	t.Helper()
	c, err := configs.Load(l.Chip.Config, l.Chip.Overrides)
	require.NoError(t, err)
	return c
}
