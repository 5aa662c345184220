package toolchain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTextsAreMended(t *testing.T) {
	for text, want := range map[string]string{
		"k << <1, 2 >> >(p);":              "k <<< 1, 2 >>> (p);",
		"k <<\t < 1 >>   >();":             "k <<<\t  1 >>>   ();",
		`s << "<< <" << '<'; // >> > << <`: `s << "<< <" << '<'; // >> > << <`,
		"/* << < */ a << b >> c":           "/* << < */ a << b >> c",
	} {
		assert.Equal(t, want, string(closeBrackets([]byte(text))))
	}
	for text, want := range map[string]string{
		"#define U #pragma unroll 4\nx":        "#define U _Pragma(\"unroll 4\")\nx",
		"#define U x\n#pragma unroll":          "#define U x\n#pragma unroll",
		" # define  U\t# pragma unroll // all": " # define  U\t_Pragma(\"unroll \")// all",
	} {
		assert.Equal(t, want, string(pragmaOperators([]byte(text))))
	}
	for text, want := range map[string]string{
		`asm("mov.u32 %0, %laneid;" : "=r"(x));`:        `asm("mov.u32 %0, %%laneid;" : "=r"(x));`,
		`asm volatile ("x %%tid.x, %1;" "%smid" :);`:    `asm volatile ("x %%tid.x, %1;" "%%smid" :);`,
		`printf("%clock", 'a'); asm("%0" : "=r"(%aa));`: `printf("%clock", 'a'); asm("%0" : "=r"(%aa));`,
	} {
		assert.Equal(t, want, string(doublePercents([]byte(text))))
	}
	for text, want := range map[string]string{
		"extern __shared__ float4 s[N];": "static __shared__ float4 s[N];",
		"extern __shared__ float s[];":   "extern __shared__ float s[];",
		"extern  __shared__ int s[ ];":   "extern  __shared__ int s[ ];",
	} {
		assert.Equal(t, want, string(sizedShared([]byte(text))))
	}
}

// A launch as an editor's formatter leaves it compiles in a header and in the file itself, and what is wrong beside it is told by the
// file's own name and line.
func TestLaunchesWithSpaces(t *testing.T) {
	NeedClang(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("kernel.cuh", "__global__ void k(int *p) { *p = 1; }\nvoid first(int *p) { k << <1, 1>> >(p); }\n")
	good := write("good.cu", "#include \"kernel.cuh\"\nint main() { k << < 1, 2 >> > (nullptr); }\n")
	result, err := Compile(t.Context(), good, Options{})
	require.NoError(t, err)
	assert.Contains(t, string(result.PTX), ".entry")
	bad := write("bad.cu", "#include \"kernel.cuh\"\nint main() {\n  k << < 1, 2 >> > (nullptr);\n  wrong();\n}\n")
	_, err = Compile(t.Context(), bad, Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "bad.cu:4:3: error: use of undeclared identifier 'wrong'")
	assert.NotContains(t, err.Error(), "expected expression")
}

// A shared array that is extern and has a size is a definition, as nvcc says when it warns of it: 1,024 bytes on a real GPU.
func TestExternSharedArraysWithASize(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, "extern __shared__ float4 s[64];\n__global__ void k(float *p) { s[threadIdx.x].x = *p; __syncthreads(); "+
		"*p = s[threadIdx.x ^ 1].x; }", Options{})
	assert.Contains(t, ptx, "[1024];")
	assert.NotContains(t, ptx, ".extern .shared")
}

// A program's own standard counts where our headers can be read by it.
func TestStandards(t *testing.T) {
	for said, want := range map[string]string{
		"": "gnu++17", "c++98": "gnu++14", "gnu++11": "gnu++14", "c++14": "gnu++14", "c++17": "gnu++17", "c++20": "gnu++20",
		"gnu++2b": "gnu++2b",
	} {
		assert.Equal(t, want, Options{Standard: said}.standard(), said)
	}
	changed, ok := olderStandard([]string{"-O3", "-std=gnu++17"}, "a.cu:3:1: error: reference to 'size' is ambiguous\n")
	assert.True(t, ok)
	assert.Equal(t, []string{"-O3", "-std=gnu++14"}, changed)
	_, ok = olderStandard([]string{"-std=gnu++17"}, "error: unknown type")
	assert.False(t, ok)
	_, ok = olderStandard([]string{"-std=gnu++14"}, "error: reference to 'size' is ambiguous")
	assert.False(t, ok, "it is the older one already")
}
