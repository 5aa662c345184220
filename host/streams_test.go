package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// runStreams runs a workload with the kernel of workloads/hyperq.
func runStreams(t *testing.T, config, head, steps string, o sim.Options, overrides ...string) (*Result, error) {
	t.Helper()
	kernel, err := filepath.Abs("../workloads/hyperq/chain.ptx")
	require.NoError(t, err)
	text := "module: " + kernel + "\n" + head + "buffers:\n" +
		"  data: {type: u32, count: 65536, init: {ramp: {start: 0, step: 1}}}\nsteps:\n" + steps
	path := filepath.Join(t.TempDir(), "w.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	job, err := Open(context.Background(), path, Options{Config: config, Overrides: overrides, Simulator: o})
	if err != nil {
		return nil, err
	}
	return job.Run(context.Background())
}

func chainStep(stream, segment, steps int, more string) string {
	return fmt.Sprintf("  - launch: {kernel: chain, grid: [1], block: [32], stream: %d, args: [data, {u32: %d}, {u32: %d}]%s}\n",
		stream, segment*32, steps, more)
}

// Document 002's picture of Hyper-Q: 32 chains of two kernels in 32 streams. With one hardware queue, depth-first chains run one after the
// other and overlap only at their ends (33 times a kernel). Breadth-first, only the limit of concurrent grids counts. With 8 connections, 8
// chains run at a time; with 32 connections the order does not matter.
func TestHyperQ(t *testing.T) {
	const streams, steps = 32, 1000
	var depth, breadth strings.Builder
	for s := range streams {
		depth.WriteString(chainStep(s+1, s, steps, "") + chainStep(s+1, s, steps, ""))
	}
	for range 2 {
		for s := range streams {
			breadth.WriteString(chainStep(s+1, s, steps, ""))
		}
	}
	quick := []string{"host.launch=0.01", "host.arrival=0.1", "hyperq.gap=0.1"}
	for _, c := range []struct {
		chip           string
		connections    int
		depth, breadth float64
	}{
		{"gf110", 8, 33, 4}, {"gk104", 8, 33, 4}, {"gk110", 1, 33, 2}, {"gk110", 8, 5, 2}, {"gk110", 32, 2, 2},
	} {
		for order, text := range map[string]string{"depth": depth.String(), "breadth": breadth.String()} {
			settings := append(quick, fmt.Sprintf("hyperq.connections=%d", c.connections))
			r, err := runStreams(t, c.chip, "", text, sim.Options{Threads: 1}, settings...)
			require.NoError(t, err)
			one, first := r.Launches[0].EndUS-r.Launches[0].StartUS, r.Launches[0].StartUS
			want := c.depth
			if order == "breadth" {
				want = c.breadth
			}
			ratio := (r.DeviceUS - first) / one
			t.Logf("%s, %d connections, %s first: %.2f times a kernel", c.chip, c.connections, order, ratio)
			assert.InEpsilon(t, want, ratio, 0.06, "%s, %d connections, %s first", c.chip, c.connections, order)
		}
	}
}

// commands are the timeline's intervals of some kinds.
func commands(r *Result, kinds ...string) (list []stats.Interval) {
	for _, i := range r.Timeline {
		for _, k := range kinds {
			if i.Kind == k {
				list = append(list, i)
			}
		}
	}
	return list
}

// Copies in, kernels and copies back in streams take the computed time. With two engines they form a pipeline whose slowest stage is full;
// with one engine they take at least the sum of all copies.
func TestCopiesOverlapKernels(t *testing.T) {
	const parts, bytes = 4, 65536
	var text strings.Builder
	for s := range parts {
		fmt.Fprintf(&text, "  - copy: {to: data, from: host, bytes: %d, offset: %d, stream: %d, pinned: true}\n", bytes, s*bytes, s+1)
	}
	for s := range parts {
		text.WriteString(chainStep(s+1, s*512, 600, ""))
	}
	for s := range parts {
		fmt.Fprintf(&text, "  - copy: {to: host, from: data, bytes: %d, offset: %d, stream: %d, pinned: true}\n", bytes, s*bytes, s+1)
	}
	settings := []string{"host.launch=0.01", "host.copy=0.01", "host.arrival=0", "hyperq.gap=0", "hyperq.connections=32"}
	for engines := 1; engines <= 2; engines++ {
		with := append(settings, fmt.Sprintf("copies.engines=%d", engines))
		r, err := runStreams(t, "k40", "", text.String(), sim.Options{Threads: 1}, with...)
		require.NoError(t, err)
		in := 8 + bytes/10039.0
		back := 8 + bytes/10047.0
		kernel := r.Launches[0].EndUS - r.Launches[0].StartUS
		require.Greater(t, kernel, in)
		// The kernels run side by side, each after its copy. The copies back follow in turn on their engine.
		free := parts * in // when the engine is free for copies back
		if engines == 2 {
			free = 0
		}
		end := 0.0
		for s := range parts {
			end = max(free, float64(s+1)*in+kernel) + back
			free = end
		}
		t.Logf("%d engines: %.2f us, arithmetic says %.2f", engines, r.DeviceUS, end)
		assert.InEpsilon(t, end, r.DeviceUS, 0.03, "%d engines", engines)
		list := commands(r, "copy")
		require.Len(t, list, 2*parts)
		for i, a := range list {
			for _, b := range list[:i] {
				if engines == 1 || a.Engine == b.Engine {
					assert.False(t, a.Start < b.End && b.Start < a.End, "%v and %v on one engine", a, b)
				}
			}
		}
	}
}

// Streams run the same with any number of host threads.
func TestStreamsAreTheSameForAnyThreads(t *testing.T) {
	names := []string{"hyperq/hyperq-breadth", "overlap/overlap", "multi-gpu/multi-gpu", "mps/mps"}
	if testing.Short() {
		names = names[1:2]
	}
	for _, name := range names {
		var first *Result
		for _, threads := range []int{1, 8, 2} {
			if testing.Short() && threads == 2 {
				continue
			}
			job, err := Open(context.Background(), "../workloads/"+name+".yaml", Options{Simulator: sim.Options{Threads: threads}})
			require.NoError(t, err)
			r, err := job.Run(context.Background())
			require.NoError(t, err)
			assert.Empty(t, r.Mismatches, name)
			for _, l := range r.Launches {
				l.Wall = 0
			}
			if first == nil {
				first = r
			}
			assert.Equal(t, first.Timeline, r.Timeline, "%s with %d threads", name, threads)
			assert.Equal(t, first.Launches, r.Launches, "%s with %d threads", name, threads)
		}
	}
}

// Without MPS, one process has the device at a time. With it, the grids of all processes run side by side.
func TestProcessesShareTheDeviceUnderMPS(t *testing.T) {
	var text strings.Builder
	for p := range 4 {
		text.WriteString(chainStep(0, p, 1000, fmt.Sprintf(", process: %d", p)))
	}
	ends := map[string]float64{}
	for _, mps := range []string{"false", "true"} {
		r, err := runStreams(t, "k40", "mps: "+mps+"\n", text.String(), sim.Options{Threads: 1})
		require.NoError(t, err)
		list := commands(r, "kernel")
		require.Len(t, list, 4)
		for i, a := range list {
			for _, b := range list[:i] {
				assert.Equal(t, mps == "true", a.Start < b.End && b.Start < a.End, "mps: %s", mps)
			}
		}
		ends[mps] = r.DeviceUS
	}
	assert.Greater(t, ends["false"], 3*ends["true"])
}

// Impossible uses of streams fail with a clear error.
func TestErrorsOfStreams(t *testing.T) {
	many := ""
	for p := range 17 {
		many += chainStep(0, p, 1, fmt.Sprintf(", process: %d", p))
	}
	for _, c := range []struct{ head, steps, says string }{
		{
			"streams: {fast: {priority: -1}}\n",
			"  - launch: {kernel: chain, grid: [1], block: [32], stream: quick, args: [data, {u32: 0}, {u32: 1}]}\n",
			`there is no stream "quick"`,
		},
		{"", "  - wait: {event: done, stream: 1}\n", `no earlier step records event "done"`},
		{"", "  - copy: {to: data, from: host, bytes: 262148}\n", "a copy reaches byte 262148 of buffer data, which has 262144"},
		{"mps: true\n", many, "17 processes under MPS, which has at most 16 clients"},
		{"", chainStep(0, 0, 1, ", device: 1"), "2 devices: k40 has 1"},
		{"", "  - memset: {buffer: data, offset: 262140, bytes: 8}\n", "a memset reaches byte 262148 of buffer data"},
	} {
		_, err := runStreams(t, "k40", c.head, c.steps, sim.Options{Threads: 1})
		assert.ErrorContains(t, err, c.says)
	}
}

// Two processes that wait for each other are an error, not a hang.
func TestACycleOfWaitsIsAnError(t *testing.T) {
	_, err := runStreams(t, "k40", "mps: true\n", `  - event: {record: never, stream: 3, process: 2}
  - event: {record: first, stream: 1, process: 2}
  - wait: {event: first, stream: 1}
  - event: {record: second, stream: 1}
`, sim.Options{Threads: 1})
	require.NoError(t, err, "a wait for an event of another process waits for it")
}

// The timeline has each block of the kernels once, within the time in which its SMX ran the kernel. It never has more blocks at once than
// fit an SMX.
func TestTimelineHasTheBlocks(t *testing.T) {
	const blocks = 700
	step := fmt.Sprintf("  - launch: {kernel: chain, grid: [%d], block: [64], stream: 1, args: [data, {u32: 0}, {u32: 20}]}\n", blocks)
	r, err := runStreams(t, "k40", "", step, sim.Options{Threads: 2})
	require.NoError(t, err)
	list, spans, seen := commands(r, "block"), map[int]stats.Interval{}, map[uint32]bool{}
	for _, i := range commands(r, "smx") {
		spans[i.SMX] = i
	}
	require.Len(t, list, blocks)
	for _, a := range list {
		require.False(t, seen[a.Block[0]])
		seen[a.Block[0]] = true
		assert.LessOrEqual(t, spans[a.SMX].Start, a.Start)
		assert.LessOrEqual(t, a.End, spans[a.SMX].End)
		together := 0
		for _, b := range list {
			if b.SMX == a.SMX && b.Start <= a.Start && a.Start < b.End {
				together++
			}
		}
		assert.LessOrEqual(t, together, r.Launches[0].Occupancy.Blocks)
	}
	r, err = runStreams(t, "k40", "", strings.ReplaceAll(step, "[700]", "[1000]"), sim.Options{Threads: 2})
	require.NoError(t, err)
	assert.Len(t, commands(r, "block"), 15*64, "no more than so many of a kernel on each SMX")
}

// The per-thread default stream overlaps other streams; the legacy one waits for them.
func TestPerThreadDefaultStream(t *testing.T) {
	launch := func(stream string, segment int) string {
		return fmt.Sprintf("  - launch: {kernel: chain, grid: [1], block: [32], %sargs: [data, {u32: %d}, {u32: 2000}]}\n",
			stream, segment*32)
	}
	for _, c := range []struct {
		head, stream string
		overlaps     bool
	}{
		{"", "", false},
		{"", "stream: 0, ", false},
		{"", "stream: per-thread, ", true},
		{"default_stream: per-thread\n", "", true},
		{"default_stream: per-thread\n", "stream: 0, ", true},
		{"default_stream: per-thread\n", "stream: legacy, ", false},
		{"default_stream: legacy\n", "", false},
	} {
		r, err := runStreams(t, "k40", c.head, launch("stream: 1, ", 0)+launch(c.stream, 1), sim.Options{Threads: 1})
		require.NoError(t, err)
		list := commands(r, "kernel")
		require.Len(t, list, 2)
		assert.Equal(t, c.overlaps, list[1].Start < list[0].End, "%q %q", c.head, c.stream)
	}
}

// Nothing overlaps an allocation: work submitted to a stream after it waits for work submitted to another before (CUDA's implicit
// synchronization). A free also makes the host wait.
func TestImplicitSynchronization(t *testing.T) {
	for _, c := range []struct {
		between  string
		overlaps bool
	}{
		{"", true},
		{"  - event: {record: e, stream: 1}\n", true},
		{"  - allocate: {name: scratch, bytes: 1048576}\n", false},
		{"  - allocate: {name: scratch, bytes: 1048576, pinned: true}\n", false},
	} {
		head := "streams: {a: {number: 1, non_blocking: true}, b: {number: 2, non_blocking: true}}\n"
		r, err := runStreams(t, "k40", head, chainStep(1, 0, 2000, "")+c.between+chainStep(2, 1, 2000, ""), sim.Options{Threads: 1})
		require.NoError(t, err)
		list := commands(r, "kernel")
		require.Len(t, list, 2)
		assert.Equal(t, c.overlaps, list[1].Start < list[0].End, c.between)
	}
	free := "  - allocate: {name: scratch, bytes: 1048576}\n" + chainStep(1, 0, 2000, "") + "  - free: {name: scratch}\n"
	r, err := runStreams(t, "k40", "", free, sim.Options{Threads: 1})
	require.NoError(t, err)
	for _, i := range commands(r, "host") {
		if i.Name == "free scratch" {
			assert.Greater(t, i.Start, commands(r, "kernel")[0].End)
		}
	}
	_, err = runStreams(t, "k40", "", "  - allocate: {name: scratch, bytes: 1048576}\n  - free: {name: scratch, device: 3}\n",
		sim.Options{Threads: 1})
	assert.ErrorContains(t, err, "device 3: the workload has its buffers and launches on 1")
	_, err = runStreams(t, "k40", "", "  - free: {name: scratch}\n", sim.Options{Threads: 1})
	assert.ErrorContains(t, err, `free of "scratch", which no earlier step allocates`)
}

// Managed memory moves as a whole, at the link's rates: before the first launch, and after a synchronisation that leaves nothing to do. A
// launch that finds it on the device moves nothing.
func TestManagedMemoryMovesAsAWhole(t *testing.T) {
	const bytes = 4 << 20
	head := ""
	steps := chainStep(1, 0, 200, "") + chainStep(2, 1, 200, "") + "  - sync: all\n" + chainStep(1, 0, 200, "") + "  - sync: {stream: 1}\n"
	kernel, err := filepath.Abs("../workloads/hyperq/chain.ptx")
	require.NoError(t, err)
	text := "module: " + kernel + "\n" + head + "buffers:\n  data: {type: u32, count: 1024}\n" +
		"  other: {type: u8, count: 4194304, memory: managed}\nsteps:\n" + steps
	path := filepath.Join(t.TempDir(), "w.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	job, err := Open(context.Background(), path, Options{Config: "k40", Simulator: sim.Options{Threads: 1}})
	require.NoError(t, err)
	r, err := job.Run(context.Background())
	require.NoError(t, err)
	copies, kernels := commands(r, "copy"), commands(r, "kernel")
	require.Len(t, copies, 4)
	require.Len(t, kernels, 3)
	for n, c := range copies {
		rate := []float64{10039, 10047}[n%2]
		assert.InDelta(t, 8+bytes/rate, c.End-c.Start, 0.01)
	}
	for _, k := range kernels[:2] {
		assert.Greater(t, k.Start, copies[0].End)
		assert.Less(t, k.End, copies[1].Start)
	}
	assert.Greater(t, kernels[2].Start, copies[2].End)
	assert.Less(t, kernels[2].End, copies[3].Start)
}
