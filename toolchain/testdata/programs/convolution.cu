// A separable convolution: rows with a halo in shared memory, then columns, the weights in constant memory.
#include <cuda_runtime.h>

#define RADIUS 4
__constant__ float weights[2 * RADIUS + 1] = {0.0625f, 0.09375f, 0.125f, 0.140625f, 0.15625f, 0.140625f, 0.125f, 0.09375f, 0.0625f};

template <int TILE> __device__ float tap(const float *line) {
  float sum = 0.0f;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++) sum += line[k * TILE] * weights[RADIUS - k];
  return sum;
}

__global__ void convolve_rows(const float *in, float *out, int width) {
  __shared__ float line[64 + 2 * RADIUS];
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y;
  for (int i = threadIdx.x; i < 64 + 2 * RADIUS; i += blockDim.x) {
    int from = (int)(blockIdx.x * 64) + i - RADIUS;
    line[i] = from >= 0 && from < width ? in[y * width + from] : 0.0f;
  }
  __syncthreads();
  out[y * width + x] = tap<1>(line + threadIdx.x + RADIUS);
}

__global__ void convolve_columns(const float *in, float *out, int width, int height) {
  __shared__ float tile[16 + 2 * RADIUS][16];
  int x = blockIdx.x * 16 + threadIdx.x, first = blockIdx.y * 16;
  for (int i = threadIdx.y; i < 16 + 2 * RADIUS; i += blockDim.y) {
    int from = first + i - RADIUS;
    tile[i][threadIdx.x] = from >= 0 && from < height ? in[from * width + x] : 0.0f;
  }
  __syncthreads();
  out[(first + threadIdx.y) * width + x] = tap<16>(&tile[threadIdx.y + RADIUS][threadIdx.x]);
}
