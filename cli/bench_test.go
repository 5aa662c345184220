package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBenchReadsTheReport(t *testing.T) {
	r, err := readBench([]byte(`{"kernels": [{"cycles": 100, "metrics": {"inst_executed": 3000, "ipc": 2.5}}, {"cycles": 50, "metrics": {"inst_executed": 1000},
		"grid": [30, 2, 2]}],
		"wall_clock": {"seconds": 9, "kernel_seconds": [0.25, 0.75], "peak_memory_bytes": 1000000}}`))
	require.NoError(t, err)
	assert.Equal(t, benchResult{WarpInstructions: 4000, Cycles: 150, Seconds: 1, Speed: 4000, CyclesPerSecond: 150, PeakMemory: 1000000,
		blocks: 120}, r)
	_, err = readBench([]byte("note: not a report"))
	assert.ErrorContains(t, err, "read the report")
}

func TestBenchRefusesWrongFlags(t *testing.T) {
	for args, part := range map[string]string{
		"--format=csv": "one of text, json", "--runs=0": "1 or more", "--threads=0": "1 or more", "--threads=1,0": "1 or more",
	} {
		code, _, errOut := keplersim(t, "bench", args)
		assert.Equal(t, exitBadInput, code, args)
		assert.Contains(t, errOut, part)
	}
	code, _, errOut := keplersim(t, "bench", "--threads=1,2", "--format=benchstat")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "one number of threads")
	t.Chdir(t.TempDir())
	code, _, errOut = keplersim(t, "bench")
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

// Of several numbers of threads each workload's ratio is to the first, and their mean is geometric; one that failed is left out.
func TestBenchComparesThreads(t *testing.T) {
	list := []threadsResult{
		{Seconds: []float64{3, 2}, Ratios: []float64{1, 1.5}}, {Failure: "no such file"},
		{Seconds: []float64{6, 1}, Ratios: []float64{1, 6}},
	}
	means := geometricMeans(list, 2)
	require.Len(t, means, 2)
	assert.InDelta(t, 1, means[0], 1e-12)
	assert.InDelta(t, 3, means[1], 1e-12)
	assert.Nil(t, geometricMeans(list[1:2], 2))
	assert.Equal(t, "     2.000   1.50", (&threadsResult{Seconds: []float64{2}, Ratios: []float64{1.5}}).columns()[1:])
}
