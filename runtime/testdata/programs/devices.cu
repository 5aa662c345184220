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
  return wrong != 0;
}
