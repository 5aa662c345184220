#include "heat.h"
#include "rule.h"

static __device__ float weight(float a, float b) { return a * b; } // another one than that of rule.cu

__global__ void begin(float *now, float *next, int cells, float hot) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cells) now[i] = next[i] = i == 0 ? weight(hot, 1.0f) : 0.0f;
}

__global__ void step(const float *now, float *next, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < cells - 1) next[i] = rule(now[i - 1], now[i], now[i + 1]);
}

cudaError_t make_bar(Bar &bar, int cells, float hot) {
  bar.cells = cells;
  cudaError_t error = cudaMalloc(&bar.now, cells * sizeof(float));
  if (error == cudaSuccess) error = cudaMalloc(&bar.next, cells * sizeof(float));
  if (error == cudaSuccess) begin<<<(cells + 255) / 256, 256>>>(bar.now, bar.next, cells, hot);
  return error == cudaSuccess ? cudaGetLastError() : error;
}

cudaError_t advance(Bar &bar, int steps) {
  for (int i = 0; i < steps; i++) {
    step<<<(bar.cells + 255) / 256, 256>>>(bar.now, bar.next, bar.cells);
    float *t = bar.now;
    bar.now = bar.next, bar.next = t;
  }
  return cudaDeviceSynchronize();
}

cudaError_t read_bar(const Bar &bar, float *cells) { return cudaMemcpy(cells, bar.now, bar.cells * sizeof(float), cudaMemcpyDeviceToHost); }
void free_bar(Bar &bar) { cudaFree(bar.now), cudaFree(bar.next); }
