// Managed variables: one memory for both sides, from the program's first statement on.
#include <cstdio>

__managed__ int counter = 5;
__managed__ double table[1000];
static __managed__ int *last;
__device__ int plain = 7;

__global__ void count(int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) table[i] += i;
  atomicAdd(&counter, plain);
  if (threadIdx.x == 0) last = &counter;
}
__global__ void scale(double *of, int n) {
  if (threadIdx.x < n) of[threadIdx.x] *= 2;
}

int main() {
  counter++; // before anything of CUDA is called
  for (int i = 0; i < 1000; i++) table[i] = 0.5;
  count<<<1, 64>>>(1000);
  cudaDeviceSynchronize();
  printf("%d %g %g\n", counter, table[0], table[999]);
  counter = 0;
  scale<<<1, 32>>>(table + 990, 10); // its address is good on both sides
  count<<<1, 32>>>(0);
  cudaDeviceSynchronize();
  int copied;
  cudaMemcpyFromSymbol(&copied, counter, sizeof copied);
  printf("%d %d %g %g, %s\n", counter, copied, table[989], table[999], last ? "set" : "not set");
  int *other; // its address is good in copies, too
  cudaMalloc(&other, sizeof *other);
  counter = 8;
  cudaMemcpy(other, &counter, sizeof counter, cudaMemcpyDeviceToDevice);
  cudaMemset(&counter, 0, sizeof counter);
  int cleared = counter;
  cudaMemcpy(&counter, other, sizeof counter, cudaMemcpyDeviceToDevice);
  cudaPointerAttributes a;
  cudaPointerGetAttributes(&a, &counter);
  printf("%d %d %d\n", cleared, counter, a.type == cudaMemoryTypeManaged);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
