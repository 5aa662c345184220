package host

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
)

// folder makes a folder with these files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// increment adds one to each element of a buffer.
const increment = `.version 4.2
.target sm_35
.address_size 64
.visible .entry increment(.param .u64 data)
{
	.reg .u64 %rd<3>;
	.reg .u32 %r<4>;
	ld.param.u64 %rd1, [data];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// functional runs without timing, as these tests check results.
var functional = Options{Simulator: sim.Options{Functional: true, Threads: 1}}

// runFile runs a file and returns the job and its result.
func runFile(t *testing.T, path string, o Options) (*Job, *Result) {
	t.Helper()
	job, err := Open(context.Background(), path, o)
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	return job, result
}

// If only time is wanted, buffers are filled page by page when kernels access them. Contents and cycles stay the same.
func TestBuffersThatAreFilledLate(t *testing.T) {
	dir := folder(t, map[string]string{"increment.ptx": increment, "late.yaml": `name: late
module: increment.ptx
buffers:
  before: {type: u8, count: 100, init: {fill: 7}}
  random: {type: u32, count: 100000, init: {random: {seed: 5}}}
  ramp: {type: u32, count: 50000, init: {ramp: {start: 3, step: 7}}}
steps:
  - launch: {kernel: increment, grid: [1], block: [256], args: [{ptr: [random, 131072]}]}
  - launch: {kernel: increment, grid: [1], block: [256], args: [ramp]}
  - copy: {to: ramp, from: random, to_offset: 100000, from_offset: 300000, bytes: 1000}
`})
	path := filepath.Join(dir, "late.yaml")
	for _, threads := range []int{1, 2} {
		whole, timed := runFile(t, path, Options{Simulator: sim.Options{Threads: threads}})
		late, alone := runFile(t, path, Options{Simulator: sim.Options{Threads: threads, Estimate: true, TimeAlone: true}})
		require.False(t, alone.Incomplete)
		for i, l := range timed.Launches {
			assert.Equal(t, l.Cycles, alone.Launches[i].Cycles)
		}
		for _, name := range []string{"before", "random", "ramp"} {
			assert.Equal(t, words(t, whole, name), words(t, late, name), name)
		}
	}
}

// words returns a buffer as 32-bit numbers.
func words(t *testing.T, j *Job, name string) []uint32 {
	t.Helper()
	data, err := j.Buffer(name)
	require.NoError(t, err)
	out := make([]uint32, len(data)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out
}

// Steps run in order: a copy from the host restores the initial contents, launches repeat, and copies between buffers use the contents of
// their time.
func TestStepsInOrder(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": increment, "w.yaml": `
module: k.ptx
buffers:
  a: {type: u32, count: 8, init: {ramp: {start: 10, step: 1}}}
  b: {type: u32, count: 8}
  c: {type: u32, count: 8, init: {fill: 7}}
  d: {type: u32, count: 16}
steps:
  - launch: {kernel: increment, grid: [1], block: [8], repeat: 3, args: [a]}
  - copy: {to: b, from: a, bytes: 16, to_offset: 16, from_offset: 4}
  - event: {record: done, stream: 1}
  - launch: {kernel: increment, grid: [1], block: [2], args: [{ptr: [c, 8]}]}
  - copy: {to: d, from: a, width: 8, height: 2, to_pitch: 32, from_pitch: 16}
  - wait: {event: done, stream: 2}
  - copy: {to: a, from: host}
  - copy: {to: host, from: c}
  - sync: all
`})
	job, result := runFile(t, filepath.Join(dir, "w.yaml"), functional)
	assert.Len(t, result.Launches, 4)
	assert.Equal(t, []uint32{10, 11, 12, 13, 14, 15, 16, 17}, words(t, job, "a"))
	assert.Equal(t, []uint32{0, 0, 0, 0, 14, 15, 16, 17}, words(t, job, "b"))
	assert.Equal(t, []uint32{7, 7, 8, 8, 7, 7, 7, 7}, words(t, job, "c"))
	assert.Equal(t, []uint32{13, 14, 0, 0, 0, 0, 0, 0, 17, 18, 0, 0, 0, 0, 0, 0}, words(t, job, "d"))
}

// Modules are loaded as the workload says: its own, another one for one launch, and one for older chips.
func TestModules(t *testing.T) {
	twice := replace(t, increment, "add.u32 %r2, %r2, 1;", "add.u32 %r2, %r2, %r2;")
	older := replace(t, replace(t, increment, "sm_35", "sm_30"), "add.u32 %r2, %r2, 1;", "add.u32 %r2, %r2, 100;")
	dir := folder(t, map[string]string{"k.ptx": increment, "k.sm_30.ptx": older, "other.ptx": twice, "w.json": `{
		"module": "k.ptx", "buffers": {"a": {"type": "u32", "count": 2, "init": {"fill": 5}}},
		"steps": [{"launch": {"kernel": "increment", "grid": [1], "block": [2], "args": ["a"]}},
			{"launch": {"kernel": "increment", "module": "other.ptx", "grid": [1], "block": [2], "args": ["a"]}}]}`})
	job, _ := runFile(t, filepath.Join(dir, "w.json"), functional)
	assert.Equal(t, []uint32{12, 12}, words(t, job, "a"))
	older104 := functional
	older104.Config = "gk104"
	job, _ = runFile(t, filepath.Join(dir, "w.json"), older104)
	assert.Equal(t, []uint32{210, 210}, words(t, job, "a"))
}

// replace changes one occurrence in a text, which must contain it.
func replace(t *testing.T, text, old, new string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, new, 1)
}

// Impossible workloads are rejected before anything runs.
func TestRefusedBeforeRunning(t *testing.T) {
	head := "buffers:\n  a: {type: u32, count: 8}\n"
	for text, part := range map[string]string{
		"steps:\n  - launch: {kernel: increment, grid: [1], block: [8], args: []}\n":                        `names no module`,
		"module: k.ptx\nsteps:\n  - launch: {kernel: incremnt, grid: [1], block: [8], args: []}\n":          `no kernel "incremnt"`,
		"module: k.ptx\nsteps:\n  - launch: {kernel: increment, grid: [1], block: [8], args: []}\n":         "takes 1 arguments",
		"module: k.ptx\nsteps:\n  - launch: {kernel: increment, grid: [1], block: [8], args: [{u32: 1}]}\n": "has 4 bytes",
		"module: k.ptx\ntextures:\n  t: {buffer: a, kind: 1d, dimensions: [8], format: u32, channels: 1, filter: point, address: " +
			"clamp}\nsteps: []\n": "nothing uses the texture t",
	} {
		dir := folder(t, map[string]string{"k.ptx": increment, "w.yaml": head + text})
		_, err := Open(context.Background(), filepath.Join(dir, "w.yaml"), functional)
		assert.ErrorContains(t, err, part)
		assert.ErrorContains(t, err, "w.yaml")
	}
}

// A launch's own cache preference decides its shared memory; the option is for launches without one.
func TestCachePreference(t *testing.T) {
	text := "module: k.ptx\nbuffers:\n  a: {type: u32, count: 8}\nsteps:\n" +
		"  - launch: {kernel: increment, grid: [1], block: [8], shared: 16384, args: [a]PREFER}\n"
	for _, test := range []struct {
		launch, option string
		blocks         int
	}{{"", "", 3}, {"", "l1", 1}, {", cache_config: l1", "", 1}, {", cache_config: equal", "l1", 2}} {
		dir := folder(t, map[string]string{"k.ptx": increment, "w.yaml": replace(t, text, "PREFER", test.launch)})
		o := functional
		o.Simulator.CacheConfig = test.option
		_, result := runFile(t, filepath.Join(dir, "w.yaml"), o)
		assert.Equal(t, test.blocks, result.Launches[0].Occupancy.Blocks, test)
	}
}

// A launch's own bank mode and caching of global loads take precedence over the options.
func TestLaunchChoosesBanksAndLoads(t *testing.T) {
	const kernels = `.version 4.2
.target sm_35
.address_size 64
.visible .entry wide(.param .u64 out)
{
	.reg .b64 %a<6>;
	.reg .b32 %r<4>;
	.shared .align 8 .b8 words[512];
	ld.param.u64 %a0, [out];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, words;
	mad.lo.u32 %r1, %r0, 8, %r1;
	shr.u32 %r2, %r0, 4;
	mad.lo.u32 %r1, %r2, 256, %r1; // the upper lanes: banks of their own where these are 8 bytes wide, those of the lower where 4
	ld.volatile.shared.u64 %a1, [%r1];
	mul.wide.u32 %a2, %r0, 8;
	add.u64 %a3, %a0, %a2;
	ld.global.u64 %a4, [%a3];
	add.u64 %a4, %a4, %a1;
	st.global.u64 [%a3], %a4;
	ret;
}
`
	text := "module: k.ptx\nbuffers:\n  a: {type: u64, count: 32}\nsteps:\n" +
		"  - launch: {kernel: wide, grid: [1], block: [32], args: [a]CHOICE}\n"
	for _, test := range []struct {
		launch  string
		option  sim.Options
		passes  uint64
		lookups bool
	}{
		{"", sim.Options{}, 2, false}, {"", sim.Options{BankMode: 8, GlobalLoads: memorymode.LoadsThroughL1}, 1, true},
		{", bank_mode: 8, dlcm: ca", sim.Options{}, 1, true},
		{", bank_mode: 4, dlcm: cg", sim.Options{BankMode: 8, GlobalLoads: memorymode.LoadsThroughL1}, 2, false},
	} {
		dir := folder(t, map[string]string{"k.ptx": kernels, "w.yaml": replace(t, text, "CHOICE", test.launch)})
		test.option.Threads = 1
		_, result := runFile(t, filepath.Join(dir, "w.yaml"), Options{Config: "k40", Simulator: test.option})
		total := &result.Launches[0].Total
		assert.Equal(t, test.passes, total.SharedLoad.Transactions, test.launch)
		assert.Equal(t, test.lookups, total.L1Global.Accesses > 0, test.launch)
	}
}

// An empty buffer has an address.
func TestBufferOfNothing(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": increment, "w.yaml": "module: k.ptx\nbuffers:\n" +
		"  none: {type: u32, count: 0, init: {ramp: {}}}\n  a: {type: u32, count: 2}\nsteps:\n  - copy: {to: none, from: host}\n" +
		"  - launch: {kernel: increment, grid: [1], block: [2], args: [a]}\nexpect:\n  none: {values: []}\n  a: {values: [1, 1]}\n"})
	job, result := runFile(t, filepath.Join(dir, "w.yaml"), functional)
	assert.Empty(t, result.Mismatches)
	assert.Empty(t, words(t, job, "none"))
}

// A made-up launch has dynamic shared memory if the kernel uses it: an element for each thread. A launch without any gets a note.
func TestMadeUpDynamicSharedMemory(t *testing.T) {
	const reversing = `.version 4.2
.target sm_35
.address_size 64
.extern .shared .align 4 .b8 tile[];
.visible .entry reverse(.param .u64 data)
{
	.reg .b32 %r<6>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [data];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d2, %d1, %d2;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, tile;
	add.u32 %r2, %r2, %r3;
	st.shared.u32 [%r2], %r1;
	bar.sync 0;
	ld.shared.u32 %r4, [%r2];
	st.global.u32 [%d2], %r4;
	ret;
}
`
	dir := folder(t, map[string]string{"k.ptx": reversing, "w.yaml": "module: k.ptx\nbuffers:\n  a: {type: u32, count: 64}\nsteps:\n" +
		"  - launch: {kernel: reverse, grid: [1], block: [64], args: [a]}\n"})
	job, result := runFile(t, filepath.Join(dir, "k.ptx"), functional)
	assert.Equal(t, 1024, result.Launches[0].DynamicShared)
	assert.Contains(t, job.Notes, "made up: shared: 1024 bytes of dynamic shared memory, 4 for each thread")
	o := functional
	o.Block, o.Shared = [3]int{32, 2, 1}, 512
	job, result = runFile(t, filepath.Join(dir, "k.ptx"), o)
	assert.Equal(t, 512, result.Launches[0].DynamicShared)
	assert.NotContains(t, strings.Join(job.Notes, "\n"), "dynamic shared memory")
	job, err := Open(context.Background(), filepath.Join(dir, "w.yaml"), functional)
	require.NoError(t, err)
	_, err = job.Run(context.Background())
	assert.ErrorContains(t, err, "the block has 0 bytes of shared memory; the kernel uses dynamic shared memory, and the launch gives "+
		"none: add --shared BYTES, or shared in the workload file")
}

// A made-up launch has the block that the kernel declares.
func TestMadeUpBlockSuitsTheKernel(t *testing.T) {
	for directive, want := range map[string][3]int{".reqntid 8, 4": {8, 4, 1}, ".maxntid 64": {64, 1, 1}, ".maxntid 1024": {256, 1, 1}} {
		dir := folder(t, map[string]string{"k.ptx": replace(t, increment, "data)\n", "data) "+directive+"\n")})
		_, result := runFile(t, filepath.Join(dir, "k.ptx"), functional)
		assert.Equal(t, want, result.Launches[0].Block, directive)
	}
}
