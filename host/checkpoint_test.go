package host_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/memorymode"
)

// whole is all output of a run, except the wall-clock time.
type whole struct {
	Result   *host.Result
	Contents []string
	Notes    []string
}

// complete runs a workload to its end.
func complete(t *testing.T, file string, o host.Options) whole {
	t.Helper()
	job, err := host.Open(context.Background(), file, o)
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	for _, l := range result.Launches {
		l.Wall = 0
	}
	contents, err := job.Contents()
	require.NoError(t, err)
	return whole{result, contents, job.Notes}
}

// goesOn checks that a run that saves its state, and one that continues from it, end like an undisturbed run. It returns the description of
// the checkpoint.
func goesOn(t *testing.T, file string, undisturbed whole, o host.Options, at host.Save) *host.Saved {
	t.Helper()
	at.To = filepath.Join(t.TempDir(), "run.ckpt")
	o.Save = &at
	saving := complete(t, file, o)
	taken := saving.Result.Saved
	require.NotNil(t, taken, "a checkpoint at %s of %d", &at, undisturbed.Result.Cycle)
	saving.Result.Saved = nil
	assert.Equal(t, undisturbed, saving, "the run that was saved goes on as if it had not been")
	o.Save, o.Resume = nil, at.To
	o.Simulator.Threads = 2
	resumed := complete(t, file, o)
	require.Equal(t, taken, resumed.Result.Resumed)
	resumed.Result.Resumed = nil
	assert.Equal(t, undisturbed, resumed, "the run that goes on from a checkpoint at %s, taken at cycle %d of %d", &at, taken.Cycle,
		undisturbed.Result.Cycle)
	return taken
}

// Every workload, saved at a random cycle (from a fixed seed) and resumed, has the same bytes, counters, cycles and timeline.
func TestEveryWorkloadGoesOnFromACheckpoint(t *testing.T) {
	list, err := filepath.Glob("../workloads/*/*.yaml")
	require.NoError(t, err)
	chips := []string{"gk110", "gk104", "gk210", "k40"}
	for i, file := range list {
		if testing.Short() && i%24 != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			o := host.Options{Config: chips[i%len(chips)], Build: "test", Simulator: sim.Options{Threads: 1}}
			switch {
			case strings.Contains(file, "multi-gpu"): // needs a board of two GPUs
				o.Config = "k80"
			case launchesFromKernels(file):
				o.Config = "gk110"
			}
			undisturbed := complete(t, file, o)
			seed := fnv.New64a()
			seed.Write([]byte(filepath.Base(file)))
			random := rand.New(rand.NewPCG(seed.Sum64(), 1))
			at := host.Save{Cycle: random.Int64N(undisturbed.Result.Cycle)}
			taken := goesOn(t, file, undisturbed, o, at)
			assert.GreaterOrEqual(t, taken.Cycle, at.Cycle)
			if info, err := os.Stat(taken.File); err == nil {
				t.Logf("%s: asked for cycle %d of %d, taken at %d, %d launches before, %v running, state %d bytes, file %d", o.Config,
					at.Cycle, undisturbed.Result.Cycle, taken.Cycle, taken.Launches, taken.Kernels, taken.State, info.Size())
			}
		})
	}
}

// hostProgram is a workload with all kinds of steps and memory. It has two processes, streams and events, a kernel that prints, one that
// allocates on the device's heap, a loop that a buffer ends, and a texture.
const hostProgram = `module: chain.ptx
streams: {fast: {number: 3, priority: -1, non_blocking: true}}
buffers:
  data: {type: u32, count: 65536, init: {ramp: {start: 1, step: 3}}}
  a: {type: u32, count: 1}
  b: {type: u32, count: 1}
  flag: {type: u32, count: 1}
  managed: {type: u32, count: 4096, memory: managed, init: {ramp: {}}}
  mapped: {type: u32, count: 256, memory: mapped, init: {ramp: {}}}
  printed: {type: u32, count: 64}
  listed: {type: u32, count: 64}
  pixels: {type: f32, count: 64, init: {ramp: {start: 5}}}
  looked: {type: f32, count: 64}
textures:
  image: {buffer: pixels, kind: 1d, dimensions: [64]}
steps:
  - allocate: {name: scratch, bytes: 1048576}
  - copy: {to: data, from: host, bytes: 65536, stream: 1, pinned: true}
  - launch: {kernel: chain, grid: [8], block: [64], stream: 1, args: [data, {u32: 0}, {u32: 300}]}
  - event: {record: first, stream: 1}
  - copy: {to: data, from: host, bytes: 131072, offset: 131072, stream: 2}
  - wait: {event: first, stream: 3}
  - launch: {kernel: chain, grid: [4], block: [32], stream: 3, args: [managed, {u32: 0}, {u32: 500}]}
  - callback: {stream: 3, us: 5, name: looks}
  - launch: {kernel: chain, grid: [2], block: [32], stream: 2, args: [mapped, {u32: 0}, {u32: 20}]}
  - memset: {buffer: data, value: 7, offset: 4096, bytes: 8192, stream: 2}
  - launch: {kernel: chain, grid: [2], block: [32], stream: 2, process: 1, args: [data, {u32: 8192}, {u32: 400}]}
  - sync: {event: first}
  - launch: {module: look.ptx, kernel: k, grid: [1], block: [64], args: [looked]}
  - repeat:
      times: 20
      until: {element: [flag, 0], equals: 0}
      steps:
        - copy: {to: flag, from: host}
        - launch: {module: add.ptx, kernel: add, grid: [1], block: [1], args: [{rotate: [a, b]}, {rotate: [b, a]}, flag, {u32: 3}]}
  - launch: {module: system.ptx, kernel: print, grid: [2], block: [32], args: [printed]}
  - launch: {module: system.ptx, kernel: list, grid: [2], block: [32], stream: 1, args: [listed, {u32: 5}]}
  - launch: {kernel: chain, grid: [1], block: [32], repeat: 3, args: [data, {element: [a, 0]}, {count: {u32: 100, step: 50}}]}
  - free: {name: scratch}
  - sync: {stream: 1}
  - launch: {kernel: chain, grid: [30], block: [128], process: 1, args: [data, {u32: 0}, {u32: 50}]}
`

// looking computes out[i] = image[i].
const looking = `.version 4.2
.target sm_30
.address_size 64
.global .texref image;
.visible .entry k(.param .u64 out) {
.reg .b32 %r<4>; .reg .f32 %f<6>; .reg .b64 %d<4>;
ld.param.u64 %d1, [out];
mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1;
tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f1}];
mul.wide.u32 %d3, %r1, 4; add.u64 %d1, %d1, %d3; st.global.f32 [%d1], %f2;
exit; }
`

// adding computes out[0] = in[0] + by; if the sum is below 10, it sets flag[0].
const adding = `.version 4.2
.target sm_30
.address_size 64
.visible .entry add(.param .u64 in, .param .u64 out, .param .u64 flag, .param .u32 by)
{
	.reg .b64 %d<4>; .reg .b32 %r<5>; .reg .pred %p<2>;
	ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [flag]; ld.param.u32 %r1, [by];
	ld.global.u32 %r2, [%d1]; add.u32 %r3, %r2, %r1; st.global.u32 [%d2], %r3;
	setp.lt.u32 %p1, %r3, 10; mov.u32 %r4, 1;
	@%p1 st.global.u32 [%d3], %r4;
	ret;
}
`

// writeHostProgram writes hostProgram with its modules, and returns its file.
func writeHostProgram(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	texts := map[string][]byte{"w.yaml": []byte(hostProgram), "look.ptx": []byte(looking), "add.ptx": []byte(adding)}
	for name, file := range map[string]string{"chain.ptx": "../workloads/hyperq/chain.ptx", "system.ptx": "../sim/testdata/system.ptx"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[name] = text
	}
	for name, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	return filepath.Join(folder, "w.yaml")
}

// Any host program, with any options, can be resumed: from twenty moments of its run, and from a checkpoint of a resumed run. Output of
// kernels appears once.
func TestEveryKindOfStepGoesOnFromACheckpoint(t *testing.T) {
	file := writeHostProgram(t)
	warm := 61.5
	for name, o := range map[string]host.Options{
		"plain": {Config: "k40"},
		"mps":   {Config: "k40", Simulator: sim.Options{MPS: true, ReuseDistance: true}},
		"boost": {Config: "k40", Simulator: sim.Options{Power: &boost.Options{On: true, Temperature: &warm}}},
		"l1":    {Config: "k40", Simulator: sim.Options{GlobalLoads: memorymode.LoadsThroughL1, CacheConfig: "l1"}},
		"ideal": {Config: "gk110", Overrides: []string{"ideal.dual_issue=true", "l2.policy=fifo", "l2.prefetcher=stride"}},
		"eight": {Config: "gk110", Overrides: []string{"hyperq.connections=1",
			"smx.scheduler=two-level", "dram.scheduling=fcfs"}},
		"registers": {Config: "gk110", Simulator: sim.Options{MaxRegisters: 16}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Build = "test"
			var printed, again, rest bytes.Buffer
			o.Simulator.Printf = &printed
			undisturbed := complete(t, file, o)
			require.Len(t, undisturbed.Result.Launches, 15)
			all := undisturbed.Result.Cycle
			moments, more := []host.Save{{Launch: 1}, {Launch: 6, Cycle: 100}, {Launch: 15, Cycle: 1 << 40}}, int64(9)
			if testing.Short() {
				moments, more = moments[1:2], 0
			}
			for n := range more {
				moments = append(moments, host.Save{Cycle: all * (2*n + 1) / 18})
			}
			for _, at := range moments {
				again.Reset()
				o.Simulator.Printf = &again
				goesOn(t, file, undisturbed, o, at)
				assert.True(t, strings.HasPrefix(again.String(), printed.String()))
				text := strings.TrimPrefix(again.String(), printed.String()) // of the resumed run
				assert.True(t, strings.HasSuffix(printed.String(), text), "%q", text)
			}
			// A checkpoint of a resumed run.
			first, second := filepath.Join(t.TempDir(), "1"), filepath.Join(t.TempDir(), "2")
			o.Simulator.Printf = &rest
			o.Save = &host.Save{Cycle: all / 3, To: first}
			complete(t, file, o)
			o.Resume, o.Save = first, &host.Save{Cycle: all / 2, To: second}
			complete(t, file, o)
			o.Resume, o.Save = second, nil
			third := complete(t, file, o)
			third.Result.Resumed = nil
			assert.Equal(t, undisturbed, third)
		})
	}
}

// Runs whose state cannot be saved are rejected before they start, and so are checkpoints of other runs.
func TestCheckpointsThatAreRefused(t *testing.T) {
	run := func(file string, o host.Options) error {
		job, err := host.Open(context.Background(), file, o)
		require.NoError(t, err)
		_, err = job.Run(context.Background())
		return err
	}
	vectoradd, saxpy := "../workloads/vectoradd/vectoradd.yaml", "../workloads/saxpy/saxpy.yaml"
	to := filepath.Join(t.TempDir(), "run.ckpt")
	save := host.Options{Config: "gk110", Build: "test", Save: &host.Save{Cycle: 1000, To: to}}
	for want, o := range map[string]sim.Options{
		"leave out --functional": {Functional: true},
		"leave out --sample":     {Estimate: true},
		"leave out --check":      {Check: finding.Memory},
	} {
		with := save
		with.Simulator = o
		assert.ErrorContains(t, run(vectoradd, with), want)
	}
	require.NoError(t, run(vectoradd, save))
	resume := host.Options{Config: "gk110", Build: "test", Resume: to}
	for want, change := range map[string]func(*host.Options) string{
		"build of keplersim": func(o *host.Options) string { o.Build = "other"; return vectoradd },
		"configuration (gk110)": func(o *host.Options) string {
			o.Overrides = []string{"l2.latency=300"}
			return vectoradd
		},
		"configuration (gk104)":                    func(o *host.Options) string { o.Config = "gk104"; return vectoradd },
		"set of options":                           func(o *host.Options) string { o.Simulator.MaxRegisters = 20; return vectoradd },
		"code of the kernels, or another workload": func(*host.Options) string { return saxpy },
	} {
		with := resume
		assert.ErrorContains(t, run(change(&with), with), "it was made with another "+want)
	}
	whole, err := os.ReadFile(to)
	require.NoError(t, err)
	for name, text := range map[string][]byte{
		"not a checkpoint":   []byte("hello"),
		"version 9":          bytes.Replace(whole[:400], []byte("checkpoint\n\x01"), []byte("checkpoint\n\x09"), 1),
		"ends in its header": whole[:200], "not all of it": whole[:len(whole)-1],
	} {
		resume.Resume = filepath.Join(t.TempDir(), "broken")
		require.NoError(t, os.WriteFile(resume.Resume, text, 0o600))
		assert.ErrorContains(t, run(vectoradd, resume), name)
	}
	resume.Resume = filepath.Join(t.TempDir(), "none")
	assert.ErrorContains(t, run(vectoradd, resume), fmt.Sprint(resume.Resume, ": no such file or directory"))
}
