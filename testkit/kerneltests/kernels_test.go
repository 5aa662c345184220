package kerneltests

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/sim"
)

// folder contains the kernels.
const folder = "../../testdata/kernels"

// workloads returns the kernels' workload files.
func workloads(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.yaml"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 150)
	return files
}

// run runs a kernel and reports buffers that differ from the GPU's.
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

// Every second kernel also gives them with timing.
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

// Every kernel gives them with fewer registers than it needs, despite spills. Short runs try a few kernels and limits.
func TestKernelsUnderCaps(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	spilled := 0
	for i, file := range workloads(t) {
		if i%step != 0 {
			continue
		}
		text, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".ptx")
		require.NoError(t, err)
		parsed, err := ptx.Parse(file, string(text))
		require.NoError(t, err)
		p, err := decode.Program([]*ptx.File{parsed}, decode.Options{})
		require.NoError(t, err)
		need := 0
		for _, k := range p.Kernels() {
			machine, err := lower.Program(t.Context(), p, k, lower.Options{})
			require.NoError(t, err)
			need = max(need, machine.Registers)
		}
		for registers := need - 1; registers >= fewestRegisters; registers -= step {
			run(t, file, "gk110", sim.Options{Functional: true, MaxRegisters: registers})
			if t.Failed() {
				t.Fatalf("%s at %d registers", file, registers)
			}
			spilled++
		}
	}
	t.Logf("%d runs", spilled)
	assert.NotZero(t, spilled)
}

// fewestRegisters is the lowest register limit in these tests.
const fewestRegisters = 20
