package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// nest launches a kernel of nested.ptx with a number, and returns its results in a buffer of words.
func (d device) nest(kernel string, grid, block, n, words int) ([]uint32, *stats.Launch, error) {
	d.t.Helper()
	out := d.allocate("out", 4*words)
	parameters := binary.LittleEndian.AppendUint64(nil, out)
	parameters = binary.LittleEndian.AppendUint32(parameters, uint32(n))
	l, err := d.Launch(context.Background(),
		sim.Launch{Module: d.module, Kernel: kernel, Grid: [3]int{grid}, Block: [3]int{block}, Parameters: parameters})
	return d.words(out, words), l, err
}

// A tree of launches with two blocks each: every thread of every level counts once, whichever waits.
func TestKernelsLaunchKernels(t *testing.T) {
	eachMode(t, "nested.ptx", func(t *testing.T, d device) {
		const depth = 7
		out, l, err := d.nest("tree", 1, 40, depth, 2)
		require.NoError(t, err)
		assert.EqualValues(t, 40*(1<<(depth+1)-1), out[0])
		assert.Zero(t, out[1], "errors")
		require.NotNil(t, l.Nested)
		assert.EqualValues(t, 1<<depth-1, l.Nested.Launches)
		assert.EqualValues(t, 40*(1<<(depth+1)-1), l.Total.ThreadsLaunched, "a launch's counters are those of all that comes from it")
		assert.EqualValues(t, 1, l.BlocksDone)
		for i := range l.SMXs {
			assert.LessOrEqual(t, l.SMXs[i].ActiveCycles, l.SMXs[i].ElapsedCycles, "a cycle counts once, whoever is there")
		}
		lines := stats.OperationCount{}
		for i := range l.Source {
			lines.Add(&l.Source[i].OperationCount)
		}
		assert.Equal(t, l.Total.InstExecuted, lines.Executed)
		assert.Equal(t, l.Total.Stalls, lines.Stalls)
		require.Len(t, l.Nested.Kernels, depth)
		for i, k := range l.Nested.Kernels {
			assert.Equal(t, i+1, k.Depth)
			assert.EqualValues(t, 1<<i, k.Launches)
			assert.EqualValues(t, 2<<i, k.Blocks)
			assert.EqualValues(t, 80<<i, k.Threads)
		}
	})
}

// A parent that waits sees what its child wrote, keeps its own registers and shared memory, and goes on. That holds even if all blocks of
// all SMXs wait, or one grid runs at a time.
func TestParentsWaitForTheirChildren(t *testing.T) {
	for _, setting := range []string{"hyperq.grids=32", "hyperq.grids=1", "smx.count=1", "smx.blocks=1"} {
		for name, o := range modes {
			d := loadDevice(t, "nested.ptx", o, setting, "nested.sync_depth=24")
			const depth = 6
			out, l, err := d.nest("down", 1, 64, depth, 2+depth+1)
			require.NoError(t, err, "%s, %s", name, setting)
			assert.Zero(t, out[1], "errors")
			for n, v := range out[2:] {
				assert.EqualValues(t, n+1, v, "%s, %s: level %d", name, setting, n)
			}
			assert.EqualValues(t, depth, l.Nested.Waits)
		}
	}
}

// tree is a random tree of launches in the records of kernel node, with the result of a sequential walk.
type tree struct {
	records             []uint32
	roots               []uint32
	sum, threads, fails uint32
}

func (f *tree) grow(r *rand.Rand, depth, fan int) (number uint32) {
	number = uint32(len(f.records) / 16)
	f.records = append(f.records, make([]uint32, 16)...)
	value, kids, failing := r.Uint32N(1000), 0, r.IntN(10)/8
	if depth > 0 {
		kids = r.IntN(fan + 1)
	}
	f.sum += value
	f.fails += uint32(failing)
	blocks, threads := 1+r.Uint32N(3), 1+r.Uint32N(70)
	var list []uint32
	for range kids {
		list = append(list, f.grow(r, depth-1, fan))
	}
	record := f.records[16*number:][:16]
	copy(record, []uint32{value, uint32(kids), r.Uint32N(8), uint32(failing), uint32(len(f.records)/16) - number, blocks, threads})
	copy(record[7:], list)
	for _, k := range list {
		f.threads += f.records[16*k+5] * f.records[16*k+6]
	}
	return number
}

func newForest(seed uint64, trees int) *tree {
	r := rand.New(rand.NewPCG(seed, 1))
	f := &tree{}
	for range trees {
		f.roots = append(f.roots, f.grow(r, 1+r.IntN(5), 1+r.IntN(4)))
	}
	return f
}

// run makes the device walk the forest.
func (f *tree) run(t *testing.T, d device) (out []uint32, l *stats.Launch) {
	t.Helper()
	words := func(name string, list []uint32) uint64 {
		at := d.allocate(name, 4*len(list))
		raw := make([]byte, 0, 4*len(list))
		for _, v := range list {
			raw = binary.LittleEndian.AppendUint32(raw, v)
		}
		require.NoError(t, d.Write(at, raw))
		return at
	}
	result := d.allocate("out", 64+4*len(f.records)/16)
	var parameters []byte
	for _, p := range []uint64{result, words("table", f.records), words("roots", f.roots)} {
		parameters = binary.LittleEndian.AppendUint64(parameters, p)
	}
	l, err := d.Launch(context.Background(),
		sim.Launch{Module: d.module, Kernel: "forest", Grid: [3]int{len(f.roots)}, Block: [3]int{32}, Parameters: parameters})
	require.NoError(t, err)
	return d.words(result, 4), l
}

// Random trees of launches give the result of a walk by one thread. They have waits, streams, both forms of launches, and launches that
// fail. After a block's wait, its launches and all below are done.
func TestRandomTreesOfLaunches(t *testing.T) {
	const trees = 10_000
	perRun, runs := 100, trees/100
	if testing.Short() {
		runs = 10
	}
	for run := range runs {
		o := sim.Options{Threads: 1, Functional: run%4 != 0}
		settings := []string{"nested.sync_depth=24", fmt.Sprintf("hyperq.grids=%d", []int{32, 1, 3}[run%3]), "nested.pending=4000"}
		f := newForest(uint64(run), perRun)
		out, l := f.run(t, loadDevice(t, "nested.ptx", o, settings...))
		require.Equal(t, f.sum, out[0], "run %d: sum", run)
		require.Equal(t, f.threads, out[1], "run %d: threads", run)
		require.Equal(t, 9*f.fails, out[2], "run %d: cudaErrorInvalidConfiguration", run)
		require.Zero(t, out[3], "run %d: what was waited for is done", run)
		nodes := uint64(len(f.records)/16 - len(f.roots))
		require.Equal(t, nodes, l.Nested.Launches)
		if f.fails > 0 {
			require.Equal(t, "cudaErrorInvalidConfiguration", l.Nested.Errors[0].Name)
		}
	}
}

// Waits for launches also work in other orders of warps and blocks.
func TestLaunchesAreWaitedForInAnyOrder(t *testing.T) {
	for order := range uint64(8) {
		f := newForest(order, 20)
		out, _ := f.run(t, loadDevice(t, "nested.ptx", sim.Options{Threads: 1, Functional: true, Order: order}, "nested.sync_depth=24"))
		assert.Equal(t, f.sum, out[0], "order %d: sum", order)
		assert.Equal(t, f.threads, out[1], "order %d: threads", order)
		assert.Zero(t, out[3], "order %d: what was waited for is done", order)
	}
}

// Results are the same for any number of host threads.
func TestNestedLaunchesAreTheSameForAnyThreads(t *testing.T) {
	var first *stats.Launch
	for _, threads := range []int{1, 2, 8} {
		_, l := newForest(7, 150).run(t, loadDevice(t, "nested.ptx", sim.Options{Threads: threads}, "nested.sync_depth=24"))
		if l.Wall = 0; first == nil {
			first = l
		}
		require.Equal(t, first, l, "%d threads", threads)
	}
	assert.InDelta(t, first.EndUS-first.StartUS, first.TimeUS, 0.01, "its time is that until the last child has ended")
	assert.InDelta(t, first.EndUS, first.LastUS, 5)
}

// A launch lasts until its last child has ended, even if the device only waits for that child.
func TestLaunchesTakeUntilTheirLastChildEnds(t *testing.T) {
	for _, overrides := range [][]string{nil, {"nested.interval=200"}, {"nested.launch=100000"}} {
		_, l, err := loadDevice(t, "nested.ptx", sim.Options{Threads: 1}, overrides...).nest("tree", 1, 40, 4, 2)
		require.NoError(t, err)
		assert.InDelta(t, l.EndUS-l.StartUS, l.TimeUS, 0.01, "%v", overrides)
		if overrides != nil {
			assert.Greater(t, l.TimeUS, 500.0)
		}
	}
}

// Limits of the device's runtime give CUDA's error numbers, which cudaGetLastError returns, and no launch.
func TestLimitsOfNestedLaunches(t *testing.T) {
	const invalidValue, invalidConfiguration, maxDepth, pending, syncDepth, notSupported = 1, 9, 65, 69, 68, 801
	for name, o := range modes {
		d := loadDevice(t, "nested.ptx", o)
		out, l, err := d.nest("wide", 1, 1, 1025, 4)
		require.NoError(t, err, name)
		assert.Equal(t, []uint32{0, invalidConfiguration, invalidConfiguration, 0}, out, "%s: 1,025 threads", name)
		require.Len(t, l.Nested.Errors, 1)
		assert.Equal(t, "cudaErrorInvalidConfiguration", l.Nested.Errors[0].Name)
		assert.Contains(t, l.Nested.Errors[0].First, "nested.ptx:")

		d = loadDevice(t, "nested.ptx", o)
		out, _, err = d.nest("beyond", 1, 1, 33, 4)
		require.NoError(t, err, name)
		assert.Equal(t, []uint32{0, invalidValue, invalidValue, 0}, out, "%s: 33 threads, .maxntid allows 32", name)

		d = loadDevice(t, "nested.ptx", o)
		out, l, err = d.nest("chain", 1, 1, 30, 4)
		require.NoError(t, err, name)
		assert.Equal(t, []uint32{25, maxDepth, maxDepth, 0}, out, "%s: the host's kernel, 24 below it, and the next", name)
		assert.Equal(t, 24, l.Nested.Kernels[len(l.Nested.Kernels)-1].Depth)

		d = loadDevice(t, "nested.ptx", o, "nested.overflow=0", "hyperq.grids=1")
		out, l, err = d.nest("many", 1, 1, 2049, 4)
		require.NoError(t, err, name)
		assert.Equal(t, []uint32{2048, pending, pending, 0}, out, "%s: 2,049 launches that wait", name)
		assert.Equal(t, "cudaErrorLaunchPendingCountExceeded", l.Nested.Errors[0].Name)

		d = loadDevice(t, "nested.ptx", o, "hyperq.grids=1")
		out, _, err = d.nest("many", 1, 1, 2049, 4)
		require.NoError(t, err, name)
		assert.Equal(t, []uint32{2049, 0, 0, 0}, out, "%s: the virtualized pool takes more", name)

		d = loadDevice(t, "nested.ptx", o)
		out, l, err = d.nest("down", 1, 64, 6, 9)
		require.NoError(t, err, name)
		assert.EqualValues(t, 4*syncDepth, out[1], "%s: four levels wait deeper than two", name)
		assert.Equal(t, "cudaErrorSyncDepthExceeded", l.Nested.Errors[0].Name)

		d = loadDevice(t, "nested.ptx", o, "nested.depth=0")
		out, l, err = d.nest("wide", 1, 1, 32, 4)
		require.NoError(t, err, name)
		assert.Equal(t, []uint32{0, notSupported, notSupported, 0}, out, "%s: a chip without launches from kernels", name)
		assert.Equal(t, "cudaErrorNotSupported", l.Nested.Errors[0].Name)
	}
}
