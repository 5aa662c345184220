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
		"enum { C = ((-1 << STEPS) & 31) << 8 };": "enum { C = ((-(1 << STEPS)) & 31) << 8 };",
		"x = -1 << a + b;":                        "x = -1 << a + b;",
	} {
		assert.Equal(t, want, string(shiftedOne([]byte(text))))
	}
	for text, want := range map[string]string{
		"typedef unsigned long long uint64_t;\ntypedef int number;": "\ntypedef int number;",
		"typedef uint64_t word;":                                    "typedef uint64_t word;",
	} {
		assert.Equal(t, want, string(ownIntegers([]byte(text))))
	}
	for text, want := range map[string]string{
		"A<0>::template f(x); p->template g<int>(y);": "A<0>:: f(x); p->template g<int>(y);",
	} {
		assert.Equal(t, want, string(bareTemplates([]byte(text))))
	}
	for text, want := range map[string]string{
		"template <class... T> Of(T...) -> Of<T...>;":   "template <class... T> __attribute__((host, device)) Of(T...) -> Of<T...>;",
		"};\nexplicit Of(char (&)[4])\n -> Of<int>;":    "};\nexplicit __attribute__((host, device)) Of(char (&)[4])\n -> Of<int>;",
		"auto f(int) -> g<int>; x = next(p)->next < 3;": "auto f(int) -> g<int>; x = next(p)->next < 3;",
	} {
		assert.Equal(t, want, string(guidesForBoth([]byte(text))))
	}
	for text, want := range map[string]string{
		"int main(int argc, char* argv)\n{\n": "int main(int argc, char **keplersim_argv)\n{ char *argv = (char *)keplersim_argv;\n",
		"int main(int n, char v[]) {":         "int main(int n, char **keplersim_argv) { char *v = (char *)keplersim_argv;",
		"int main(int n, char *v[]) {":        "int main(int n, char *v[]) {",
		"int domain(int n, char *v) {":        "int domain(int n, char *v) {",
	} {
		assert.Equal(t, want, string(mainsArguments([]byte(text))))
	}
	for text, want := range map[string]string{
		"extern __shared__ float4 s[N];": "static __shared__ float4 s[N];",
		"extern __shared__ float s[];":   "extern __shared__ float s[];",
		"extern  __shared__ int s[ ];":   "extern  __shared__ int s[ ];",
	} {
		assert.Equal(t, want, string(sizedShared([]byte(text))))
	}
}

// A launch as an editor's formatter leaves it compiles, in a header and in the file itself. Other errors still name the right file and
// line.
func TestLaunchesWithSpaces(t *testing.T) {
	NeedClang(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("kernel.cuh", "__global__ void k(int *p) { *p = 1; }\nvoid first(int *p) { k << <1, 1>> >(p); }\n")
	good := write("good.cu", "#include \"kernel.cuh\"\nint main() { k <<< 1, 2 >> > (nullptr); }\n")
	result, err := Compile(t.Context(), good, Options{})
	require.NoError(t, err)
	assert.Contains(t, string(result.PTX), ".entry")
	bad := write("bad.cu", "#include \"kernel.cuh\"\nint main() {\n  k << < 1, 2 >> > (nullptr);\n  wrong();\n}\n")
	_, err = Compile(t.Context(), bad, Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "bad.cu:4:3: error: use of undeclared identifier 'wrong'")
	assert.NotContains(t, err.Error(), "expected expression")
}

// An extern shared array with a size is a definition, as nvcc's warning says: 1,024 bytes on a real GPU.
func TestExternSharedArraysWithASize(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, "extern __shared__ float4 s[64];\n__global__ void k(float *p) { s[threadIdx.x].x = *p; __syncthreads(); "+
		"*p = s[threadIdx.x ^ 1].x; }", Options{})
	assert.Contains(t, ptx, "[1024];")
	assert.NotContains(t, ptx, ".extern .shared")
}

// An array of variable length gets its first elements and then zeros, as with g++.
func TestFilledArraysOfVariableLength(t *testing.T) {
	const text = "void f(int n) {\n  const unsigned char a[n] = {\n 1, 2,\n };\n  int b[2 * n]{}, c[2] = {3};\n}"
	assert.Equal(t, "void f(int n) {\n  unsigned char a[n]; __builtin_memset(a, 0, sizeof a); "+
		"{ unsigned char keplersim_a[] = {\n 1, 2,\n }; "+
		"__builtin_memcpy(a, keplersim_a, sizeof keplersim_a); }\n  int b[2 * n]{}, c[2] = {3};\n}",
		string(filledArrays([]byte(text), []int{2, 5, 99})))
	NeedClang(t)
	path := filepath.Join(t.TempDir(), "a.cu")
	require.NoError(t, os.WriteFile(path, []byte("int f(int n) {\n  const int a[n] = {1};\n  int b[n]{};\n  return a[0] + b[1];\n}\n"+
		"__global__ void k() {}\nint main() { return f(2); }\n"), 0o600))
	_, err := Compile(t.Context(), path, Options{})
	require.NoError(t, err)
}

// main may take one string, as with g++.
func TestMainsArguments(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, "__global__ void k() {}\nint main(int argc, char* argv)\n{\n  k<<<1, 1>>>();\n  return argv == nullptr;\n}\n",
		Options{})
	assert.Contains(t, ptx, ".entry")
}

// A function is compiled for the device if an earlier declaration says so.
func TestDeclaredForTheDevice(t *testing.T) {
	const heads = "__device__ int f(int *p);\nstatic __device__ void g(int *p);\n__device__ int h(int);\n"
	assert.Equal(t, heads+"__device__ int f(int *p)\n{\n}\n__device__ static void g(int *p) {\n}\n"+
		"__device__ int h(int n) {\n}\nint i(int n) {\n}\n",
		string(declaredForDevice([]byte(heads+"int f(int *p)\n{\n}\nstatic void g(int *p) {\n}\n"+
			"__device__ int h(int n) {\n}\nint i(int n) {\n}\n"))))
	NeedClang(t)
	ptx := compile(t, "__device__ int f(int *p);\nint f(int *p)\n{\n  __shared__ int s[64];\n  s[threadIdx.x] = *p;\n  __syncthreads();\n"+
		"  return s[threadIdx.x ^ 1];\n}\n__global__ void k(int *p) { *p = f(p); }\n", Options{})
	assert.Contains(t, ptx, "bar.sync")
}

// A kernel deduces the arguments of a class template by the program's guides and by the library's.
func TestDeductionGuides(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, `#include <array>
template <class A, class B> struct Two { A a; B b; };
template <class A, class B> Two(A, B) -> Two<A, B>;
template <class... T> struct Of : T... { using T::operator()...; };
template <class... T>
Of(T...) -> Of<T...>;
__global__ void k(int *p) {
  Two two{20, 'a'};
  auto one = Of{[](int) { return 1; }, [](float) { return 2; }};
  std::array three{7, 7, 7};
  *p = two.a * one(1.0f) + one(1) + three.size();
}
`, Options{})
	assert.Contains(t, ptx, "44;")
}

// A line may continue after a comment.
func TestContinuedComments(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, "__global__ void k(int *p) {\n  *p = 40 + \\ // forty\n    2; // and two\n}\n", Options{})
	assert.Contains(t, ptx, "42;")
}

// CUB 1.8 compiles: shifts of negative numbers in constants, template names without arguments, a missing Thrust.
func TestOldCUB(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, `template <int N> struct A {
  enum { STEPS = 3, MASK = ((-1 << STEPS) & 31) << 8 };
  static __device__ void put(int *p) { *p = MASK; }
};
#if !defined(_CubLog)
#define _CubLog(format, ...) thrust::cuda_cub::cub::va_printf(format, __VA_ARGS__);
#endif
inline __host__ __device__ void told(int n) { _CubLog("%d\n", n) }
template <int N> __device__ void f(int *p) { A<N>::template put(p); }
__global__ void k(int *p) { f<1>(p); }
`, Options{})
	assert.Contains(t, ptx, "6144", "(-8 & 31) << 8")
}

// A program's own standard applies if our headers can be compiled with it.
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
