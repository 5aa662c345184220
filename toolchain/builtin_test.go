package toolchain_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/fuzz/randomc"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
	"github.com/keplersim/keplersim/toolchain/ckernel"
)

// randomResults runs each kernel of a file and returns the buffers.
func randomResults(t *testing.T, file string, kernels int, o toolchain.Options) (results [][]uint32) {
	t.Helper()
	d := loadFile(t, file, o, sim.Options{Threads: 1, Functional: true})
	in := random(randomc.Words, func(r *rand.Rand) uint32 { return r.Uint32() })
	fin := random(randomc.Words, uniform(-4, 4))
	source, floats := d.buffer("in", in), d.buffer("fin", fin)
	out := make([]uint32, 3*randomc.Words)
	target := d.buffer("out", out)
	for n := range kernels {
		require.NoError(t, d.Write(target, make([]byte, 4*len(out))))
		d.launch(fmt.Sprintf("k%d", n), line(randomc.Blocks), line(randomc.Threads), 0, source, floats, target, target+4*randomc.Words,
			target+8*randomc.Words)
		got := make([]uint32, len(out))
		d.read(target, got)
		results = append(results, got)
	}
	return results
}

// mostContractedOtherwise bounds the share of random kernels in which different products fuse with sums. clang moves some products out of
// their sum's block, and then fuses them in no block. Of 1,000 kernels, 5.4 % differ.
const mostContractedOtherwise = 0.12

// Random kernels in C give the same bytes with the built-in compiler as with clang if each operation rounds by itself (--fmad=false). With
// contraction, only kernels whose products clang moves differ. KEPLERSIM_RANDOMC=1000 tries more kernels.
func TestBuiltinCompilerOnRandomKernels(t *testing.T) {
	need.Clang(t)
	files, each := 8, 25
	if testing.Short() {
		files = 1
	}
	if n, err := strconv.Atoi(os.Getenv("KEPLERSIM_RANDOMC")); err == nil {
		files = (n + each - 1) / each
	}
	differ := 0
	for n := range files {
		file := filepath.Join(t.TempDir(), "k.cu")
		require.NoError(t, os.WriteFile(file, []byte(randomc.Source(uint64(n), each)), 0o644))
		for _, apart := range []bool{true, false} {
			clang := randomResults(t, file, each, toolchain.Options{Compiler: toolchain.UseClang, NoContraction: apart})
			builtin := randomResults(t, file, each, toolchain.Options{Compiler: toolchain.UseBuiltin, NoContraction: apart})
			for k := range each {
				same := slices.Equal(clang[k], builtin[k])
				if !same && !apart {
					differ++
				}
				assert.True(t, same || !apart, "seed %d, kernel k%d: bytes differ with --fmad=false", n, k)
			}
		}
	}
	t.Logf("%d of %d kernels differ by contraction", differ, files*each)
	assert.LessOrEqual(t, float64(differ)/float64(files*each), mostContractedOtherwise)
}

// For what only clang has, the built-in compiler gives an error that names it and the place.
func TestBuiltinCompilerRefuses(t *testing.T) {
	for _, c := range []struct{ source, says string }{
		{"template <typename T> __device__ T f(T x) { return x; }", "k.cu:1:1: error: a template needs clang"},
		{"__device__ void f(int &x) { x = 1; }", "k.cu:1:23: error: a reference needs clang"},
		{"class A { int x; };", "k.cu:1:1: error: a class needs clang"},
		{"namespace n { }", "k.cu:1:1: error: a namespace needs clang"},
		{"__global__ void k(int *p) {\n  k<<<1, 1, 0, 7>>>(p);\n}", "k.cu:2:14: error: a stream in a launch from device code needs clang"},
		{"__global__ void k(int *p) {\n  k<<<1>>>(p);\n}", "k.cu:2:8: error: expected ',' between grid and block"},
		{"__global__ void k(int *p) {\n  p<<<1, 1>>>(p);\n}", "k.cu:2:4: error: a launch needs the name of a kernel before <<<"},
		{"__global__ void k(int *p) {\n  k<<<dim3(1, 1, 1, 1), 1>>>(p);\n}", "k.cu:2:7: error: the grid has one to three sizes"},
		{"__global__ void k(int *p, int n) {\n  k<<<1, 1>>>(p);\n}", "k.cu:2:3: error: 'k' takes 2 arguments, not 1"},
		{"__global__ void c(char x) {}\n__global__ void k() {\n  c<<<1, 1>>>(1);\n}",
			"k.cu:3:3: error: a launch with an argument of type char needs clang"},
		{"__global__ void k(int *p) {\n  auto x = 1;\n}", "k.cu:2:3: error: auto needs clang"},
		{"__global__ void k(int *p) {\n  p[0] = static_cast<int>(1.5f);\n}", "k.cu:2:10: error: static_cast needs clang"},
		{"__device__ int f(int n) { return n ? f(n - 1) : 0; }\n__global__ void k(int *p) { *p = f(*p); }",
			"k.cu:1:38: error: a function that calls itself ('f') needs clang"},
		{"__global__ void k(int *p) {\n  p[0] = q;\n}", "k.cu:2:10: error: use of undeclared identifier 'q'\n  p[0] = q;\n         ^"},
		{"__global__ void k(int *p) {\n  p[0] = 1\n}", "k.cu:2:11: error: expected ';' after the expression"},
		{"__global__ void k(const int *p) {\n  p[0] = 1;\n}", "k.cu:2:4: error: this is const"},
		{"#include \"/etc/passwd\"\n", "k.cu:1:2: error: there is no header /etc/passwd"},
		{"#include <vector>\n", "k.cu:1:2: error: the header vector needs clang"},
		{"int f() { return 1; }\n__global__ void k(int *p) { *p = f(); }", "k.cu:2:34: error: 'f' is a function of the host"},
		{"__global__ void k(float4 *p) {\n  p[0] = p[1] + p[2];\n}", "k.cu:2:15: error: '+' does not take struct float4 and struct float4"},
		{"__global__ void k(int *p) {\n  *p = sqr(2);\n}", "k.cu:2:8: error: use of undeclared identifier 'sqr'"},
	} {
		_, err := toolchain.Compile(context.Background(), "k.cu", toolchain.Options{Compiler: toolchain.UseBuiltin, Text: []byte(c.source)})
		assert.ErrorContains(t, err, c.says)
	}
}

// The built-in compiler takes every workload in C, for both architectures.
func TestBuiltinCompilerOnWorkloads(t *testing.T) {
	compiled := 0
	files, err := filepath.Glob("../workloads/*/*.cu")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, arch := range []string{"sm_30", "sm_35"} {
			r, err := toolchain.Compile(context.Background(), file, toolchain.Options{Compiler: toolchain.UseBuiltin, Arch: arch})
			if err != nil {
				assert.ErrorContains(t, err, "needs clang", file)
				break
			}
			compiled++
			assert.NotContains(t, string(text), "template", "%s", file)
			assert.Contains(t, string(r.PTX), ".target "+arch)
		}
	}
	assert.Equal(t, 2*26, compiled, "workloads in C, for two architectures")
}

// The browser's engine includes every header that the built-in compiler reads: with these alone, the PTX is the same.
func TestBrowsersHeadersSuffice(t *testing.T) {
	text, err := os.ReadFile("headers_js.go")
	require.NoError(t, err)
	some := fstest.MapFS{}
	for _, name := range regexp.MustCompile(`include/(\S+)`).FindAllStringSubmatch(string(text), -1) {
		require.NoError(t, fs.WalkDir(os.DirFS("include"), name[1], func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(filepath.Join("include", file))
			some[file] = &fstest.MapFile{Data: data}
			return err
		}))
	}
	files, err := filepath.Glob("../workloads/*/*.cu")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		o := ckernel.Options{Arch: "sm_35", Headers: os.DirFS("include")}
		want, wrong := ckernel.Compile(t.Context(), file, source, o)
		o.Headers = some
		got, err := ckernel.Compile(t.Context(), file, source, o)
		assert.Equal(t, wrong, err, file)
		assert.Equal(t, string(want), string(got), file)
	}
}

// Hostile sources end in PTX or an error, soon and without much memory.
func FuzzBuiltinCompiler(f *testing.F) {
	files, err := filepath.Glob("../workloads/*/*.cu")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add(randomc.Source(1, 1))
	for _, hostile := range []string{
		"__global__ void k() {" + strings.Repeat("for(;;)", 500) + ";}",
		"__global__ void k(int *p) { *p = " + strings.Repeat("(", 5000) + "1;}",
		"__global__ void k(int *p) { *p = " + strings.Repeat("-", 5000) + "1;}",
		"#define A B B B B\n#define B C C C C\n#define C D D D D\n#define D E E E E\n#define E F F F F\n#define F G G G G\n" +
			"#define G H H H H\n#define H I I I I\n#define I J J J J\n#define J K K K K\n__global__ void k() { A }",
		"__global__ void k(int *p) { for (int i = 0; i < 60000; i++) for (int j = 0; j < 60000; j++) p[i] += j; }",
		"__global__ void k(int *p) { int a[1 << 28]; a[p[0]] = 1; p[1] = a[2]; }",
		"struct A { struct A a; };", "#include \"k.cu\"", "#if 1\n", "__global__ void k(int *p) { int i; &i; *p = *&i; }",
		"__global__ void k(int *p) { while (1) p++; }", "__global__ void k(float *p) { p[0] = 1e400f / 0; }",
	} {
		f.Add(hostile)
	}
	chip, err := configs.Load("gk110", nil)
	require.NoError(f, err)
	executions.Fuzz(f, func(t *testing.T, source string) {
		r, err := toolchain.Compile(context.Background(), "k.cu", toolchain.Options{Compiler: toolchain.UseBuiltin, Text: []byte(source)})
		if err != nil {
			return
		}
		gpu, err := sim.New(chip, sim.Options{Threads: 1})
		require.NoError(t, err)
		_, err = gpu.Load("k.ptx", r.PTX)
		if err != nil && !regexp.MustCompile("memory|bytes|registers|asm").MatchString(err.Error()) {
			require.NoError(t, err, "the simulator refuses the PTX of\n%s\n%s", source, r.PTX)
		}
	})
}
