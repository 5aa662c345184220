package toolchain

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
)

// Launches become a configuration and a call in any surroundings. Text that only looks like a launch stays.
func TestLaunchesAreRewritten(t *testing.T) {
	const c = "(__keplersim_configure"
	for text, want := range map[string]string{
		"k<<<1, 2>>>(p);": c + "(1, 2), k(p));",
		"a::b<int, c<3>><<<dim3(2, 2), n >> 1>>>(x)":   c + "(dim3(2, 2), n >> 1), a::b<int, c<3>>(x))",
		"::f <<< g, b,\n0, s >>> (x, h(y))":            c + "( g, b,\n0, s ), ::f (x, h(y)))",
		"if (n) (*f)<<<1, 1>>>(); else k<<<2, 2>>>()":  "if (n) " + c + "(1, 1), (*f)()); else " + c + "(2, 2), k())",
		"k<<<1, 1>>>(\")>>>\", ')')":                   c + "(1, 1), k(\")>>>\", ')'))",
		"// k<<<1, 1>>>()\n/* a<<<b */ \"c<<<d>>>()\"": "// k<<<1, 1>>>()\n/* a<<<b */ \"c<<<d>>>()\"",
		"x = a << b << c;":                             "x = a << b << c;",
		"x = 1'000'000; k<<<1, 1>>>(x)":                "x = 1'000'000; " + c + "(1, 1), k(x))",
		"R\"(k<<<1,1>>>())\" k<<<1, 1>>>":              "R\"(k<<<1,1>>>())\" k<<<1, 1>>>",
		"<<<>>>(":                                      "<<<>>>(",
		"k<<<(":                                        "k<<<(",
	} {
		assert.Equal(t, want, rewriteLaunches(text))
	}
}

// Kernels lose their bodies and nothing else, whatever braces surround them.
func TestKernelsAreEmptied(t *testing.T) {
	const g = globalAttribute
	for text, want := range map[string]string{
		g + " void k(int *p) {\n  if (p) { k(\"}\"); } // }\n}\nint a;": g + " void k(int *p) {\n\n}\nint a;",
		g + " void k(int);\nvoid f() { int b; }":                        g + " void k(int);\nvoid f() { int b; }",
		"template <class T> " + g + " void k(T t = T{}) { g(); } " + g:  "template <class T> " + g + " void k(T t = T{}) {} " + g,
	} {
		assert.Equal(t, want, emptyKernels(text))
	}
}

func FuzzRewriteLaunches(f *testing.F) {
	f.Add("k<int><<<1, 2>>>(p, \"x\"); // <<<")
	executions.Fuzz(f, func(_ *testing.T, text string) {
		rewriteLaunches(text)
		emptyKernels(text)
	})
}

// A file with launches from kernels compiles unchanged, with its host code, and line numbers are those of the source.
func TestLaunchesFromKernelsCompile(t *testing.T) {
	NeedClang(t)
	path := filepath.Join(t.TempDir(), "nested.cu")
	require.NoError(t, os.WriteFile(path, []byte(`
template <class T> __global__ void leaf(T *p, int n) { p[n] = n; }
#define START(k) k<<<1, 32>>>
__global__ void root(int *p, int n) {
  if (n > 0) root<<<1, 1>>>(p, n - 1);
  START(leaf)(p, n);
  cudaDeviceSynchronize();
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, leaf<int>);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(p, leaf<int>, attributes.maxThreadsPerBlock, 0);
}
void host(int *p) { root<<<1, 1>>>(p, 3); leaf<<<1, 1>>>(p, 4); }
__global__ void wrong(int *p) { root<<<1, 1>>>(p, p); }
`), 0o600))
	_, err := Compile(context.Background(), path, Options{})
	require.ErrorContains(t, err, "nested.cu:13:", "a mistake stands where it is")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text = text[:len(text)-len("__global__ void wrong(int *p) { root<<<1, 1>>>(p, p); }\n")]
	result, err := Compile(context.Background(), path, Options{Text: text})
	require.NoError(t, err)
	for _, want := range []string{
		".visible .entry _Z4rootPii", ".weak .entry _Z4leafIiEvPT_i", "__keplersim_configure_launch", "cudaDeviceSynchronize",
		"cudaFuncGetAttributes", "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
	} {
		assert.Contains(t, string(result.PTX), want)
	}
}
