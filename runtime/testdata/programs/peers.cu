// Two devices, the first of which reads, writes and counts in the memory of the second; and what the calls about peers say.
#include <cstdio>
#include <cuda.h>

const int n = 1 << 18;

__global__ void twice(const int *from, int *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = 2 * from[i];
}
__global__ void count(int *sum, const int *from) { atomicAdd(sum, from[blockIdx.x * blockDim.x + threadIdx.x] >> 2 & 1); }
__global__ void mixed(int *p, int *q) { // even lanes here, odd lanes there
  int *mine = threadIdx.x % 2 ? q : p;
  mine[threadIdx.x] += 100;
}

static float elapsed(void (*launch)(const int *, int *), const int *from, int *to) {
  cudaEvent_t start, stop;
  float ms = 0;
  cudaEventCreate(&start), cudaEventCreate(&stop);
  cudaEventRecord(start);
  launch(from, to);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  cudaEventElapsedTime(&ms, start, stop);
  return ms;
}
static void by_kernel(const int *from, int *to) { twice<<<n / 256, 256>>>(from, to); }
static void by_copy(const int *from, int *to) { cudaMemcpyPeerAsync(to, 0, from, 1, n * sizeof(int), 0); }

static int host[n];

int main() {
  int can[3], access = 7, rank = 7, *here, *more, *there, *sum;
  cudaDeviceCanAccessPeer(&can[0], 0, 1), cudaDeviceCanAccessPeer(&can[1], 1, 0), cudaDeviceCanAccessPeer(&can[2], 0, 0);
  printf("can %d %d, itself %d, device 9: %d\n", can[0], can[1], can[2], cudaDeviceCanAccessPeer(&can[0], 0, 9));
  cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, 0, 1);
  printf("attribute %d, rank %d %d\n", access, cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, 1), rank);
  printf("not enabled: %d\n", cudaDeviceDisablePeerAccess(1));
  printf("itself %d, device 9 %d, flags %d\n", cudaDeviceEnablePeerAccess(0, 0), cudaDeviceEnablePeerAccess(9, 0), cudaDeviceEnablePeerAccess(1, 1));
  cudaError_t enabled = cudaDeviceEnablePeerAccess(1, 0);
  printf("enabled: %d %s\n", enabled, cudaGetErrorName(cudaGetLastError()));
  if (enabled != cudaSuccess) return 0;
  printf("again: %d\n", cudaDeviceEnablePeerAccess(1, 0));

  cudaMalloc(&here, n * sizeof(int)), cudaMalloc(&more, n * sizeof(int));
  cudaSetDevice(1);
  cudaMalloc(&there, n * sizeof(int)), cudaMalloc(&sum, sizeof(int));
  for (int i = 0; i < n; i++) host[i] = i;
  cudaMemcpy(there, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(sum, 0, sizeof(int));
  cudaDeviceSynchronize();

  cudaSetDevice(0);
  float remote = elapsed(by_kernel, there, here), local = elapsed(by_kernel, here, more);
  cudaMemcpy(host, more, sizeof host, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += host[i] != 4 * i;
  by_kernel(here, there); // and written there
  count<<<n / 256, 256>>>(sum, there);
  mixed<<<1, 32>>>(here, there);
  cudaDeviceSynchronize();
  int total = -1, first[2], second[2];
  cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDefault);
  cudaMemcpy(first, here, sizeof first, cudaMemcpyDefault), cudaMemcpy(second, there, sizeof second, cudaMemcpyDefault);
  printf("%d wrong, %d odd, lanes %d %d %d %d\n", wrong, total, first[0], first[1], second[0], second[1]);
  float copied = elapsed(by_copy, there, here);
  printf("times told: %d, slower there: %d, as fast as a copy: %d\n", remote > 0 && local > 0, remote > 3 * local, remote > copied * 0.9 && remote < copied * 1.3);

  // The second has not asked for the first's memory, and gives its own back while the first reads it.
  by_kernel(there, here);
  cudaSetDevice(1);
  printf("freed: %s\n", cudaGetErrorName(cudaFree(there)));
  by_kernel(here, sum);
  printf("one way alone: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  cudaSetDevice(0);
  printf("first is well: %s, reset took the second away: %d\n", cudaGetErrorName(cudaDeviceSynchronize()), cudaDeviceDisablePeerAccess(1));

  // The driver API's, by contexts.
  CUcontext context[2];
  CUdeviceptr p;
  cuInit(0);
  for (int d = 1; d >= 0; d--) cuDevicePrimaryCtxRetain(&context[d], d), cuCtxSetCurrent(context[d]), cuMemAlloc(&p, 4);
  printf("context's own %d, none %d, flags %d", cuCtxEnablePeerAccess(context[0], 0), cuCtxEnablePeerAccess(nullptr, 0), cuCtxEnablePeerAccess(context[1], 1));
  printf(", not enabled %d, enabled %d", cuCtxDisablePeerAccess(context[1]), cuCtxEnablePeerAccess(context[1], 0));
  printf(", again %d, disabled %d\n", cuCtxEnablePeerAccess(context[1], 0), cuCtxDisablePeerAccess(context[1]));
  return 0;
}
