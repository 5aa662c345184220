package toolchain_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// launching has kernels that launch kernels: in a branch, by several lanes, with shared memory, in two dimensions, and themselves.
const launching = `
extern "C" __global__ void child(int *out, int at, float by, long long far)
{
    extern __shared__ int words[];
    words[threadIdx.x] = (int)(by * at);
    __syncthreads();
    int n = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    atomicAdd(&out[n], words[blockDim.x - 1 - threadIdx.x] + (int)(far >> 32));
}

extern "C" __global__ void again(int *out, int depth)
{
    out[40 + depth] = out[depth] + depth;
    if (depth > 0)
        again<<<1, 1>>>(out, depth - 1);
}

extern "C" __global__ void parent(int *out)
{
    if (threadIdx.x % 3 == 0)
        child<<<dim3(2, 2), 8, 8 * sizeof(int)>>>(out, threadIdx.x, 2, 5ll << 32);
    if (threadIdx.x == 1) {
        cudaDeviceSynchronize();
        again<<<1, 1u>>>(out, 20);
    }
}
`

// Kernels that launch kernels leave the same bytes with the built-in compiler as with clang.
func TestBuiltinCompilerLaunchesFromKernels(t *testing.T) {
	need.Clang(t)
	file := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(file, []byte(launching), 0o644))
	var results [][]int32
	for _, compiler := range []toolchain.Compiler{toolchain.UseClang, toolchain.UseBuiltin} {
		d := loadFile(t, file, toolchain.Options{Compiler: compiler}, sim.Options{Threads: 1, Functional: true})
		out := make([]int32, 64)
		target := d.buffer("out", out)
		d.launch("parent", line(1), line(32), 0, target)
		d.read(target, out)
		results = append(results, out)
	}
	assert.Equal(t, results[0], results[1])
	assert.Equal(t, int32(11*5+2*(0+3+6+9+12+15+18+21+24+27+30)), results[1][31], "what eleven children add up")
}
