package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const dgemmFile = "../workloads/dgemm/dgemm.yaml"

func TestRunTellsOfPower(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "power.svg")
	code, out, errOut := keplersim(t, "run", "--config", "k40", "--format", "full", "--power", "--plot-power", picture, dgemmFile)
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `(?m)^  power +\d+ W on average, \d+ at most, at 745 MHz; .*FLOP/s/W`, out)
	assert.Regexp(t, `(?m)^Power: [\d.]+ W on average, [\d.]+ at most, of 235 allowed; `, out)
	assert.Contains(t, unwrapped(out), "clock held by Applications Clocks Setting 100.0 % of the time")
	svg, err := os.ReadFile(picture)
	require.NoError(t, err)
	assert.Contains(t, string(svg), "core clock, MHz")

	code, out, errOut = keplersim(t, "run", "--config", "k40", dgemmFile)
	require.Equal(t, exitRan, code, errOut)
	assert.NotContains(t, out, "Power:")
}

// A K80 starts at its highest clock. With a governor that decides often and a low power limit, the clock falls during the run, and the
// report says why.
func TestBoostThrottles(t *testing.T) {
	code, out, errOut := keplersim(t, "run", "--config", "k80", "--boost", "on", "--power-limit", "100", "--set", "boost.sample=5",
		"--format", "json", dgemmFile)
	require.Equal(t, exitRan, code, errOut)
	var report struct {
		Kernels []struct {
			Power struct {
				Average float64 `json:"average_w"`
				PerWatt float64 `json:"gflops_per_w"`
			}
		}
		Power []struct {
			Energy    float64            `json:"energy_j"`
			Parts     map[string]float64 `json:"energy_by_component_j"`
			Lowest    int                `json:"lowest_core_mhz"`
			Highest   int                `json:"highest_core_mhz"`
			Throttled map[string]float64 `json:"throttle_reasons_s"`
			Samples   []struct {
				Watts   float64  `json:"w"`
				Reasons []string `json:"throttle_reasons"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Len(t, report.Power, 1)
	p := report.Power[0]
	assert.Equal(t, 875, p.Highest)
	assert.Less(t, p.Lowest, 875)
	assert.Greater(t, p.Throttled["SW Power Cap"], 0.0)
	sum := 0.0
	for _, j := range p.Parts {
		sum += j
	}
	assert.InEpsilon(t, p.Energy, sum, 1e-9)
	assert.NotEmpty(t, p.Samples)
	assert.Greater(t, report.Kernels[0].Power.PerWatt, 0.0)

	code, out, errOut = keplersim(t, "run", "--config", "k80", "--boost", "on", "--autoboost", "off", dgemmFile)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "at 562 MHz")
}

func TestPowerFlagsThatAreRefused(t *testing.T) {
	for want, args := range map[string]string{
		"a power limit of 90 W: k80 takes 100 to 175 W":                            "--config k80 --boost on --power-limit 90",
		"a temperature of 95 C: k40 runs from -20 C to below 95 C":                 "--config k40 --power --temperature 95",
		"--power-limit holds the clock down by the governor: add --boost on":       "--config k40 --power-limit 200",
		"--power-limit -5: give watts, above 0":                                    "--config k40 --boost on --power-limit -5",
		"--temperature is the chip's at the start: add --power":                    "--config k40 --temperature 50",
		"--boost yes: choose on or off":                                            "--boost yes",
		"power and boost need a timed run: leave out --functional":                 "--boost on --functional",
		`boost.governor: "autobost": choose one of application, autoboost, boost1`: "--boost on --set boost.governor=autobost",
	} {
		code, _, errOut := keplersim(t, append(append([]string{"run"}, strings.Fields(args)...), dgemmFile)...)
		assert.Equal(t, exitBadInput, code, args)
		assert.Contains(t, errOut, want, args)
	}
}

// A board that becomes too hot ends the run with a failure.
func TestRunEndsWhenTheBoardShutsDown(t *testing.T) {
	code, out, errOut := keplersim(t, "run", "--config", "k40", "--boost", "on", "--temperature", "94.999", "--set",
		"power.heat_capacity=1",
		"--set", "power.thermal_resistance=5", dgemmFile)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "switched itself off at 95 C (boost.shutdown)")
	assert.Contains(t, out, "The run ended early")
}
