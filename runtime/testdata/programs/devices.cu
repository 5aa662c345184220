// Two devices: each computes a half, and the halves are joined by a copy between them.
#include <cstdio>

__device__ int bias;
__global__ void square(int *p, int from) { p[threadIdx.x] = (from + threadIdx.x) * (from + threadIdx.x) + bias; }

int main() {
  int count = 0, *half[2], biases[2] = {1, 1000}, result[128];
  cudaGetDeviceCount(&count);
  for (int d = 0; d < 2; d++) {
    cudaSetDevice(d);
    cudaMalloc(&half[d], 128 * sizeof(int));
    cudaMemcpyToSymbol(bias, &biases[d], sizeof(int));
    square<<<1, 64>>>(half[d], 64 * d);
  }
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaMemcpyPeer(half[0] + 64, 0, half[1], 1, 32 * sizeof(int));
  cudaMemcpy3DPeerParms rest = {}; // four rows of eight
  rest.srcDevice = 1, rest.srcPtr = make_cudaPitchedPtr(half[1], 32, 32, 8), rest.srcPos = make_cudaPos(0, 4, 0);
  rest.dstDevice = 0, rest.dstPtr = make_cudaPitchedPtr(half[0], 32, 32, 16), rest.dstPos = make_cudaPos(0, 12, 0);
  rest.extent = make_cudaExtent(32, 4, 1);
  cudaMemcpy3DPeer(&rest);
  cudaMemcpy(result, half[0], sizeof result, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < 128; i++) wrong += result[i] != i * i + biases[i / 64];
  printf("%d devices, %d wrong, device 5: %s\n", count, wrong, cudaGetErrorName(cudaSetDevice(5)));

  // Streams and events of the second device while the first is the current one: all work but launches, and events of the other device.
  int *seventh, got = 0;
  cudaStream_t there;
  cudaEvent_t here, beside;
  cudaEventCreate(&here);
  cudaSetDevice(1);
  cudaStreamCreate(&there), cudaEventCreate(&beside), cudaMalloc(&seventh, 2 * sizeof(int));
  cudaSetDevice(0);
  cudaMemsetAsync(seventh, 0, sizeof(int), there);
  cudaError_t copied = cudaMemcpyAsync(seventh, half[0] + 7, sizeof(int), cudaMemcpyDefault, there);
  cudaError_t recorded = cudaEventRecord(beside, there), refused = cudaEventRecord(here, there);
  cudaError_t waited = cudaStreamWaitEvent(0, beside, 0), also = cudaStreamWaitEvent(there, beside, 0), done = cudaStreamSynchronize(there);
  square<<<1, 1, 0, there>>>(seventh, 0);
  cudaError_t launched = cudaGetLastError();
  cudaMemcpy(seventh + 1, seventh, sizeof(int), cudaMemcpyDefault), cudaMemcpy(&got, seventh + 1, sizeof got, cudaMemcpyDeviceToHost);
  printf("copied %d, recorded %d, refused %d, waited %d %d, done %d, asked %d, launched %d, got %d, destroyed %d\n", copied, recorded, refused, waited, also,
         done, cudaStreamQuery(there), launched, got, cudaStreamDestroy(there));
  return wrong != 0;
}
