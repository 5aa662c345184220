// Words 96 apart conflict in banks of four bytes (their rows of 64 words differ) and not in banks of eight. A kernel's own choice, by either API, goes before the device's.
#include <cstdio>
#include <cuda.h>

__global__ void walk(long long *cycles) {
  __shared__ volatile int s[128];
  int at = threadIdx.x < 16 ? threadIdx.x : threadIdx.x + 80;
  long long begin = clock64();
  for (int i = 0; i < 64; i++) s[at] += i;
  if (threadIdx.x == 0) *cycles = clock64() - begin;
}

static long long *device;
static long long timed() {
  long long cycles;
  walk<<<1, 32>>>(device);
  cudaMemcpy(&cycles, device, sizeof cycles, cudaMemcpyDeviceToHost);
  return cycles;
}

int main() {
  cudaMalloc(&device, sizeof *device);
  CUfunction function;
  cudaGetFuncBySymbol(&function, walk);
  cudaFuncSetSharedMemConfig(walk, cudaSharedMemBankSizeFourByte);
  timed(); // the instructions are in the cache from now on
  long long four = timed();
  cudaFuncSetSharedMemConfig(walk, cudaSharedMemBankSizeEightByte);
  long long eight = timed();
  printf("eight is faster %d", eight < four);
  cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  printf(", driver: four %d", timed() == four);
  cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  printf(" eight %d", timed() == eight);
  cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
  cudaFuncSetSharedMemConfig(walk, cudaSharedMemBankSizeFourByte);
  printf(", device: four %d", timed() == four);
  cudaFuncSetSharedMemConfig(walk, cudaSharedMemBankSizeDefault);
  printf(" eight %d\n", timed() == eight);
}
