#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <cuda_runtime.h>
__constant__ float scale;
__device__ int counter;
__global__ void add(const float *a, const float *b, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { c[i] = scale * (a[i] + b[i]); if (i % 1000 == 0) atomicAdd(&counter, 1); } if (i == 0) printf("hello from the device %d\n", n); }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 10000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 2 * i;
  float *da, *db, *dc, s = 2;
  cudaMalloc(&da, n * 4); cudaMalloc(&db, n * 4); cudaMalloc(&dc, n * 4);
  cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(scale, &s, sizeof s);
  cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
  cudaEventRecord(e0);
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  cudaEventRecord(e1);
  printf("launched: %s\n", cudaGetErrorString(cudaGetLastError()));
  cudaMemcpy(c.data(), dc, n * 4, cudaMemcpyDeviceToHost);
  int bad = 0, count; for (int i = 0; i < n; i++) bad += c[i] != 2 * (a[i] + b[i]);
  cudaMemcpyFromSymbol(&count, counter, 4);
  float ms; cudaEventElapsedTime(&ms, e0, e1);
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
  printf("%s: bad %d count %d time %d\n", p.name, bad, count, ms > 0);
  return bad ? 1 : 3;
}
