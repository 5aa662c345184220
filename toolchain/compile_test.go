package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// NeedClang and NeedBuilder are testkit/need's functions. That package imports this one, so device_test.go, outside the package, sets them.
var NeedClang, NeedBuilder func(t testing.TB) string

// sample returns all rows, or every fourth in a short run: clang takes a quarter of a second for each row.
func sample[T any](rows []T) []T {
	if !testing.Short() {
		return rows
	}
	var some []T
	for i := 0; i < len(rows); i += 6 {
		some = append(some, rows[i])
	}
	return some
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func compile(t *testing.T, text string, options Options) string {
	t.Helper()
	result, err := Compile(context.Background(), write(t, "kernel.cu", text), options)
	require.NoError(t, err)
	return string(result.PTX)
}

func TestMissingClangSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Compile(context.Background(), write(t, "kernel.cu", "__global__ void k() {}"), Options{Compiler: UseClang})
	require.ErrorIs(t, err, ErrNoClang)
	assert.Contains(t, err.Error(), "apt-get install clang-19")
}

func TestUnusableClangIsNamed(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"old", "#!/bin/sh\necho clang version 9.0.1\n", "is version 9"},
		{"another program", "#!/bin/sh\necho hello\n", "is not clang"},
		{"no target", "#!/bin/sh\n[ \"$1\" = --version ] && echo clang version 19.1.7\nexit 0\n", "without the NVPTX target"},
		{"fails", "#!/bin/sh\nexit 3\n", "exit status 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "clang"), []byte(c.script), 0o755))
			t.Setenv("PATH", dir)
			_, err := FindClang(context.Background())
			require.ErrorIs(t, err, ErrNoClang)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestMissingSource(t *testing.T) {
	_, err := Compile(context.Background(), filepath.Join(t.TempDir(), "absent.cu"), Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestRefusedOptions(t *testing.T) {
	for _, options := range []Options{{Arch: "sm_90"}, {Level: "fast"}} {
		_, err := options.arguments(Clang{Version: 19}, "d", source{argument: "s"}, "o")
		assert.Error(t, err)
	}
}

func TestABinaryIsNoCUDAC(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte("\x7fELF\x02\x00\x00"), 0o644))
	_, err := Compile(context.Background(), path, Options{})
	assert.EqualError(t, err, path+" is not UTF-8 text, which CUDA C must be")
}

func TestCompileErrorCarriesClangsMessages(t *testing.T) {
	NeedClang(t)
	source := write(t, "broken.cu", "__global__ void k(int *p) {\n  p[0] = nowhere;\n}\n")
	result, err := Compile(context.Background(), source, Options{})
	var refused *CompileError
	require.True(t, errors.As(err, &refused))
	assert.Contains(t, err.Error(), "broken.cu:2:10: error: use of undeclared identifier 'nowhere'")
	assert.NotEmpty(t, result.Command)
}

func TestMessagesSayWhatToDo(t *testing.T) {
	NeedClang(t)
	for _, c := range sample([]struct{ source, want string }{
		{"#include <cusolverDn.h>", "hint: cusolverDn.h belongs to cuSOLVER"},
		{"#include <cuda_fp61.h>", "did you mean cuda_fp16.h?"},
		{"#include \"common.h\"", "named with -I"},
		{"__global__ void k(int *p) { *p = __no_such_intrinsic(3); }", "docs/cuda-c.md lists what there is"},
		{"std::deque<int> d;", "hint: std::deque is not among"},
		{"#include <curand_kernel.h>\n__global__ void k() { curandStateMtgp32 s; }", "XORWOW (curandState), Philox"},
		{"__host__ int f();\n__global__ void k(int *p) { *p = f(); }", "declare the function __device__"},
		{"__global__ void k() { __nanosleep(100); }", "it came with compute capability 7.0; on Kepler wait in a loop on clock64()"},
	}) {
		_, err := Compile(context.Background(), write(t, "kernel.cu", c.source), Options{})
		require.Error(t, err, c.source)
		assert.Contains(t, err.Error(), c.want)
	}
}

func TestCommandLineQuotes(t *testing.T) {
	r := Result{Command: []string{"clang", "-DX=a b", "it's.cu", ""}}
	assert.Equal(t, `clang '-DX=a b' 'it'\''s.cu' ''`, r.CommandLine())
}

func TestArchitecturesAndDefines(t *testing.T) {
	NeedClang(t)
	for _, arch := range sample(Architectures) {
		ptx := compile(t, "__global__ void k(const int *__restrict__ p, int *q) { *q = *p + VALUE; }",
			Options{Arch: arch, Defines: []string{"VALUE=77"}})
		assert.Contains(t, ptx, ".target "+arch)
		assert.Contains(t, ptx, ", 77;")
		assert.Equal(t, arch >= "sm_32", strings.Contains(ptx, "ld.global.nc"), arch)
	}
}

func TestLineInfo(t *testing.T) {
	NeedClang(t)
	text := "__global__ void k(int *p) {\n  *p = 1;\n}\n"
	assert.Contains(t, compile(t, text, Options{LineInfo: true}), ".loc")
	assert.NotContains(t, compile(t, text, Options{}), ".loc")
}

// A report names the user's lines, and neither those of our headers nor the folder that they are unpacked to.
func TestLineInfoNamesTheSourceAlone(t *testing.T) {
	NeedClang(t)
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("k.cu", []byte("__global__ void k(float *p) { p[threadIdx.x] = expf(p[blockDim.x]); }"), 0o600))
	result, err := Compile(t.Context(), "k.cu", Options{LineInfo: true})
	require.NoError(t, err)
	files := regexp.MustCompile(`\.file\s+\d+ "([^"]*)"`).FindAllSubmatch(result.PTX, -1)
	require.Len(t, files, 1)
	assert.Equal(t, "./k.cu", string(files[0][1]))
}

// Each name in the header becomes the PTX instruction that the header promises.
func TestNamesBecomeTheirInstructions(t *testing.T) {
	NeedClang(t)
	cases := []struct{ expression, instruction string }{
		{"i[0] = threadIdx.z", "%tid.z"},
		{"i[0] = blockIdx.y", "%ctaid.y"},
		{"i[0] = blockDim.x", "%ntid.x"},
		{"i[0] = gridDim.x", "%nctaid.x"},
		{"i[0] = __cudaGet_threadIdx().x", "%tid.x"},
		{"i[0] = __cudaGet_gridDim().y / __cudaGet_warpSize()", "%nctaid.y"},
		{"__syncthreads()", "bar.sync"},
		{"i[0] = __syncthreads_count(i[1])", "bar.red.popc.u32"},
		{"i[0] = __syncthreads_and(i[1])", "bar.red.and.pred"},
		{"i[0] = __syncthreads_or(i[1])", "bar.red.or.pred"},
		{"__threadfence()", "membar.gl"},
		{"__threadfence_block()", "membar.cta"},
		{"__threadfence_system()", "membar.sys"},
		{"i[0] = __ballot(i[1])", "vote.ballot.b32"},
		{"i[0] = __any_sync(~0u, i[1])", "vote.any.pred"},
		{"i[0] = __all(i[1])", "vote.all.pred"},
		{"i[0] = __shfl(i[1], 3)", "shfl.idx.b32"},
		{"f[0] = __shfl_up_sync(~0u, f[1], 1)", "shfl.up.b32"},
		{"d[0] = __shfl_down(d[1], 1, 16)", "shfl.down.b32"},
		{"u[0] = __shfl_xor(u[1], 1)", "shfl.bfly.b32"},
		{"atomicAdd(&i[0], 2)", "atom.global.add.u32"},
		{"u[1] = atomicAdd(&u[0], 2ull)", "atom.global.add.u64"},
		{"atomicAdd(&f[0], 2.0f)", "atom.global.add.f32"},
		{"atomicAdd(&d[0], 2.0)", "atom.global.cas.b64"},
		{"i[1] = atomicSub(&i[0], 2)", "atom.global.add.u32"},
		{"i[1] = atomicExch(&i[0], 2)", "atom.global.exch.b32"},
		{"f[1] = atomicExch(&f[0], 2.0f)", "atom.global.exch.b32"},
		{"i[1] = atomicMin(&i[0], 2)", "atom.global.min.s32"},
		{"i[1] = atomicMax((unsigned *)&i[0], 2u)", "atom.global.max.u32"},
		{"u[1] = atomicMax(&u[0], 2ull)", "atom.global.max.u64"},
		{"i[1] = atomicInc((unsigned *)&i[0], 9u)", "atom.inc.u32"},
		{"i[1] = atomicDec((unsigned *)&i[0], 9u)", "atom.dec.u32"},
		{"i[1] = atomicCAS(&i[0], 1, 2)", "atom.global.cas.b32"},
		{"u[1] = atomicCAS(&u[0], 1ull, 2ull)", "atom.global.cas.b64"},
		{"i[1] = atomicAnd(&i[0], 2)", "atom.global.and.b32"},
		{"i[1] = atomicOr(&i[0], 2)", "atom.global.or.b32"},
		{"i[1] = atomicXor(&i[0], 2)", "atom.global.xor.b32"},
		{"i[0] = __popc(i[1])", "popc.b32"},
		{"i[0] = __popcll(u[1])", "popc.b64"},
		{"i[0] = __clz(i[1])", "clz.b32"},
		{"i[0] = __brev(i[1])", "brev.b32"},
		{"i[0] = __umulhi(i[1], i[2])", "mul.hi.u32"},
		{"i[0] = __mulhi(i[1], i[2])", "mul.hi.s32"},
		{"u[0] = __umul64hi(u[1], u[2])", "mul.hi.u64"},
		{"i[0] = __sad(i[1], i[2], 3)", "sad.s32"},
		{"i[0] = __byte_perm(i[1], i[2], 0x3210)", "prmt.b32"},
		{"f[0] = __ldg(&f[1])", "ld.global.nc.f32"},
		{"f[0] = __ldg((float4 *)&f[4]).w", "ld.global.nc."},
		{"i[0] = __ldg((uchar4 *)i + 1).z", "ld.global.nc."},
		{"u[0] = __ldcg(&u[1])", "ld.cg.u64"},
		{"__stwt(&f[0], 1.0f)", "st.wt.f32"},
		{"i[0] = __vadd4(i[1], i[2])", "vadd4.u32.u32.u32"},
		{"i[0] = __isShared(i)", "isspacep.shared"},
		{"f[0] = sqrtf(f[1])", "sqrt.rn.f32"},
		{"d[0] = sqrt(d[1])", "sqrt.rn.f64"},
		{"f[0] = f[1] / f[2]", "div.rn.f32"},
		{"f[0] = f[1] * f[2] + f[3]", "fma.rn.f32"},
		{"f[0] = f[1] + f[2]", "add.f32"},
		{"f[0] = __fadd_rn(f[1] * f[2], f[3])", "add.rn.f32"},
		{"f[0] = rsqrtf(f[1])", "rsqrt.approx.f32"},
		{"f[0] = __expf(f[1])", "ex2.approx.f32"},
		{"f[0] = __logf(f[1])", "lg2.approx.f32"},
		{"f[0] = __sinf(f[1])", "sin.approx.f32"},
		{"f[0] = __cosf(f[1])", "cos.approx.f32"},
		{"f[0] = __fadd_ru(f[1], f[2])", "add.rp.f32"},
		{"f[0] = __fdividef(f[1], f[2])", "div.approx.f32"},
		{"f[0] = fminf(f[1], f[2])", "min.f32"},
		{"f[0] = fmaxf(f[1], f[2])", "max.f32"},
		{"f[0] = fabsf(f[1])", "abs.f32"},
		{"f[0] = floorf(f[1])", "cvt.rmi.f32.f32"},
		{"f[0] = ceilf(f[1])", "cvt.rpi.f32.f32"},
		{"f[0] = truncf(f[1])", "cvt.rzi.f32.f32"},
		{"f[0] = rintf(f[1])", "cvt.rni.f32.f32"},
		{"i[0] = __float2int_rd(f[1])", "cvt.rmi.s32.f32"},
		{"f[0] = __int2float_rz(i[1])", "cvt.rz.f32.s32"},
		{"i[0] = clock()", "%clock"},
		{"u[0] = clock64()", "%clock64"},
		{"printf(\"%d\\n\", i[0])", "vprintf"},
		{"assert(i[0] == 1)", "__assertfail"},
		{"u[0] = (unsigned long long)malloc(8)", "malloc"},
		{"__trap()", "trap;"},
	}
	var text strings.Builder
	for k, c := range cases {
		fmt.Fprintf(&text, "extern \"C\" __global__ void k%d(int *i, float *f, double *d, unsigned long long *u) { %s; }\n", k,
			c.expression)
	}
	kernels := strings.Split(compile(t, text.String(), Options{}), ".visible .entry ")[1:]
	require.Len(t, kernels, len(cases))
	for k, c := range cases {
		assert.Contains(t, kernels[k], c.instruction, c.expression)
	}
}

// GK104 adds and exchanges 64 bits in one operation, as later chips do.
func TestWideAtomicsOfGK104(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, `extern "C" __global__ void k(unsigned long long *u, long long *s) {
  u[1] = atomicAdd(&u[0], 2ull), u[3] = atomicExch(&u[2], 2ull);
  s[1] = atomicAdd((unsigned long long *)&s[0], 3ull), s[3] = atomicExch((unsigned long *)&s[2], 2ul);
}`, Options{Arch: "sm_30"})
	assert.Equal(t, 2, strings.Count(ptx, "atom.add.u64"))
	assert.Equal(t, 2, strings.Count(ptx, "atom.exch.b64"))
	assert.NotContains(t, ptx, "cas")
}

// A student's whole program, host part included, compiles for its kernels.
func TestWholeProgram(t *testing.T) {
	NeedClang(t)
	ptx := compile(t, `
#include <cstdio>
#include <stdlib.h>
#include <cuda_runtime.h>
__constant__ float scale[4];
__global__ __launch_bounds__(256) void grow(float *a, int n) {
  __shared__ float tile[256];
  extern __shared__ float dynamic[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = dynamic[threadIdx.x] = a[i];
  __syncthreads();
  if (i < n) a[i] = tile[255 - threadIdx.x] * scale[i & 3] + dynamic[0];
}
int main() {
  float *h = (float *)malloc(1024), *d;
  for (int i = 0; i < 256; i++) h[i] = sqrtf((float)rand() / RAND_MAX);
  cudaMalloc(&d, 1024);
  cudaMemcpy(d, h, 1024, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(scale, h, sizeof scale);
  cudaEvent_t start; cudaEventCreate(&start); cudaEventRecord(start);
  grow<<<1, 256, 1024>>>(d, 256);
  if (cudaDeviceSynchronize() != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())); exit(1); }
  cudaMemcpy(h, d, 1024, cudaMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  cudaFree(d); free(h);
  return EXIT_SUCCESS;
}`, Options{})
	assert.Contains(t, ptx, ".entry _Z4growPfi(")
	assert.Contains(t, ptx, ".maxntid 256")
	assert.NotContains(t, ptx, "main")
}
