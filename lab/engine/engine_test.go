package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/lessons"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/testkit/need"
)

// of returns the run of a workload of the repository.
func of(t *testing.T, name string) *engine.Request {
	t.Helper()
	q := &engine.Request{Files: map[string]string{}, Run: name + ".yaml"}
	for _, file := range []string{name + ".yaml", name + ".ptx"} {
		text, err := os.ReadFile(filepath.Join("../../workloads", name, file))
		require.NoError(t, err)
		q.Files[file] = string(text)
	}
	return q
}

func run(t *testing.T, q *engine.Request, limits engine.Limits) *engine.Response {
	t.Helper()
	r, err := engine.Run(context.Background(), q, limits)
	require.NoError(t, err)
	return r
}

// A page that watches all of one SMX gets the same sums as the report.
func TestWatchedAddsUpToTheReport(t *testing.T) {
	q := of(t, "transpose")
	q.Set = []string{"smx.count=1"}
	q.Watch = &engine.Watch{Cycles: 1}
	whole := run(t, q, engine.Limits{})
	assert.Contains(t, whole.Text, " with 1 thread: ")
	end := whole.Watched.End
	watch := func(from, cycles int64) (issues int, stalled int64) {
		q.Watch = &engine.Watch{From: from, Cycles: cycles}
		w := run(t, q, engine.Limits{}).Watched
		require.NotNil(t, w)
		assert.Equal(t, 4, w.Schedulers)
		assert.Equal(t, 16, w.Slots)
		for _, i := range w.Issues {
			assert.True(t, i[0] >= from && i[0] < from+cycles, "cycle %d", i[0])
		}
		for _, s := range w.Stalls {
			stalled += s[1] - s[0]
		}
		for _, f := range w.Flights {
			assert.True(t, f[1] <= f[2] && f[2] <= f[3] && f[3] <= f[4] && f[4] <= f[6], "a request's way goes forward: %v", f)
		}
		return len(w.Issues), stalled
	}
	// Two adjacent windows together have what one window over both has.
	a, stalledA := watch(100, 400)
	b, stalledB := watch(500, 300)
	both, stalled := watch(100, 700)
	assert.Equal(t, both, a+b)
	assert.Equal(t, stalled, stalledA+stalledB)
	assert.Greater(t, end, int64(1000))
}

// A reader's scheduler decides which warp issues in its own run only: no other run and no list of policies has it.
func TestReadersScheduler(t *testing.T) {
	q, names := of(t, "transpose"), scheduler.Names()
	cycles := func(text string) uint64 {
		q.Scheduler = text
		r := run(t, q, engine.Limits{})
		require.Empty(t, r.Error)
		return uint64(r.Launches[0].Cycles)
	}
	chips := cycles("")
	assert.NotEqual(t, cycles("age"), cycles("waited"))
	assert.Equal(t, chips, cycles(""))
	assert.Equal(t, names, scheduler.Names())
	q.Scheduler = "age +"
	assert.Contains(t, run(t, q, engine.Limits{}).Error, "scheduler:1:6: a number or a name is missing")
	q.Scheduler = strings.Repeat("1+", 100_000) + "1"
	assert.Contains(t, run(t, q, engine.Limits{Code: 50_000}).Error, "the limit is 50000")
}

// The lanes of a watched warp hold the values that the kernel computes: a linear index, which is the block's number times its
// threads, plus the thread.
func TestWatchedLanes(t *testing.T) {
	q := &engine.Request{Run: "w.yaml", Files: map[string]string{"k.ptx": `.version 4.2
.target sm_35
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<5>;
	.reg .b64 %l<4>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	ld.param.u64 %l1, [out];
	mul.wide.s32 %l2, %r4, 4;
	add.s64 %l3, %l1, %l2;
	setp.lt.u32 %p1, %r3, 40;
	@%p1 bra SMALL;
	mul.lo.s32 %r4, %r4, 3;
SMALL:
	bar.sync 0;
	st.global.u32 [%l3], %r4;
	ret;
}
`, "w.yaml": `name: w
module: k.ptx
config: gk110
buffers:
  out: {type: u32, count: 256}
steps:
  - launch: {kernel: k, grid: [4], block: [64], args: [out]}
`}, Set: []string{"smx.count=1"}, Watch: &engine.Watch{Cycles: 4000, Follow: &engine.Follow{Block: 2, Warp: 1}}}
	w := run(t, q, engine.Limits{}).Watched
	require.NotNil(t, w)
	require.NotNil(t, w.Lanes)
	assert.Equal(t, [3]uint32{35, 0, 0}, w.Lanes.Threads[3], "lane 3 of warp 1 is thread 35")
	var last [256][]uint32
	predicate := false
	before := int64(-1)
	for _, s := range w.Lanes.States {
		assert.Greater(t, s.Cycle, before)
		before = s.Cycle
		for _, r := range s.Registers {
			last[r[0]] = r[1:]
		}
		for _, p := range s.Predicates {
			predicate = predicate || p == 0x000000ff // threads 32 to 39
		}
	}
	assert.True(t, predicate, "no predicate was true for threads below 40 alone")
	want := make([]uint32, 32)
	for lane := range want {
		thread := uint32(32 + lane)
		if want[lane] = 2*64 + thread; thread >= 40 {
			want[lane] *= 3
		}
	}
	assert.Contains(t, last, want, "no register has what the kernel stores")

	// The result of an operation is there in the cycle after its issue. The first half of a 64-bit sum appears only after the second half's
	// operation, which computes both.
	writes := map[int64][]int{} // by operations that issued in the cycle before
	var firstHalf []int
	for _, i := range w.Issues {
		if n := w.Warps[i[1]]; n.Block == 2 && n.Index == 1 {
			op := &w.Operations[i[2]]
			writes[i[0]+1] = append(append(writes[i[0]+1], op.Writes...), firstHalf...)
			if firstHalf = nil; strings.Contains(op.Text, ", CC :") {
				firstHalf = op.Writes
			}
		}
	}
	written := 0
	for n, s := range w.Lanes.States {
		for _, r := range s.Registers {
			if n > 0 {
				assert.Contains(t, writes[s.Cycle], int(r[0]), "cycle %d", s.Cycle)
				written++
			}
		}
	}
	assert.Greater(t, written, 5)

	// The lesson's four kinds of threads take four paths.
	all, err := lab.Lessons()
	require.NoError(t, err)
	at := slices.IndexFunc(all, func(l *lessons.Lesson) bool { return l.Slug == "divergence" })
	cell := all[at].Cells[0]
	q = cell.Request(cell.PTX)
	q.Watch = &engine.Watch{Cycles: 3000, Follow: &engine.Follow{}}
	w = run(t, q, engine.Limits{}).Watched
	require.NotNil(t, w.Lanes)
	assert.True(t, slices.ContainsFunc(w.Lanes.States, func(s engine.LaneState) bool {
		return len(s.Paths) == 5 && s.Paths[0][2]|s.Paths[1][2]|s.Paths[2][2]|s.Paths[3][2] == 0xffffffff &&
			s.Paths[0][2] == 0x44444444
	}), "the four paths were never there together")

	// Each load's and store's rows of banks agree with its replays.
	q = of(t, "scan")
	q.Set = []string{"smx.count=1"}
	q.Watch = &engine.Watch{Cycles: 4000}
	w = run(t, q, engine.Limits{}).Watched
	replays := map[[2]int64]int64{}
	for _, r := range w.Replays {
		replays[[2]int64{r[0], r[1]}] = r[3]
	}
	shared := 0
	for _, a := range w.Accesses {
		if a.Banks == nil {
			continue
		}
		shared++
		passes := 0
		for _, rows := range a.Banks {
			passes += slices.Max(rows)
		}
		assert.EqualValues(t, passes-1, replays[[2]int64{a.Cycle, a.Warp}], "cycle %d, warp %d", a.Cycle, a.Warp)
	}
	assert.NotZero(t, shared)
	assert.NotEmpty(t, w.Bursts)
	assert.Equal(t, "12", w.Settings["l2.slices"])
}

// Limits hold, and their errors name them.
func TestLimits(t *testing.T) {
	q := of(t, "sgemm-tiled")
	r := run(t, q, engine.Limits{Memory: 1000})
	assert.Contains(t, r.Error, "of the 1000 that this run may have")
	assert.False(t, r.Passed)
	r = run(t, q, engine.Limits{Cycles: 5000})
	assert.Contains(t, r.Error, "limit of cycles")
	r = run(t, q, engine.Limits{Time: time.Millisecond})
	assert.Contains(t, r.Error, "took longer than 1ms")
	q.Watch = &engine.Watch{SMX: 99, Cycles: 10}
	q.Set = []string{"smx.count=2"}
	assert.Contains(t, run(t, q, engine.Limits{}).Error, "the chip has 2 SMXs")
}

// All uses of time and memory count. Each of these kernels ran for half a minute or took gigabytes when only buffers counted.
func TestLimitsCountEverything(t *testing.T) {
	t.Parallel()
	const head = ".version 4.2\n.target sm_35\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	const begin = ".visible .entry k(.param .u64 p) {\n.reg .b64 %d<9>; .reg .b32 %r<9>;\n"
	wide := "%65535c" + strings.Repeat("%65535c", 2000)
	format := ".global .b8 fmt[16384] = {" + strings.Trim(strings.ReplaceAll(fmt.Sprint([]byte(wide)), " ", ","), "[]") + "};\n"
	const printing = "mov.u64 %d1, fmt; cvta.global.u64 %d1, %d1;\n$L: { .param .b64 a; st.param.b64 [a], %d1; .param .b64 b; " +
		"st.param.b64 [b], %d1; .param .b32 r; call (r), vprintf, (a, b); }\n bra $L;\n}\n"
	for name, test := range map[string]struct{ code, buffer, says string }{
		"a variable": {".global .b8 big[4000000000];\n" + begin + "ret; }\n", "4", "allocate big: 4000000000 bytes asked for"},
		"one with a first value": {".global .b8 big[4000000000] = {1};\n" + begin + "ret; }\n", "4",
			"allocate big: 4000000000 bytes asked for"},
		"many variables": {strings.Repeat(".global .b8 big%[100000000];\n", 3) + begin + "ret; }\n", "4", "allocate big"},
		"a buffer":       {begin + "ret; }\n", "268435457", "allocate b: 268435457 bytes asked for"},
		"local memory": {begin + ".local .b8 x[500000]; mov.u64 %d1, x; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 1000; add.s64 " +
			"%d1, %d1, " +
			"%d2; st.local.u32 [%d1], %r1; ret; }\n", "4", "local memory: 15360000000 bytes asked for"},
		"printing":  {format + begin + printing, "4", "took longer than 300ms"},
		"long code": {begin + strings.Repeat("add.u32 %r1, %r1, %r1;\n", 50_000) + "ret; }\n", "4", "the limit is 1048576"},
	} {
		for i := range 3 {
			test.code = strings.Replace(test.code, "big%", fmt.Sprint("big", i), 1)
		}
		q := &engine.Request{Run: "w.yaml", Files: map[string]string{"k.ptx": head + test.code,
			"w.yaml": "module: k.ptx\nbuffers:\n  b: {type: u8, count: " + test.buffer + "}\nsteps:\n" +
				"  - launch: {kernel: k, grid: [256], block: [256], args: [b]}\n"}}
		begin := time.Now()
		limits := engine.Limits{Memory: 256 << 20, Code: 1 << 20, Time: time.Minute}
		if name == "printing" {
			limits.Time = 300 * time.Millisecond
		}
		assert.Contains(t, run(t, q, limits).Error, test.says, name)
		assert.Less(t, time.Since(begin), 10*time.Second, name)
	}
}

// Compile errors on a page are about the kernel: they are marked in its own line, and do not mention the headers.
func TestCompileErrorsAreOfTheKernel(t *testing.T) {
	need.Clang(t)
	source := engine.Source{Text: "extern \"C\" __global__ void k(int *a)\n{\n    int i = threadIdx;\n    a[i] = i;\n}\n"}
	c := source.Answer(t.Context(), engine.Limits{Time: time.Minute})
	assert.Equal(t, [2]int{3, 9}, [2]int{c.Line, c.Column}, c.Error)
	assert.Contains(t, c.Error, "kernel.cu:3:9: error: no viable conversion")
	assert.Contains(t, c.Error, "3 |     int i = threadIdx;")
	assert.NotRegexp(t, `stdin|\.h:|note`, c.Error)
}
