// One step of k-means: each point finds the nearest centre; sums and counts gather with atomics, first in shared memory.
#include <cuda_runtime.h>
#include <float.h>

template <int DIMENSIONS, int CENTRES>
__global__ void kmeans_step(const float *points, const float *centres, int *member, float *sums, int *counts, int n) {
  __shared__ float centre[CENTRES][DIMENSIONS], sum[CENTRES][DIMENSIONS];
  __shared__ int count[CENTRES];
  for (int i = threadIdx.x; i < CENTRES * DIMENSIONS; i += blockDim.x) {
    centre[i / DIMENSIONS][i % DIMENSIONS] = centres[i];
    sum[i / DIMENSIONS][i % DIMENSIONS] = 0;
  }
  if (threadIdx.x < CENTRES) count[threadIdx.x] = 0;
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n) {
    int nearest = -1;
    float least = FLT_MAX;
    for (int c = 0; c < CENTRES; c++) {
      float d = 0;
      for (int k = 0; k < DIMENSIONS; k++) d += (points[k * n + p] - centre[c][k]) * (points[k * n + p] - centre[c][k]);
      if (d < least) least = d, nearest = c;
    }
    member[p] = nearest;
    atomicAdd(&count[nearest], 1);
    for (int k = 0; k < DIMENSIONS; k++) atomicAdd(&sum[nearest][k], points[k * n + p]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < CENTRES * DIMENSIONS; i += blockDim.x) atomicAdd(&sums[i], sum[i / DIMENSIONS][i % DIMENSIONS]);
  if (threadIdx.x < CENTRES) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

template __global__ void kmeans_step<4, 5>(const float *, const float *, int *, float *, int *, int);
