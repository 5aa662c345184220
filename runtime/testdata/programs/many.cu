// One kernel launched many times between two events, and in the end what they computed and whether time has passed for all of them.
#include <cstdio>

__global__ void more(int *p) { atomicAdd(p, 1); }

int main() {
  int *p, got;
  cudaMalloc(&p, sizeof *p);
  cudaMemset(p, 0, sizeof *p);
  cudaEvent_t start, middle, stop;
  cudaEventCreate(&start), cudaEventCreate(&middle), cudaEventCreate(&stop);
  cudaEventRecord(start);
  for (int i = 0; i < 100; i++) more<<<8, 64>>>(p);
  cudaEventRecord(middle);
  for (int i = 0; i < 100; i++) more<<<8, 64>>>(p);
  cudaEventRecord(stop);
  cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost);
  float first, second;
  cudaEventElapsedTime(&first, start, middle), cudaEventElapsedTime(&second, middle, stop);
  printf("%d, halves alike %d\n", got, first < 1.25f * second && second < 1.25f * first);
}
