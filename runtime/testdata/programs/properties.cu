// Properties and occupancy, as the device's configuration says.
#include <cstdio>

__global__ void square(int *a, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) a[i] *= a[i];
}

int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  printf("%d multiprocessors of %d threads, warps of %d, compute capability %d.%d, %d kHz\n", p.multiProcessorCount, p.maxThreadsPerMultiProcessor, p.warpSize,
         p.major, p.minor, p.clockRate);
  printf("%zu bytes of shared memory, %d registers\n", p.sharedMemPerBlock, p.regsPerBlock);
  int blocks, grid, block;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 32, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, square);
  printf("%d blocks of 32, best %d by %d\n", blocks, block, grid);
  return 0;
}
