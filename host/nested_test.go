package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
)

// nestedSource launches kernels of templates, of a namespace and through a macro. It waits, fails once, prints, and draws curves with a
// resolution by their curvature. The patterns are those of NVIDIA's samples of dynamic parallelism, written anew.
const nestedSource = `#include <cstdio>
template <class T> __global__ void fill(T *p, int n, T v) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = v + i; }
namespace deep { __global__ void twice(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2; } }
#define LAUNCH(k, n) k<<<(n + 63) / 64, 64>>>
static __global__ void sum(const int *p, int n, int *out) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; *out = s; }
__global__ void parent(int *p, int n, int *out) {
  if (threadIdx.x != 0) return;
  LAUNCH(fill, n)(p, n, 5);
  deep::twice<<<1, 128>>>(p, n);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  sum<<<1, 1, 0, s>>>(p, n, out);
  sum<<<1, 1025>>>(p, n, out + 1); // too many threads
  out[2] = cudaGetLastError();
  out[3] = cudaGetLastError();
  cudaDeviceSynchronize();
  out[4] = out[0] + 1;
  printf("sum %d, %s\n", out[0], cudaGetErrorString((cudaError_t)out[2]));
}
__global__ void print(int depth, int most, int parent) {
  int own = parent * 10 + blockIdx.x + 1;
  printf("depth %d: block %d\n", depth, own);
  if (depth < most) print<<<2, 1>>>(depth + 1, most, own);
}
struct Line { float2 from, control, to; int points; float2 *drawn; };
__global__ void points(Line *line) {
  for (int i = threadIdx.x; i < line->points; i += blockDim.x) {
    float u = (float)i / (line->points - 1), a = (1 - u) * (1 - u), b = 2 * u * (1 - u), c = u * u;
    line->drawn[i] = make_float2(a * line->from.x + b * line->control.x + c * line->to.x,
                                 a * line->from.y + b * line->control.y + c * line->to.y);
  }
}
__global__ void bezier(Line *lines, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  lines[i].points = 4 + 4 * i;
  if (cudaMalloc(&lines[i].drawn, lines[i].points * sizeof(float2)) != cudaSuccess) return;
  points<<<1, 32>>>(&lines[i]);
}
__global__ void volumes(int *from, int *to, int *errors) { // 8 by 4 by 3 numbers, and 4 by 2 by 3
  cudaMemcpy3DParms p = {};
  p.srcPtr.ptr = from, p.srcPtr.pitch = 32, p.srcPtr.xsize = 32, p.srcPtr.ysize = 4;
  p.srcPos.x = 4, p.srcPos.y = 1, p.srcPos.z = 1;
  p.dstPtr.ptr = to, p.dstPtr.pitch = 16, p.dstPtr.xsize = 16, p.dstPtr.ysize = 2;
  p.extent.width = 12, p.extent.height = 2, p.extent.depth = 2;
  p.kind = cudaMemcpyDeviceToDevice;
  errors[0] = cudaMemcpy3DAsync(&p, 0);
  cudaPitchedPtr q;
  q.ptr = to + 1, q.pitch = 16, q.xsize = 16, q.ysize = 2;
  cudaExtent e;
  e.width = 4, e.height = 2, e.depth = 3;
  errors[1] = cudaMemset3DAsync(q, 0x11, e, 0);
  e.depth = 4; // past the end
  errors[2] = cudaMemset3DAsync(q, 0x11, e, 0);
  p.srcPtr.ptr = &p; // local memory
  errors[3] = cudaMemcpy3DAsync(&p, 0);
}
__global__ void collect(const Line *lines, int n, float *ends) {
  int i = threadIdx.x;
  if (i < n) ends[i] = lines[i].points + lines[i].drawn[lines[i].points - 1].x + lines[i].drawn[lines[i].points / 2].y;
}
`

// Launches from kernels in CUDA C compute the right results in every mode, the same for any number of host threads. Failures are reported.
func TestLaunchesFromKernelsInCUDAC(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program and runs it four times")
	}
	need.Clang(t)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "nested.cu"), []byte(nestedSource), 0o600))
	path := filepath.Join(folder, "nested.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`module: nested.cu
config: k20
buffers:
  p: {type: s32, count: 100}
  out: {type: s32, count: 5}
  lines: {type: b8, count: 320, init: {values: [0]}}
  ends: {type: f32, count: 8}
  from: {type: s32, count: 96, init: {ramp: {start: 0, step: 1}}}
  to: {type: s32, count: 24}
  errors: {type: s32, count: 4}
steps:
  - launch: {kernel: parent, grid: [1], block: [32], args: [p, {s32: 100}, out]}
  - launch: {kernel: print, grid: [2], block: [1], args: [{s32: 0}, {s32: 2}, {s32: 0}]}
  - launch: {kernel: bezier, grid: [1], block: [8], args: [lines, {s32: 8}]}
  - launch: {kernel: collect, grid: [1], block: [8], args: [lines, {s32: 8}, ends]}
  - launch: {kernel: volumes, grid: [1], block: [1], args: [from, to, errors]}
expect:
  out: {values: [10900, 0, 9, 0, 10901]}
  ends: {values: [4, 8, 12, 16, 20, 24, 28, 32]}
  to: {values: [41, 286331153, 43, 0, 49, 286331153, 51, 0, 73, 286331153, 75, 0, 81, 286331153, 83, 0, 0, 286331153, 0, 0, 0, 286331153, 0, 0]}
  errors: {values: [0, 0, 1, 17]}
`), 0o600))
	var first *host.Result
	for _, o := range []sim.Options{{Threads: 1}, {Threads: 2}, {Threads: 8}, {Functional: true}} {
		var said strings.Builder
		o.Printf = &said
		job, err := host.Open(context.Background(), path, host.Options{Simulator: o})
		require.NoError(t, err)
		r, err := job.Run(context.Background())
		require.NoError(t, err)
		assert.Empty(t, r.Mismatches)
		assert.Contains(t, said.String(), "sum 10900, invalid configuration argument\n")
		for _, block := range []string{"depth 0: block 1\n", "depth 1: block 21\n", "depth 2: block 111\n", "depth 2: block 222\n"} {
			assert.Equal(t, 1, strings.Count(said.String(), block))
		}
		assert.Equal(t, 14, strings.Count(said.String(), "depth "))
		require.Len(t, r.Launches[0].Nested.Errors, 1)
		assert.Equal(t, "cudaErrorInvalidConfiguration", r.Launches[0].Nested.Errors[0].Name)
		if o.Functional {
			continue
		}
		for _, l := range r.Launches {
			l.Wall = 0
		}
		if first == nil {
			first = r
		}
		assert.Equal(t, first.Launches, r.Launches)
		assert.Equal(t, first.Timeline, r.Timeline)
	}
}
