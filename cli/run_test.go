package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
)

// small makes a run quick: two SMXs.
var small = []string{"--set", "smx.count=2"}

// Each mistake gives one clear error that says what to do, and the exit code that the help promises.
func TestErrorsAreClear(t *testing.T) {
	t.Chdir("testdata")
	for _, test := range []struct {
		args  string
		code  int
		parts []string
	}{
		// The input is wrong.
		{"run", exitBadInput, []string{"run takes one file", "--help"}},
		{"run missing.ptx", exitBadInput, []string{"missing.ptx: there is no such file"}},
		{"run add-right.ptx", exitBadInput, []string{"there is no such file", "there is add-right.yaml"}},
		{"run .", exitBadInput, []string{". is a folder; give a .ptx, .cu or workload file in it, such as add.ptx"}},
		{"run notes.txt", exitBadInput, []string{"notes.txt", ".ptx, .cu"}},
		{
			"run unknown-opcode.ptx", exitBadInput,
			[]string{"unknown-opcode.ptx:10:2: unknown opcode", "did you mean `mul`", "\tmull.f32 %f2", "^"},
		},
		{"run --config bad-key.yaml add.ptx", exitBadInput, []string{"bad-key.yaml:3:3: l2.slces: unknown key; did you mean l2.slices?"}},
		{"run --config gk111 add.ptx", exitBadInput, []string{"did you mean gk110?"}},
		{"run --set smx.cuont=1 add.ptx", exitBadInput, []string{"did you mean smx.count?"}},
		{"run --kernel sub add.ptx", exitBadInput, []string{`add.ptx has no kernel "sub"; its kernels are add`}},
		{"run two.ptx", exitBadInput, []string{"two.ptx has 2 kernels; say which with --kernel: first, second"}},
		{"run --arg 1 --arg 2 --arg 3 --arg 4 --arg 5 add.ptx", exitBadInput, []string{"takes 4 arguments", "one too many"}},
		{"run --arg zz=5 add.ptx", exitBadInput, []string{`kernel add has no parameter "zz" (it has`, "as in --arg 0=5"}},
		{"run --set smx.schedulers=0 add-right.yaml", exitBadInput, []string{"keplersim: --set smx.schedulers=0"}},
		{"run --arg u33:1 add.ptx", exitBadInput, []string{"--arg u33:1", "unknown type"}},
		{"run --grid 0 add.ptx", exitBadInput, []string{"--grid 0", "must be a whole number of at least 1"}},
		{"run --grid 1,2,3,4 add.ptx", exitBadInput, []string{"1 to 3 numbers"}},
		{"run --block 2048 add.ptx", exitBadInput, []string{"1024"}},
		{"run --format xml add.ptx", exitBadInput, []string{"one of text, csv, full, gpgpusim, json"}},
		{"run --cache-config most add.ptx", exitBadInput, []string{"one of none, shared, l1, equal"}},
		{"run --dump z add.ptx", exitBadInput, []string{"--dump y=y.bin"}},
		{"run --dump z=z.bin add.ptx", exitBadInput, []string{`there is no buffer "z"; the buffers are arg0 arg1`}},
		{"run --output no/such/folder/x add.ptx", exitBadInput, []string{"--output", "there is no folder no/such/folder"}},
		{
			"run --kernel sub add-right.yaml", exitBadInput,
			[]string{"--kernel sub: add-right.yaml launches no such kernel; it launches add"},
		},
		{"run --config gk104,gk111 add-right.yaml", exitBadInput, []string{"did you mean gk110?"}},
		{"run --config gk104,fermi add-right.yaml", exitBadInput, []string{"nothing runs on fermi"}},
		{"run --config gk104,gk104 add-right.yaml", exitBadInput, []string{"names gk104 twice"}},
		{"run --config gk104,gk110 --dump z=z.bin add-right.yaml", exitBadInput, []string{"several boards", "name one"}},
		{"run --grid 1 add-right.yaml", exitBadInput, []string{"so does add-right.yaml"}},
		{"run add-no-kernel.yaml", exitBadInput, []string{"add-no-kernel.yaml:5:5", `no kernel "added"`}},
		{"run --shared 1024 --block 32 --grid 1 never-resident.ptx", exitBadInput, []string{"can never be resident", "shared memory"}},
		{"run --no-such-flag add.ptx", exitBadInput, []string{"unknown flag: --no-such-flag (keplersim run --help lists the flags)"}},
		{"run add.ptx --printf add.ptx", exitBadInput, []string{"--printf add.ptx would overwrite the input"}},
		{"run link-main.ptx --dump x=link-main.yaml", exitBadInput, []string{"--dump x=link-main.yaml would overwrite the input"}},
		{"run add.ptx --printf ./same.txt -o same.txt", exitBadInput, []string{"--output and --printf write the same file ./same.txt"}},
		{"run --events gld_request add.ptx", exitBadInput, []string{"unknown flag: --events; that is --metrics, which has nvprof's " +
			"events too here"}},
		{"run -maxrregcount=32 add.ptx", exitBadInput, []string{"; that is --maxrregcount here"}},
		{"configs --csv", exitBadInput, []string{"unknown flag: --csv (keplersim configs --help lists the flags)"}},
		{"run -arch=sm_35 add.ptx", exitBadInput, []string{"; that is --config here"}},
		{"run --grdi 3 add.ptx", exitBadInput, []string{"unknown flag: --grdi; did you mean --grid?"}},
		{"run add.ptx --printf no-such-folder/printed.txt", exitBadInput,
			[]string{"--printf no-such-folder/printed.txt: there is no folder"}},
		{"run add.ptx --link no-such.ptx", exitBadInput, []string{"no-such.ptx: there is no such file"}},
		// The run fails.
		{"run --block 32 --grid 2 --arg u32[64] out-of-bounds.ptx", exitFailed,
			[]string{"4-byte store", "outside every allocation", "kernel shifted, block (1,0,0), warp 0, lane 31",
				"out-of-bounds.ptx:16", "nearest allocation: arg0, 256 bytes",
				"ends right before it\n  a card maps whole pages and goes on here: so does --memory card"}},
		{"run --memory lenient add.ptx", exitBadInput, []string{"--memory lenient: write strict", "or card"}},
		{"run --memory card --check add.ptx", exitBadInput, []string{"--memory card lets accesses outside allocations pass"}},
		{"run --arg u32[4096] out-of-bounds.ptx", exitFailed,
			[]string{"keplersim made up parts of the launch", "give --grid, --block and --arg"}},
		{"run --block 32 --grid 1 misaligned.ptx", exitFailed,
			[]string{"misaligned 4-byte load", "not a multiple of 4", "kernel odd, block (0,0,0), warp 0, lane 0", "misaligned.ptx:9"}},
		{"run --block 64 --grid 1 deadlock.ptx", exitFailed,
			[]string{"deadlock", "barrier 1", "barrier 2", "kernel stuck, block (0,0,0)", "deadlock.ptx:1"}},
		{"run --block 32 --grid 1 --max-cycles 5000 endless.ptx", exitFailed,
			[]string{"ran longer than the limit of cycles", "5000", "may never end",
				"1 warp has not ended:", "1 at endless.ptx:1", "block (0,0,0), warp 0\n"}},
		{"run --kernel outside --block 32 --grid 1 --arg u32[4] faults.ptx", exitFailed,
			[]string{"4-byte atomic at global address", "outside every allocation"}},
		{"run --kernel reduce --block 32 --grid 1 --arg u32[4] faults.ptx", exitFailed,
			[]string{"misaligned 4-byte atomic at global address"}},
		{"run --kernel odd --block 64 --grid 1 faults.ptx", exitFailed,
			[]string{"a barrier of 33 threads: the count is a multiple of 32", "at faults.ptx:22"}},
		{"run --kernel together --block 1 --grid 300 --max-cycles 20000 --arg u32[1] --set smx.count=2 faults.ptx", exitFailed,
			[]string{"with 0 of 300 blocks done", "268 of 300 blocks, from block (32,0,0) on, have not started: 32 are resident at once",
				"as at a barrier between all blocks, none ever starts: launch 32 blocks at most"}},
		{"run --block 64 --grid 2 --max-cycles 20000 spin-lock.ptx", exitFailed, []string{"4 warps have not ended:", "at spin-lock.ptx:1",
			"has 31 of 32 lanes there, for which the others wait", "free the lock inside the loop"}},
		{"run --block 32 --grid 1 --arg u64:0 out-of-bounds.ptx", exitFailed, []string{"bytes from a null pointer"}},
		{"run add-wrong.yaml", exitFailed, []string{"1 of 1 checked buffers differ"}},
	} {
		for _, mode := range []string{"", " --functional"} {
			code, _, errOut := keplersim(t, append(strings.Fields(test.args+mode), small...)...)
			assert.Equal(t, test.code, code, test.args+mode)
			for _, part := range test.parts {
				assert.Contains(t, errOut, part, test.args+mode)
			}
			assert.Equal(t, 1, strings.Count(errOut, "keplersim:"), "one error: %s", errOut)
		}
	}
}

// A mismatch shows the elements that differ: in the report, or with the error if the report is elsewhere.
func TestMismatchShowsElements(t *testing.T) {
	want := "z[2] = 2.0, expected 2.5 (2097152 ulp)"
	_, out, errOut := keplersim(t, append([]string{"run", "testdata/add-wrong.yaml"}, small...)...)
	assert.Contains(t, out, want)
	assert.NotContains(t, errOut, want)
	code, out, errOut := keplersim(t, append([]string{"run", "testdata/add-wrong.yaml", "--format", "json"}, small...)...)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, want)
	var got struct {
		Passed bool
		Checks []struct {
			Buffer string
			First  []struct{ Index, ULP int }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.False(t, got.Passed)
	require.Len(t, got.Checks, 1)
	assert.Equal(t, 2, got.Checks[0].First[0].Index)
	assert.Equal(t, 2097152, got.Checks[0].First[0].ULP)
}

func TestRunOfAWorkloadFile(t *testing.T) {
	code, out, errOut := keplersim(t, append([]string{"run", "testdata/add-right.yaml"}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.Empty(t, errOut)
	assert.Contains(t, out, "as expected: z")
	assert.Contains(t, out, "1 block of 64 threads")
}

// Without a workload file everything is made up and noted, except what the user gave.
func TestRunWithoutAWorkloadFile(t *testing.T) {
	folder := t.TempDir()
	dump := filepath.Join(folder, "z.bin")
	code, out, errOut := keplersim(t, append([]string{"run", "testdata/add.ptx"}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	for _, note := range []string{
		"made up: block: 256 threads", "made up: grid: 16 blocks", "(.u64 x): buffer arg0, f32[4096], random numbers",
		"(.u32 n): 4096, the number of threads",
	} {
		assert.Contains(t, out, note)
	}
	code, out, errOut = keplersim(t, append([]string{"run", "testdata/add.ptx", "--grid", "2", "--block", "32", "--arg", "f32[64]:ramp",
		"--arg", "z=f32[64]", "--arg", "60", "--arg", "0.5",
		"--dump", "z=" + dump}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.NotContains(t, out, "made up")
	bytes, err := os.ReadFile(dump)
	require.NoError(t, err)
	require.Len(t, bytes, 256)
	for i := range 64 {
		want := float32(i) + 0.5
		if i >= 60 {
			want = 0
		}
		assert.InDelta(t, want, math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:])), 0, "element %d", i)
	}
}

// Reports do not depend on the number of threads, except the host's time.
func TestThreadsChangeNothing(t *testing.T) {
	run := func(threads string) map[string]any {
		code, out, errOut := keplersim(t, "run", "testdata/add.ptx", "--format", "json", "--threads", threads)
		require.Equal(t, exitRan, code, errOut)
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(out), &o))
		delete(o, "wall_clock")
		return o
	}
	one := run("1")
	assert.Equal(t, one, run("2"))
	assert.Equal(t, one, run("5"))
}

func TestReportGoesToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.csv")
	code, out, errOut := keplersim(t, append([]string{"run", "testdata/add.ptx", "--format", "csv", "-o", file}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.Empty(t, out)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(text), "\n"))
	assert.Contains(t, errOut, "note: made up: grid: 16 blocks")
}

// Ctrl-C ends a run with the report of everything that ran before.
func TestInterruptPrintsTheReport(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var out, errOut bytes.Buffer
	stop := &stopper{cancel: cancel, when: "launch"}
	code := execute(ctx, append([]string{"run", "testdata/endless.ptx", "--grid", "1", "--block", "32", "--verbose"}, small...), &out,
		&multi{&errOut, stop})
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut.String(), "interrupted")
	assert.Contains(t, out.String(), "forever on gk110")
	assert.Contains(t, out.String(), "Stopped after 0 of 1 block")
}

// An interrupted run writes its report but no view, which may take half a minute.
func TestInterruptWritesNoViews(t *testing.T) {
	kernel, err := filepath.Abs("testdata/endless.ptx")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	var out, errOut bytes.Buffer
	code := execute(ctx, append([]string{"run", kernel, "--grid", "1", "--block", "32", "--verbose", "-o", "r.txt", "--trace", "t.json",
		"--record", "r.kst", "--report", "p.html", "--pprof", "p.pb"}, small...), &out,
		&multi{&errOut, &stopper{cancel: cancel, when: "launch"}})
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut.String(), "an interrupted run writes only the report")
	written, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, written, 1)
	assert.Equal(t, "r.txt", written[0].Name())
}

func TestInterruptBeforeTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errOut bytes.Buffer
	assert.Equal(t, exitFailed, execute(ctx, []string{"run", "testdata/add.ptx"}, &out, &errOut))
	assert.Contains(t, errOut.String(), "interrupted before anything ran")
	assert.Empty(t, out.String())
}

// stopper ends a context when a word is written.
type stopper struct {
	cancel context.CancelFunc
	when   string
}

func (s *stopper) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.when)) {
		s.cancel()
	}
	return len(p), nil
}

// multi writes to a buffer and to a stopper.
type multi struct {
	first *bytes.Buffer
	then  *stopper
}

func (m *multi) Write(p []byte) (int, error) {
	m.first.Write(p)
	return m.then.Write(p)
}

func TestProgress(t *testing.T) {
	s := sim.Progress{Kernel: "_Z4blurPfPKfi", Title: "blur(float*, float const*, int)", Cycles: 1200, WarpInstructions: 3_000_000}
	assert.Equal(t, "blur(float*, float const*, int): 0s elapsed, 1200 cycles, blocks", describeProgress(s, 0))
	assert.Equal(t, "blur(float*, float const*, int): 2s elapsed, 1.50 M warp instructions/s, 1200 cycles, blocks",
		describeProgress(s, 2*time.Second))
	// 20 of 100 blocks have ended and 10 are half done. That is a quarter in 3 s, so 9 s are left.
	s.BlocksTotal, s.BlocksDone, s.BlocksRunning = 100, 20, 10
	assert.Contains(t, describeProgress(s, 3*time.Second), "3s elapsed, about 9s left, 1.00 M")
	assert.Nil(t, newProgress(&bytes.Buffer{}).show(), "nothing is drawn where the output is no terminal")
}

func TestRunOfCUDAC(t *testing.T) {
	need.Clang(t)
	code, out, errOut := keplersim(t, append([]string{"run", "../workloads/saxpy/saxpy.cu", "--functional", "--verbose"}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "as expected: y")
	assert.Contains(t, errOut, "--cuda-gpu-arch=sm_35", "the compiler's command is shown")
}

// The user's macros and header folders reach every command that compiles.
func TestDefinitionsAndFoldersForCUDAC(t *testing.T) {
	if testing.Short() {
		t.Skip("runs clang a dozen times")
	}
	need.Clang(t)
	dir := t.TempDir()
	headers := filepath.Join(dir, "headers")
	require.NoError(t, os.Mkdir(headers, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(headers, "twice.h"), []byte("#define TWICE(x) (2 * (x))\n"), 0o644))
	source := filepath.Join(dir, "k.cu")
	require.NoError(t, os.WriteFile(source, []byte("#include \"twice.h\"\n"+
		"__global__ void k(float *p) { p[threadIdx.x] = TWICE(WIDTH) / p[0]; }\n"), 0o644))
	for _, command := range []string{"run", "inspect", "lower"} {
		code, _, errOut := keplersim(t, command, source)
		assert.Equal(t, exitBadInput, code, command)
		assert.Contains(t, errOut, "hint: twice.h is not beside the file", command)
		code, _, errOut = keplersim(t, command, source, "-DWIDTH=8", "-I", headers, "--use-fast-math")
		assert.Equal(t, exitRan, code, "%s: %s", command, errOut)
	}
}

// An error in CUDA C names the kernel in C++ and the line of the source.
func TestErrorsOfCUDACNameTheSource(t *testing.T) {
	need.Clang(t)
	code, _, errOut := keplersim(t, append([]string{"run", "testdata/blur.cu", "--grid", "1", "--block", "32"}, small...)...)
	assert.Equal(t, exitFailed, code)
	for _, part := range []string{"launch of blur(float*, float const*, int)", "4-byte load", "blur.cu:4)"} {
		assert.Contains(t, errOut, part)
	}
	code, _, errOut = keplersim(t, "run", "testdata/broken.cu")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "broken.cu:1:40: error:")
}

// Without clang, kernels in C run, and the report names the compiler. C++ is an error that says what to install.
func TestCUDACWithoutClang(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, out, errOut := keplersim(t, "run", "--functional", "../workloads/saxpy/saxpy.cu")
	assert.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "saxpy.cu was compiled by the built-in compiler")
	for _, arguments := range [][]string{
		{"../workloads/transpose/transpose.cu"}, {"--compiler", "clang", "../workloads/saxpy/saxpy.cu"},
		{"--use-fast-math", "../workloads/saxpy/saxpy.cu"},
	} {
		code, _, errOut = keplersim(t, append([]string{"run"}, arguments...)...)
		assert.Equal(t, exitBadInput, code)
		assert.Contains(t, errOut, "clang", arguments)
	}
	code, _, errOut = keplersim(t, "run", "--compiler", "gcc", "../workloads/saxpy/saxpy.cu")
	assert.NotEqual(t, exitRan, code)
	assert.Contains(t, errOut, "use clang or builtin")
}

// With --memory card a store right behind a buffer continues, as on real hardware, and is reported once, with and without timing.
func TestRunAsLenientAsACard(t *testing.T) {
	for _, detail := range []string{"all", "none"} {
		code, _, said := keplersim(t, "run", "--memory", "card", "--detail", detail, "--block", "32", "--grid", "4", "--arg", "u32[64]",
			"testdata/out-of-bounds.ptx")
		assert.Equal(t, exitRan, code, said)
		assert.Equal(t, 1, strings.Count(said, "goes on as on a card, outside every allocation; nearest allocation: arg0, 256 bytes"), said)
	}
}

func TestRunRefusesImpossibleMemoryChoices(t *testing.T) {
	for _, c := range []struct{ flags, want string }{
		{"--dlcm=cs", "--dlcm cs: global loads go through L1 (ca) or to L2 (cg)"},
		{"--bank-mode=16", "--bank-mode 16: shared memory's banks are 4 or 8 bytes wide"},
		{"--cache-config=112K", "gk110 cannot have 112 KB of shared memory an SMX: choose 48K, 16K, 32K"},
	} {
		code, _, errOut := keplersim(t, "run", "--config", "gk110", c.flags, "../workloads/vectoradd/vectoradd.ptx")
		assert.NotEqual(t, exitRan, code, c.flags)
		assert.Contains(t, errOut, c.want)
	}
}

func TestALargerL1IsNotedWhereNoGlobalLoadUsesIt(t *testing.T) {
	for config, noted := range map[string]bool{"gk110": true, "k40": false} {
		for _, flag := range []string{"--cache-config=l1", "--set=shared_memory.cache_config=l1"} {
			code, out, errOut := keplersim(t, "run", "--config", config, flag, "testdata/add-right.yaml")
			require.Equal(t, exitRan, code, errOut)
			assert.Equal(t, noted, strings.Contains(spaced(out), "another L1 does nothing for global loads on gk110"), "%s %s", config,
				flag)
		}
	}
}

func TestDlcmIsNotedWhereItDoesNothing(t *testing.T) {
	const kernel = "../validation/claims/reread.ptx"
	for config, hits := range map[string]bool{"gk110": false, "k40": true} {
		code, out, errOut := keplersim(t, "run", "--config", config, "--dlcm", "ca", "--format", "full", "--kernel", "reread",
			"--grid", "8", "--block", "256", "--arg", "u32[256]", "--arg", "u32[2048]", "--arg", "128", kernel)
		require.Equal(t, exitRan, code, errOut)
		assert.Equal(t, hits, strings.Contains(out, "L1 global 93.8 %"), config)
		assert.Equal(t, !hits, strings.Contains(out, "--dlcm ca does nothing on gk110"), config)
	}
}
