package cli

import (
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

// Higher clocks shorten a kernel that is bound by memory as well: the path from DRAM to L2 goes with the core's clock.
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
