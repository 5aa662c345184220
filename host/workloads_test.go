package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
)

// run runs a workload and returns the JSON report without its wall clock.
func run(t *testing.T, file, config string, o sim.Options) map[string]any {
	t.Helper()
	job, err := host.Open(context.Background(), file, host.Options{Config: config, Simulator: o})
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	assert.Empty(t, result.Mismatches)
	if !o.Functional {
		for _, l := range result.Launches {
			assertConserved(t, l)
		}
	}
	assert.NotEmpty(t, result.Checked, "the workload says what to expect")
	var out bytes.Buffer
	require.NoError(
		t,
		report.JSON(&out, &report.Run{Workload: job.Workload.Name, Config: job.Config.Name, Notes: job.Notes, Launches: result.Launches}),
	)
	var object map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &object))
	delete(object, "wall_clock")
	return object
}

// launchesFromKernels tells whether a workload file is in the folder of a workload whose kernels launch kernels.
func launchesFromKernels(file string) bool {
	return slices.Contains([]string{"quicksort", "mariani-silver", "bfs-nested"}, filepath.Base(filepath.Dir(file)))
}

// Every workload gives the bytes recorded on a real GPU, on both chips, with timing, and the same report for one and two host threads.
func TestWorkloadsMatchTheRealGPU(t *testing.T) {
	files, err := filepath.Glob("../workloads/*/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 16)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			chips := [4]string{"gk110", "gk104", "k40", "gk210"}
			if strings.Contains(file, "multi-gpu") { // needs a board of two GPUs
				chips = [4]string{"k80", "k10", "k80", "k80"}
			}
			if launchesFromKernels(file) {
				chips = [4]string{"gk110", "k20", "k40", "gk210"}
			}
			one := run(t, file, chips[0], sim.Options{Threads: 1})
			if testing.Short() {
				return
			}
			assert.Equal(t, one, run(t, file, chips[0], sim.Options{Threads: 2}), "two threads")
			run(t, file, chips[1], sim.Options{Threads: 1})
			run(t, file, chips[2], sim.Options{Threads: 1, GlobalLoads: memorymode.LoadsThroughL1})
			run(t, file, chips[3], sim.Options{Threads: 1, Functional: true})
		})
	}
}

// If shared memory limits the occupancy, the report says so.
func TestReportSaysThatSharedMemoryLimits(t *testing.T) {
	launches := run(t, "../workloads/needleman-wunsch/needleman-wunsch.yaml", "gk110", sim.Options{Threads: 1})["kernels"].([]any)
	require.Len(t, launches, 9)
	launch := launches[4].(map[string]any)
	assert.Equal(t, []any{"shared_memory"}, launch["occupancy"].(map[string]any)["limiters"])
}
