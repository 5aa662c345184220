package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The lines are those of nvidia-smi -q -d SUPPORTED_CLOCKS on a Tesla K40.
func TestClocksPrintsWhatNvidiaSmiPrints(t *testing.T) {
	code, out, _ := keplersim(t, "clocks", "--config", "k40")
	require.Equal(t, exitRan, code)
	assert.Contains(t, out, `    Supported Clocks
        Memory                      : 3004 MHz
            Graphics                : 875 MHz
            Graphics                : 810 MHz
            Graphics                : 745 MHz
            Graphics                : 666 MHz
        Memory                      : 324 MHz
            Graphics                : 324 MHz
`)
	code, out, _ = keplersim(t, "clocks", "--config", "k20", "--format", "json")
	require.Equal(t, exitRan, code)
	assert.Contains(t, out, `"base_core_mhz": 706`)
}

// Higher core clocks also shorten a memory-bound kernel, because the path from DRAM to L2 runs at the core clock.
func TestRunAtOtherClocks(t *testing.T) {
	const workload = "../workloads/saxpy/saxpy.yaml"
	code, out, errOut := keplersim(t, "run", "--config", "k40", "--clocks", "3004,875", "--metrics", "inst_executed", workload)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "k40 with clocks.core=875")
	code, _, errOut = keplersim(t, "run", "--config", "k40", "--clocks", "875", workload)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "memory 3004 MHz with core 875, 810, 745, 666 MHz")
	code, _, errOut = keplersim(t, "run", "--config", "k20,k40", "--clocks", "3004,875", workload)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "k20 cannot be set")
}

// At a higher clock a kernel is faster and the board's power is higher. Energy is power times time.
func TestClockStudy(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "clocks.svg")
	code, out, errOut := keplersim(t, "clocks", "--study", "../workloads/dgemm/dgemm.ptx", "--config", "k40", "--sustain", "60",
		"--plot", picture, "--format", "json")
	require.Equal(t, exitRan, code, errOut)
	var study struct {
		Clocks []struct {
			MHz    int     `json:"core_mhz"`
			Time   float64 `json:"time_us"`
			Joules float64 `json:"energy_j"`
			Watts  float64 `json:"average_w"`
		}
		Best []struct {
			Goal string
			MHz  int `json:"core_mhz"`
		}
		Sustained struct {
			MHz   float64 `json:"core_mhz"`
			Watts float64 `json:"average_w"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &study))
	require.Len(t, study.Clocks, 4)
	drawn, err := os.ReadFile(picture)
	require.NoError(t, err)
	for _, at := range []int{666, 745, 810, 875} {
		assert.Contains(t, string(drawn), fmt.Sprintf(">%d<", at), "the axis has the clocks")
	}
	for i, at := range []int{666, 745, 810, 875} {
		c := study.Clocks[i]
		assert.Equal(t, at, c.MHz)
		assert.InEpsilon(t, c.Watts, c.Joules/(c.Time*1e-6), 1e-9)
		if i > 0 {
			assert.Less(t, c.Time, study.Clocks[i-1].Time)
			assert.Greater(t, c.Watts, study.Clocks[i-1].Watts)
		}
	}
	require.Len(t, study.Best, 3)
	assert.Equal(t, 875, study.Best[0].MHz)
	assert.InDelta(t, 745, study.Sustained.MHz, 1e-6)
	assert.Greater(t, study.Sustained.Watts, 60.0)

	for want, args := range map[string][]string{
		"--sustain is for --study FILE":           {"clocks", "--sustain", "60"},
		"a power limit of 20 W: k40 takes 150 to": {"clocks", "--config", "k40", "--study", "x.ptx", "--power-limit", "20"},
		"a temperature of 200 C: k40":             {"clocks", "--config", "k40", "--study", "x.ptx", "--temperature", "200"},
		"x.ptx":                                   {"clocks", "--config", "k40", "--study", "x.ptx"},
	} {
		code, _, errOut := keplersim(t, args...)
		assert.Equal(t, exitBadInput, code, args)
		assert.Contains(t, errOut, want, args)
	}
}
