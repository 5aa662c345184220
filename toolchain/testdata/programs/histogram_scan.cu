// A histogram in shared memory, words of four bytes read at once; a prefix sum with shuffles; and the largest key with its
// place, by a 64-bit atomic maximum.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define BINS 64

__global__ void histogram64(const uint4 *data, unsigned int *bins, int n) {
  __shared__ unsigned int s[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 v = __ldg(&data[i]);
    for (unsigned int w : {v.x, v.y, v.z, v.w})
      for (int k = 0; k < 32; k += 8) atomicAdd(&s[w >> k & 0xff & (BINS - 1)], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}

__global__ void scan_block(const int *in, int *out, int *totals) {
  __shared__ int warps[32];
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  for (unsigned int d = 1; d < warp.size(); d *= 2) {
    int below = warp.shfl_up(v, d);
    if (warp.thread_rank() >= d) v += below;
  }
  if (warp.thread_rank() == 31) warps[threadIdx.x / 32] = v;
  block.sync();
  if (threadIdx.x < 32) {
    int w = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int below = __shfl_up_sync(0xffffffff, w, d);
      if (threadIdx.x >= d) w += below;
    }
    warps[threadIdx.x] = w;
  }
  block.sync();
  if (threadIdx.x >= 32) v += warps[threadIdx.x / 32 - 1];
  out[i] = v;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = v;
}

__global__ void largest(const unsigned int *keys, unsigned long long *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(best, (unsigned long long)keys[i] << 32 | (unsigned int)i);
}
