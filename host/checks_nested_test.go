package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// orderedLaunches are kernels whose launches are ordered, and similar ones without an order.
const orderedLaunches = `
__global__ void put(int *p, int v) { p[threadIdx.x] = v; }
__global__ void add(int *p, const int *q) { p[threadIdx.x] += q[threadIdx.x]; }
__global__ void deeper(int *p) { if (threadIdx.x == 0) put<<<1, 32>>>(p, 3); }
#define FIRST if (threadIdx.x == 0 && blockIdx.x == 0)
#define KERNEL extern "C" __global__ void

KERNEL waits(int *p) { FIRST { p[0] = 1; add<<<1, 32>>>(p, p + 32); cudaDeviceSynchronize(); p[0] += p[1]; } }
KERNEL waits_not(int *p) { FIRST { put<<<1, 32>>>(p, 1); p[64] = p[1]; } }
KERNEL writes_late(int *p) { FIRST { add<<<1, 32>>>(p, p + 32); p[32] = 1; cudaDeviceSynchronize(); } }
KERNEL waits_for_all(int *p) { FIRST { deeper<<<1, 32>>>(p); cudaDeviceSynchronize(); p[0] += p[1]; } }
KERNEL waits_for_all_not(int *p) { FIRST deeper<<<1, 32>>>(p); p[64 + threadIdx.x] = p[threadIdx.x]; }
KERNEL one_stream(int *p) { FIRST { put<<<1, 32>>>(p, 1); add<<<1, 32>>>(p, p + 32); } }
KERNEL two_streams(int *p) {
  FIRST {
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    put<<<1, 32, 0, s>>>(p, 1);
    add<<<1, 32, 0, t>>>(p, p + 32);
  }
}
KERNEL events(int *p) {
  FIRST {
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    put<<<1, 32, 0, s>>>(p, 1);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    add<<<1, 32, 0, t>>>(p, p + 32);
  }
}
KERNEL barrier(int *p) { p[32 + threadIdx.x] = 1; __syncthreads(); FIRST add<<<1, 64>>>(p + 128, p + 32); }
KERNEL barrier_not(int *p) { p[32 + threadIdx.x] = 1; FIRST add<<<1, 64>>>(p + 128, p + 32); }
KERNEL tells_block(int *p) {
  FIRST { put<<<1, 64>>>(p, 2); cudaDeviceSynchronize(); }
  __syncthreads();
  if (blockIdx.x == 0) p[64 + threadIdx.x] = p[threadIdx.x];
}
KERNEL tells_block_not(int *p) {
  FIRST { put<<<1, 64>>>(p, 2); cudaDeviceSynchronize(); }
  if (blockIdx.x == 0) p[64 + threadIdx.x] = p[threadIdx.x];
}
KERNEL other_block(int *p) {
  FIRST { put<<<1, 64>>>(p, 2); cudaDeviceSynchronize(); }
  if (blockIdx.x == 1) p[64] = p[0];
}
KERNEL sets(int *p) {
  FIRST {
    int *own;
    cudaMalloc((void **)&own, 128);
    cudaMemsetAsync(own, 0, 128, 0);
    add<<<1, 32>>>(p, own);
    cudaDeviceSynchronize();
    cudaFree(own);
  }
}
KERNEL sets_not(int *p) {
  FIRST {
    int *own;
    cudaMalloc((void **)&own, 128);
    add<<<1, 32>>>(p, own);
    cudaDeviceSynchronize();
    cudaFree(own);
  }
}
KERNEL reads(int *p) { p[64 + threadIdx.x] = p[threadIdx.x]; }
`

// Checks know the order between a kernel and the kernels it launches, and report where there is none.
func TestChecksFollowLaunchesFromKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles fifteen kernels")
	}
	need.Clang(t)
	folder := t.TempDir()
	source := filepath.Join(folder, "ordered.cu")
	require.NoError(t, os.WriteFile(source, []byte(orderedLaunches), 0o600))
	compiled, err := toolchain.Compile(t.Context(), source, toolchain.Options{Arch: "sm_35"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "ordered.ptx"), compiled.PTX, 0o600))
	race, unset := finding.RaceNested, finding.UnsetMemory
	for kernel, want := range map[string]*finding.Rule{
		"waits": nil, "waits_not": race, "writes_late": race, "waits_for_all": nil, "waits_for_all_not": race,
		"one_stream": nil, "two_streams": race, "events": nil, "barrier": nil, "barrier_not": race,
		"tells_block": nil, "tells_block_not": race, "other_block": race, "sets": nil, "sets_not": unset,
	} {
		t.Run(kernel, func(t *testing.T) {
			path := filepath.Join(folder, kernel+".yaml")
			require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `module: ordered.ptx
config: k20
buffers:
  p: {type: s32, count: 256}
steps:
  - launch: {kernel: %s, grid: [2], block: [64], args: [p]}
  - launch: {kernel: reads, grid: [1], block: [64], args: [p]}
`, kernel), 0o600))
			job, err := Open(t.Context(), path, Options{Simulator: sim.Options{Threads: 1, Functional: true, Check: finding.All}})
			require.NoError(t, err)
			result, err := job.Run(t.Context())
			require.NoError(t, err)
			rules := map[*finding.Rule]bool{}
			for _, f := range result.Mistakes {
				rules[f.Rule] = true
			}
			if want == nil {
				assert.Empty(t, result.Mistakes)
				return
			}
			assert.True(t, rules[want], "%v", result.Mistakes)
		})
	}
}
