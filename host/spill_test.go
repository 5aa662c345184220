package host

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
)

// launching is a workload of many launches of two kernels, with copies and memsets between them.
func launching(t *testing.T, launches int) string {
	t.Helper()
	dir := folder(t, map[string]string{"increment.ptx": increment, "many.yaml": fmt.Sprintf(`name: many
module: increment.ptx
buffers:
  a: {type: u32, count: 64}
  b: {type: u32, count: 64}
steps:
  - repeat:
      times: %d
      steps:
        - launch: {kernel: increment, grid: [1], block: [32], args: [a]}
        - launch: {kernel: increment, grid: [2], block: [32], stream: 1, args: [{rotate: [a, b]}]}
        - copy: {to: b, from: a}
        - memset: {buffer: a, value: 3}
`, launches/2)})
	return filepath.Join(dir, "many.yaml")
}

// A run's memory does not grow with its launches and steps, each of whose results takes 12 KB when kept completely.
func TestMemoryDoesNotGrowWithLaunches(t *testing.T) {
	for _, o := range []sim.Options{{Threads: 1}, {Threads: 1, Functional: true}} {
		kept := func(launches int) int {
			path := launching(t, launches)
			before := heap()
			job, result := runFile(t, path, Options{Simulator: o, Spill: true})
			after := heap()
			require.Equal(t, launches, len(result.Launches)+result.More.Len())
			runtime.KeepAlive(job)
			require.NoError(t, result.More.Close())
			require.NoError(t, result.Later.Close())
			return after - before
		}
		few, many := kept(2000), kept(8000)
		t.Logf("%d and %d KB", few>>10, many>>10)
		assert.Less(t, many-few, 4<<20, "bytes that 6,000 launches more take: no more than what lies in memory before it goes to a file")
	}
}

// heap is the memory in use.
func heap() int {
	runtime.GC()
	runtime.GC() // the first run's finalizers free more
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Results kept in bounded memory equal those kept completely.
func TestSpilledResults(t *testing.T) {
	path := launching(t, 1200)
	_, plain := runFile(t, path, Options{Simulator: sim.Options{Threads: 1}})
	_, spilled := runFile(t, path, Options{Simulator: sim.Options{Threads: 1}, Spill: true})
	require.Len(t, plain.Launches, 1200)
	require.Nil(t, plain.More)
	all := spilled.Launches
	for _, l := range spilled.More.All() {
		all = append(all, l)
	}
	require.NoError(t, spilled.More.Err())
	require.Less(t, len(spilled.Launches), 300)
	for i, l := range plain.Launches {
		l.Wall, all[i].Wall = 0, 0
		l.Slim()
		all[i].Slim()
	}
	assert.Equal(t, plain.Launches, all)
	timeline := spilled.Timeline
	for _, i := range spilled.Later.All() {
		timeline = append(timeline, *i)
	}
	require.NotZero(t, spilled.Later.Len())
	assert.Equal(t, plain.Timeline, timeline)
	require.NoError(t, spilled.More.Close())
	require.NoError(t, spilled.Later.Close())
}
