// Callbacks run in the order of their stream, after the work before them and before the work behind them.
#include <cstdio>

__global__ void set(int *p, int v) { *p = v; }
int order[4], calls, *value;
void CUDART_CB called(cudaStream_t, cudaError_t status, void *data) { order[calls++] = (int)(size_t)data + (status == cudaSuccess ? 0 : 100); }
void CUDART_CB look(void *data) { order[calls++] = *(int *)data; }

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaHostAlloc(&value, sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < 3; i++) cudaStreamAddCallback(s, called, (void *)(size_t)(i + 1), 0);
  set<<<1, 1, 0, s>>>(value, 42);
  cudaLaunchHostFunc(s, look, value);
  set<<<1, 1, 0, s>>>(value, 43);
  cudaStreamSynchronize(s);
  printf("%d %d %d %d, then %d\n", order[0], order[1], order[2], order[3], *value);
  return 0;
}
