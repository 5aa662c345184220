package kerneltests

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
)

// folder holds the kernels.
const folder = "../../testdata/kernels"

// workloads returns the kernels' workload files.
func workloads(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.yaml"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 150)
	return files
}

// run runs a kernel and reports the buffers that differ from what the GPU wrote.
func run(t *testing.T, file, config string, o sim.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	job, err := host.Open(ctx, file, host.Options{Config: config, Simulator: o})
	require.NoError(t, err)
	require.NotEmpty(t, job.Workload.Expect, "the kernel was never run on a GPU")
	result, err := job.Run(ctx)
	require.NoError(t, err)
	for _, m := range result.Mismatches {
		assert.Fail(t, "differs from the GPU", "%s", m)
	}
	assert.Len(t, result.Checked, len(job.Workload.Expect))
}

// Every kernel gives the GPU's bytes without timing.
func TestKernels(t *testing.T) {
	for _, file := range workloads(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			run(t, file, "gk110", sim.Options{Functional: true})
		})
	}
}

// Every second kernel gives them with timing too.
func TestKernelsTimed(t *testing.T) {
	for i, file := range workloads(t) {
		if i%2 == 1 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			run(t, file, "gk110", sim.Options{Threads: 1})
		})
	}
}
