package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBenchReadsTheReport(t *testing.T) {
	r, err := readBench([]byte(`{"kernels": [{"cycles": 100, "metrics": {"inst_executed": 3000, "ipc": 2.5}}, {"cycles": 50, "metrics": {"inst_executed": 1000}}],
		"wall_clock": {"seconds": 9, "kernel_seconds": [0.25, 0.75], "peak_memory_bytes": 1000000}}`))
	require.NoError(t, err)
	assert.Equal(t, benchResult{WarpInstructions: 4000, Cycles: 150, Seconds: 1, Speed: 4000, CyclesPerSecond: 150, PeakMemory: 1000000}, r)
	_, err = readBench([]byte("note: not a report"))
	assert.ErrorContains(t, err, "read the report")
}

func TestBenchRefusesWrongFlags(t *testing.T) {
	for args, part := range map[string]string{"--format=csv": "none of text, json", "--runs=0": "1 at least", "--threads=0": "1 at least"} {
		code, _, errOut := keplersim(t, "bench", args)
		assert.Equal(t, exitBadInput, code, args)
		assert.Contains(t, errOut, part)
	}
	t.Chdir(t.TempDir())
	code, _, errOut := keplersim(t, "bench")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "no workload")
}

// A report that the simulator writes has what the measurement reads.
func TestBenchUnderstandsARealReport(t *testing.T) {
	_, out, _ := keplersim(t, append([]string{"run", "testdata/add-right.yaml", "--format", "json"}, small...)...)
	r, err := readBench([]byte(out))
	require.NoError(t, err)
	assert.Positive(t, r.WarpInstructions)
	assert.Positive(t, r.Cycles)
	assert.Positive(t, r.Speed)
}
