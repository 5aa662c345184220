package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/workload"
)

const firstKernels = "testdata/first/first.ptx"

// Made-up launches of ordinary kernels are what a person would choose: blocks and threads, and for each parameter a buffer with its
// elements or a number. 4,096 threads are a square of side 64 or a cube of side 16.
func TestMadeUpLaunchesSuitFirstKernels(t *testing.T) {
	for i, test := range []struct{ kernel, want string }{
		{"add", "16 of 256: f32[4096] f32[4096] f32[4096] 4096"},
		{"gridStride", "16 of 256: 1 f32[4096] f32[4096] 4096"},
		{"sizeT", "16 of 256: f64[4096] f64[4096] 4096"},
		{"noBound", "16 of 256: f32[4096]"},
		{"stencil1d", "16 of 256: f32[4096] f32[4096] 4096"},
		{"convolution1d", "16 of 256: f32[4159] f32[64] f32[4096] 4096 64"}, // 64 weights reach 63 past the end
		{"vectors4", "16 of 256: f32[16384] f32[16384] 4096"},
		{"matrixAdd", "4 × 4 of 16 × 16: f32[4096] f32[4096] f32[4096] 64 64"},
		{"matmul", "4 × 4 of 16 × 16: f32[4096] f32[4096] f32[4096] 64"},
		{"matmulSizes", "4 × 4 of 16 × 16: f32[4096] f32[4096] f32[4096] 64 64 64"},
		{"matmulTiled", "4 × 4 of 16 × 16: f32[4096] f32[4096] f32[4096] 64"},
		{"matmulTiled32", "2 × 2 of 32 × 32: f32[4096] f32[4096] f32[4096] 64"},
		{"transpose", "4 × 4 of 16 × 16: f32[4096] f32[4096] 64 64"},
		{"transposeTiled", "2 × 8 of 32 × 8: f32[16384] f32[16384] 64 256"}, // a block has 32 rows
		{"jacobi2d", "4 × 4 of 16 × 16: f32[4096] f32[4096] 64"},
		{"flat2d", "4 × 4 of 16 × 16: f32[4096] 4096"},
		{"stencil3d", "2 × 2 × 4 of 8 × 8 × 4: f32[4096] f32[4096] 16 16 16"},
		{"matmulFlat", "16 of 256: f32[4096] f32[4096] f32[4096] 64"},
		{"rowSums", "16 of 256: f32[262144] f32[4096] 4096 64"},
		{"matrixVector", "16 of 256: f32[16777216] f32[4096] f32[4096] 4096"},
		{"nbody", "4 of 256: f32[4096] f32[4096] 1024"},
		{"columnOfGrid", "4 × 4 of 256: f32[4096] f32[4096] 1024"},
		{"grayscale", "4 × 4 of 16 × 16: u8[12288] u8[4096] 64 64"},
		{"boxBlur", "4 × 4 of 16 × 16: u8[4096] u8[4096] 64 64 8"},
		{"brighten", "4 × 4 of 16 × 16: f32[4096] 256 64 64 1"},
		{"threshold", "16 of 256: u8[4096] u8[4096] 4096 1"},
		{"matmulStruct", "4 × 4 of 16 × 16: {64 f32[4096]} {64 f32[4096]} {64 64 f32[4096]}"}, // the heights of a and b are not read
		{"applySettings", "16 of 256: f32[4096] {1 1 4096}"},
		{"advance", "16 of 256: {f32[4096] f32[4096] f32[4096] 4096 1}"},
		{"reduce", "16 of 256: f32[4096] f32[16] 4096"},
		{"reduce128", "32 of 128: u32[4096] u32[32] 4096"},
		{"reduceDynamic", "16 of 256, 1024 bytes: f32[4096] f32[16] 4096"},
		{"sumAtomic", "16 of 256: f32[4096] f32[1] 4096"},
		{"dot", "16 of 256: f32[4096] f32[4096] f32[16] 4096"},
		{"histogram", "16 of 256: u8[4096] u32[256] 4096"},
		{"histogramShared", "16 of 256: u32[4096] u32[64] 4096"},
		{"prefixSum", "16 of 256, 2048 bytes: u32[4096] u32[4096] 4096"},
		{"gather", "16 of 256: f32[256] u32[4096] f32[4096] 4096"},
		{"spmv", "16 of 256: u32[4097] u32[255] f32[255] f32[256] f32[4096] 4096"}, // columns are up to 255, and rows begin at most there
		{"bitonicStep", "16 of 256: u32[8192] 4096 64"},
		{"powerOfTwo", "16 of 256: f32[4096] 12"},
		{"withFlag", "16 of 256: f32[4096] f32[4096] 4096 1"},
	} {
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(test.kernel, func(t *testing.T) {
			t.Parallel()
			job, _ := firstRun(t, test.kernel)
			assert.Equal(t, test.want, formatLaunch(job))
			again, err := workload.Parse("again.yaml", []byte(job.Workload.YAML()))
			require.NoError(t, err, "--save-workload writes what can be read")
			assert.Equal(t, job.Workload.YAML(), again.YAML())
		})
	}
}

// firstRun makes up a launch and runs it without timing.
func firstRun(t *testing.T, kernel string) (*Job, *Result) {
	t.Helper()
	o := functional
	o.Kernel = kernel
	job, err := Open(context.Background(), firstKernels, o)
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	return job, result
}

// formatLaunch formats a launch as in the table.
func formatLaunch(job *Job) string {
	l := job.Workload.Launches()[0]
	text := extent3(l.Grid) + " of " + extent3(l.Block)
	if l.Shared > 0 {
		text += fmt.Sprintf(", %d bytes", l.Shared)
	}
	var describe func(a workload.Argument) string
	describe = func(a workload.Argument) string {
		switch {
		case a.Members != nil:
			var words []string
			for _, m := range a.Members {
				words = append(words, describe(m))
			}
			return "{" + strings.Join(words, " ") + "}"
		case a.Bytes != nil:
			return "0"
		case a.Buffer != "":
			b, _ := job.Workload.Buffer(a.Buffer)
			return fmt.Sprintf("%s[%d]", b.Type, b.Count)
		}
		return a.Value.String()
	}
	var words []string
	for _, a := range l.Args {
		words = append(words, describe(a))
	}
	return text + ": " + strings.Join(words, " ")
}

// float32s returns a buffer's elements.
func float32s(t *testing.T, job *Job, name string) []float32 {
	t.Helper()
	data, err := job.Buffer(name)
	require.NoError(t, err)
	all := make([]float32, len(data)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return all
}

// The launches compute something real: products, transposed matrices, sums, counts of nonzero values.
func TestMadeUpLaunchesComputeSomething(t *testing.T) {
	job, _ := firstRun(t, "matmulTiled32")
	a, b, c := float32s(t, job, "arg0"), float32s(t, job, "arg1"), float32s(t, job, "arg2")
	for _, at := range [][2]int{{0, 0}, {17, 40}, {63, 63}} {
		sum := 0.0
		for k := range 64 {
			sum += float64(a[at[0]*64+k]) * float64(b[k*64+at[1]])
		}
		assert.InDelta(t, sum, c[at[0]*64+at[1]], 1e-4)
	}

	job, _ = firstRun(t, "matmulStruct")
	a, b, c = float32s(t, job, "arg0_1"), float32s(t, job, "arg1_1"), float32s(t, job, "arg2_2")
	sum := 0.0
	for k := range 64 {
		sum += float64(a[5*64+k]) * float64(b[k*64+9])
	}
	assert.InDelta(t, sum, c[5*64+9], 1e-4)

	job, _ = firstRun(t, "transposeTiled")
	in, out := float32s(t, job, "arg0"), float32s(t, job, "arg1")
	for y := range 256 {
		for x := range 64 {
			require.Equal(t, in[y*64+x], out[x*256+y])
		}
	}

	job, _ = firstRun(t, "sumAtomic")
	total := 0.0
	for _, v := range float32s(t, job, "arg0") {
		total += float64(v)
	}
	assert.InDelta(t, total, float32s(t, job, "arg1")[0], 0.05, "the sum begins at zero")

	job, _ = firstRun(t, "histogram")
	counted := 0
	for _, n := range words(t, job, "arg1") {
		counted += int(n)
		assert.Less(t, int(n), 100, "bytes of all values")
	}
	assert.Equal(t, 4096, counted)

	job, _ = firstRun(t, "reduce128")
	want := uint32(0)
	for _, v := range words(t, job, "arg0")[:128] {
		want += v
	}
	assert.Equal(t, want, words(t, job, "arg1")[0])
}

func TestMadeUpLaunchesSayWhatWasAssumed(t *testing.T) {
	job, _ := firstRun(t, "matmulTiled32")
	assert.Equal(t, []string{
		"made up: block: 32 × 32 threads, with which the kernel reads no unwritten shared memory",
		"made up: grid: 2 × 2 blocks",
		"made up: buffer sizes are from a trial run: 4096 of 4096 threads access memory, and buffers are as large as " +
			"what they touch",
		"made up: parameter 0 (.u64 _Z13matmulTiled32PKfS0_Pfi_param_0): buffer arg0, f32[4096], random numbers from 0 to 1",
		"made up: parameter 1 (.u64 _Z13matmulTiled32PKfS0_Pfi_param_1): buffer arg1, f32[4096], random numbers from 0 to 1",
		"made up: parameter 2 (.u64 _Z13matmulTiled32PKfS0_Pfi_param_2): buffer arg2, f32[4096], random numbers from 0 to 1",
		"made up: parameter 3 (.u32 _Z13matmulTiled32PKfS0_Pfi_param_3): 64, the threads in x",
	}, job.Notes)
	job, _ = firstRun(t, "applySettings")
	assert.Contains(t, job.Notes, "made up: parameter 1 (.b8 _Z13applySettingsPf8Settings_param_1): a struct: at byte 0 1; at byte 4 "+
		"1; at byte 8 4096, the number of threads")
}

// Values given by the user stay, and the rest is chosen to suit them.
func TestMadeUpLaunchesKeepWhatIsGiven(t *testing.T) {
	o := functional
	o.Kernel, o.Block, o.Grid = "matmul", [3]int{8, 8, 1}, [3]int{4, 4, 1}
	for _, text := range []string{"3=20", "a=f32[400]:ramp"} {
		a, err := workload.ParseArg(text)
		require.NoError(t, err)
		o.Arguments = append(o.Arguments, a)
	}
	job, err := Open(context.Background(), firstKernels, o)
	require.NoError(t, err)
	assert.Equal(t, "4 × 4 of 8 × 8: f32[400] f32[400] f32[400] 20", formatLaunch(job))
	_, err = job.Run(context.Background())
	assert.NoError(t, err)
}

// Pointers to pointers are rejected with advice. An access before the start of a buffer is the kernel's mistake, and fails.
func TestMadeUpLaunchesThatCannotBe(t *testing.T) {
	o := functional
	o.Kernel = "rowsOfPointers"
	_, err := Open(context.Background(), firstKernels, o)
	require.ErrorIs(t, err, errPointers)
	assert.ErrorContains(t, err, "parameter 0 (_Z14rowsOfPointersPPfS_i_param_0) points to pointers")
	assert.ErrorContains(t, err, "--arg 'u64[2]:pointers(a,b)'")

	o.Kernel = "unguarded"
	job, err := Open(context.Background(), firstKernels, o)
	require.NoError(t, err)
	assert.Contains(t, strings.Join(job.Notes, "\n"), "the kernel reaches 4 bytes before its beginning, which will fail")
	_, err = job.Run(context.Background())
	fault := new(smx.Fault)
	require.True(t, errors.As(err, &fault))
	assert.Equal(t, smx.FaultAddress, fault.Kind)
}

// A launch with more threads than a trial allows is made up without trials.
func TestMadeUpLaunchesTooLargeToTry(t *testing.T) {
	assert.True(t, shape{grid: [3]int{4096, 1, 1}, block: [3]int{1024, 1, 1}}.triable())
	assert.False(t, shape{grid: [3]int{4097, 1, 1}, block: [3]int{1024, 1, 1}}.triable())
	assert.False(t, shape{grid: [3]int{1 << 30, 1 << 16, 1 << 16}, block: [3]int{1024, 1, 1}}.triable())
	assert.False(t, shape{grid: [3]int{1, 1, 1}, block: [3]int{1025, 1, 1}}.triable())
}

// A kernel that launches others, with more blocks than its own, can be tried.
func TestMadeUpLaunchesOfKernelsThatLaunch(t *testing.T) {
	o := functional
	o.Config, o.Overrides, o.Kernel, o.Grid, o.Block = "gk110", []string{"dram.bytes=128M"}, "subdivide", [3]int{1, 1, 1}, [3]int{32, 1, 1}
	o.Simulator.MaxCycles = 3000
	job, err := Open(context.Background(), filepath.Join("..", "workloads", "mariani-silver", "mariani-silver.ptx"), o)
	require.NoError(t, err)
	assert.Contains(t, strings.Join(job.Notes, "\n"), "made up")
}
