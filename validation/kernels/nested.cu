// Sums of blocks of integers: by one kernel, and by kernels that launch themselves for half as many threads. Written after their descriptions in
// Professional CUDA C Programming (2014), chapter 3.

// Each block sums its numbers in pairs of neighbours, then of neighbours of neighbours.
extern "C" __global__ void neighbored(int *data, int *out, unsigned n) {
  int *own = data + blockIdx.x * blockDim.x;
  if (blockIdx.x * blockDim.x + threadIdx.x >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    unsigned rest;
    asm("rem.u32 %0, %1, %2;" : "=r"(rest) : "r"(threadIdx.x), "r"(2 * stride)); // a division, as compilers made it until 2022
    if (rest == 0) own[threadIdx.x] += own[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = own[0];
}

// Each block adds the second half of its numbers to the first, and launches itself on that; it waits for it.
extern "C" __global__ void recursive(int *data, int *out, unsigned size) {
  int *own = data + blockIdx.x * blockDim.x, *to = &out[blockIdx.x];
  if (size == 2 && threadIdx.x == 0) {
    to[0] = own[0] + own[1];
    return;
  }
  int half = size >> 1;
  if (half > 1 && threadIdx.x < half) {
    own[threadIdx.x] += own[threadIdx.x + half];
    __syncthreads();
    if (threadIdx.x == 0) {
      recursive<<<1, half>>>(own, to, half);
      cudaDeviceSynchronize();
    }
    __syncthreads();
  }
}

// The same, and no block waits.
extern "C" __global__ void without_waits(int *data, int *out, unsigned size) {
  int *own = data + blockIdx.x * blockDim.x, *to = &out[blockIdx.x];
  if (size == 2 && threadIdx.x == 0) {
    to[0] = own[0] + own[1];
    return;
  }
  int half = size >> 1;
  if (half > 1 && threadIdx.x < half) {
    own[threadIdx.x] += own[threadIdx.x + half];
    if (threadIdx.x == 0) without_waits<<<1, half>>>(own, to, half);
  }
}

// One thread launches the next step for all blocks.
extern "C" __global__ void by_one(int *data, int *out, int half, int size) {
  int *own = data + blockIdx.x * size;
  if (half == 1 && threadIdx.x == 0) {
    out[blockIdx.x] = own[0] + own[1];
    return;
  }
  own[threadIdx.x] += own[threadIdx.x + half];
  if (threadIdx.x == 0 && blockIdx.x == 0) by_one<<<gridDim.x, half / 2>>>(data, out, half / 2, size);
}
