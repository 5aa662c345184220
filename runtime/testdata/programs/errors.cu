// Error codes as CUDA's: at once for what is asked wrongly, at the next synchronising call for what a kernel does, and sticky from then on.
#include <cstdio>

__global__ void wild(int *p) { p[1 << 28] = 1; }
__global__ void fine(int *p) { *p = 7; }
__global__ void __launch_bounds__(32) narrow(int *p) { *p = 8; }
__global__ void many(volatile int *p) {
  int v[80], sum = 0;
#pragma unroll
  for (int i = 0; i < 80; i++) v[i] = p[i % 2];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 80; i++) sum = sum * 3 + v[(i * 37 + 5) % 80];
  p[2 + threadIdx.x] = sum;
}
__constant__ int constant[4];
int unknown;

void say(const char *what, cudaError_t e) { printf("%s: %s\n", what, cudaGetErrorName(e)); }

int main() {
  int *p, v = 0;
  say("malloc", cudaMalloc(&p, 4));
  fine<<<1, 2000>>>(p);
  say("block too large", cudaGetLastError());
  say("forgotten", cudaGetLastError());
  fine<<<0, 1>>>(p);
  say("empty grid", cudaPeekAtLastError());
  say("still there", cudaGetLastError());
  fine<<<1, 1, 1 << 20>>>(p);
  say("too much shared", cudaGetLastError());
  narrow<<<1, 64>>>(p);
  say("beyond its launch bounds", cudaGetLastError());
  int *room, sum;
  cudaMalloc(&room, 1026 * 4);
  cudaMemset(room, 0, 1026 * 4);
  v = 1;
  cudaMemcpy(room, &v, 4, cudaMemcpyHostToDevice);
  many<<<1, 1024>>>(room);
  say("more registers than fit", cudaGetLastError());
  cudaMemcpy(&sum, room + 1025, 4, cudaMemcpyDeviceToHost);
  unsigned want = 0;
  for (int i = 0; i < 80; i++) want = want * 3 + ((i * 37 + 5) % 80 + 1) % 2;
  printf("right: %d\n", (unsigned)sum == want);
  v = 0;
  say("wrong way", cudaMemcpy(&v, p, 4, cudaMemcpyHostToDevice));
  say("from nowhere", cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice));
  say("to nowhere", cudaMemcpy(nullptr, p, 4, cudaMemcpyDefault));
  cudaStream_t stream;
  cudaEvent_t event;
  say("flags of no stream", cudaStreamCreateWithFlags(&stream, 2));
  say("flags of no event", cudaEventCreateWithFlags(&event, 8));
  say("memory for no pointer", cudaMalloc((void **)nullptr, 4));
  say("past the end", cudaMemcpy(p, &v, 8, cudaMemcpyHostToDevice));
  say("not a symbol", cudaMemcpyToSymbol(unknown, &v, 4));
  say("symbol too small", cudaMemcpyToSymbol(constant, &v, 4, 16));
  say("free of what is not ours", cudaFree((char *)p + 4));
  say("too much memory", cudaMalloc((void **)&p, (size_t)1 << 40));
  cudaGetLastError();
  wild<<<1, 1>>>(p);
  say("launch", cudaGetLastError());
  say("synchronise", cudaDeviceSynchronize());
  say("sticky", cudaMalloc((void **)&p, 4));
  say("last", cudaGetLastError());
  say("last again", cudaGetLastError());
  say("reset", cudaDeviceReset());
  say("new", cudaMalloc(&p, 4));
  fine<<<1, 1>>>(p);
  say("copy", cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", v);
  return 0;
}
