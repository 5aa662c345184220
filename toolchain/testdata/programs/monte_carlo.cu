// Pi by throwing darts: every thread has its own generator, warps vote, one lane of each adds up.
#include <cuda_runtime.h>

struct Xorshift {
  unsigned int state;
  __device__ explicit Xorshift(unsigned int seed) : state(seed * 2654435761u | 1u) {}
  __device__ unsigned int operator()() {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
  }
};

__global__ void darts(unsigned long long *hits, int throws, unsigned int seed) {
  Xorshift next(seed + blockIdx.x * blockDim.x + threadIdx.x);
  unsigned int count = 0;
  for (int i = 0; i < throws; i++) {
    unsigned int x = next() >> 12, y = next() >> 12;
    bool hit = (unsigned long long)x * x + (unsigned long long)y * y < 1ull << 40;
    count += __popc(__ballot_sync(0xffffffffu, hit));
  }
  if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(hits, (unsigned long long)count);
}
