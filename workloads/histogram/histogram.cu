// Histogram of bytes with atomic additions, to global memory and to shared memory.
//
// histogram_global sends one atomic operation a byte to L2, where those that meet on one bin wait for each other.
// histogram_shared counts in a private histogram of the block first. Kepler has no shared-memory atomic instruction of
// its own: it locks a word, adds and unlocks, and lanes that collide take turns.
// Each thread reads four bytes at once.
extern "C" __global__ void histogram_global(const unsigned int *data, unsigned int *bins, unsigned int words) {
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    unsigned int four = data[i];
    for (int b = 0; b < 4; b++, four >>= 8) atomicAdd(&bins[four & 255], 1u);
  }
}

extern "C" __global__ void histogram_shared(const unsigned int *data, unsigned int *bins, unsigned int words) {
  __shared__ unsigned int counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    unsigned int four = data[i];
    for (int b = 0; b < 4; b++, four >>= 8) atomicAdd(&counts[four & 255], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
