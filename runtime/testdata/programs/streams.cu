// 32 streams, each with copies and kernels of its own, and events between them.
#include <cstdio>
#include <cstdlib>

__global__ void scale(int *p, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = p[i] * by + 1;
}

int main() {
  const int streams = 32, n = 1024;
  cudaStream_t s[streams];
  cudaEvent_t done[streams];
  int *host, *device;
  if (cudaMallocHost(&host, streams * n * sizeof(int)) != cudaSuccess) return 1;
  cudaMalloc(&device, streams * n * sizeof(int));
  for (int i = 0; i < streams * n; i++) host[i] = i;
  for (int k = 0; k < streams; k++) {
    cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming);
    cudaMemcpyAsync(device + k * n, host + k * n, n * sizeof(int), cudaMemcpyHostToDevice, s[k]);
    scale<<<n / 256, 256, 0, s[k]>>>(device + k * n, n, k);
    cudaEventRecord(done[k], s[k]);
    if (k > 0) { // what the one before has done, once more
      cudaStreamWaitEvent(s[k], done[k - 1], 0);
      scale<<<n / 256, 256, 0, s[k]>>>(device + (k - 1) * n, n, 2);
    }
  }
  for (int k = 0; k < streams; k++) cudaStreamSynchronize(s[k]);
  cudaMemcpyAsync(host, device, streams * n * sizeof(int), cudaMemcpyDeviceToHost, s[0]);
  cudaStreamSynchronize(s[0]);
  int wrong = 0;
  for (int i = 0; i < streams * n; i++) {
    int k = i / n, want = i * k + 1;
    if (k < streams - 1) want = want * 2 + 1;
    wrong += host[i] != want;
  }
  for (int k = 0; k < streams; k++) cudaStreamDestroy(s[k]), cudaEventDestroy(done[k]);
  printf("%d wrong, %s, query of a stream that is gone: %s\n", wrong, cudaGetErrorString(cudaGetLastError()), cudaGetErrorName(cudaStreamQuery(s[0])));
  return wrong != 0;
}
