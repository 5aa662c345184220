// LU decomposition without pivoting, in double precision: one step a launch, as a host loop would drive it; and all-pairs
// shortest paths after Floyd and Warshall.
#include <cuda_runtime.h>
#include <cstdio>

extern "C" __global__ void lu_column(double *a, int n, int k) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + k] /= a[k * n + k];
}

extern "C" __global__ void lu_update(double *a, int n, int k) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

extern "C" __global__ void floyd_warshall(int *distance, int *via, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  int through = distance[i * n + k] + distance[k * n + j];
  if (through < distance[i * n + j]) {
    distance[i * n + j] = through;
    via[i * n + j] = k;
  }
}

#define CHECK(call)                                                                        \
  {                                                                                        \
    cudaError_t status = call;                                                             \
    if (status != cudaSuccess) {                                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));      \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  }

int main() {
  const int n = 1024;
  double *a;
  CHECK(cudaMalloc((void **)&a, n * n * sizeof(double)));
  for (int k = 0; k < n - 1; k++) {
    lu_column<<<(n + 255) / 256, 256>>>(a, n, k);
    lu_update<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, n, k);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
