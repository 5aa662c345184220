package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBenchReadsTheReport(t *testing.T) {
	r, err := readBench([]byte(`{"kernels": [{"cycles": 100, "metrics": {"inst_executed": 3000, "ipc": 2.5}}, {"cycles": 50, "metrics": {"inst_executed": 1000},
		"grid": [30, 2, 2]}],
		"wall_clock": {"seconds": 9, "kernel_seconds": [0.25, 0.75], "peak_memory_bytes": 1000000}}`))
	require.NoError(t, err)
	assert.Equal(t, result{WarpInstructions: 4000, Cycles: 150, Seconds: 1, Speed: 4000, CyclesPerSecond: 150, PeakMemory: 1000000,
		blocks: 120}, r)
	_, err = readBench([]byte("note: not a report"))
	assert.ErrorContains(t, err, "read the report")
}

func TestBenchRefusesWrongFlags(t *testing.T) {
	right := options{threads: []int{1}, runs: 1, format: "text"}
	for part, change := range map[string]func(*options){
		"one of text, json": func(o *options) { o.format = "csv" }, "1 or more": func(o *options) { o.runs = 0 },
		"-threads must be": func(o *options) { o.threads = []int{1, 0} },
		"one number of":    func(o *options) { o.threads, o.format = []int{1, 2}, "benchstat" },
	} {
		o := right
		change(&o)
		assert.ErrorContains(t, o.run(t.Context(), io.Discard, nil), part)
	}
	t.Chdir(t.TempDir())
	assert.ErrorContains(t, right.run(t.Context(), io.Discard, nil), "no workload")
}

// Each workload's ratios are relative to the first number of threads. Their mean is geometric and ignores failures.
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
