// Bitonic sort: a network of compare-and-exchange steps, the same for all data.
//
// Pairs that lie less than a block's part apart are sorted in shared memory, all steps in one launch
// (bitonic_block for the start, bitonic_merge for the end of each larger stage); pairs farther apart take a launch a step
// in global memory (bitonic_step). A block is 512 threads and holds 1024 keys.
constexpr unsigned int KEYS = 1024;

__device__ __forceinline__ void exchange(unsigned int &a, unsigned int &b, bool ascending) {
  if ((a > b) == ascending) {
    unsigned int t = a;
    a = b, b = t;
  }
}

// One step between keys `distance` apart in shared memory; `base` is the place of the block's first key in the array.
__device__ __forceinline__ void shared_step(unsigned int *keys, unsigned int base, unsigned int stage, unsigned int distance) {
  unsigned int t = threadIdx.x, low = 2 * t - (t & (distance - 1));
  exchange(keys[low], keys[low + distance], ((base + low) & stage) == 0);
  __syncthreads();
}

extern "C" __global__ void bitonic_block(unsigned int *data) {
  __shared__ unsigned int keys[KEYS];
  unsigned int base = blockIdx.x * KEYS, t = threadIdx.x;
  keys[t] = data[base + t], keys[t + KEYS / 2] = data[base + t + KEYS / 2];
  __syncthreads();
  for (unsigned int stage = 2; stage <= KEYS; stage *= 2)
    for (unsigned int distance = stage / 2; distance > 0; distance /= 2) shared_step(keys, base, stage, distance);
  data[base + t] = keys[t], data[base + t + KEYS / 2] = keys[t + KEYS / 2];
}

extern "C" __global__ void bitonic_step(unsigned int *data, unsigned int stage, unsigned int distance) {
  unsigned int t = blockIdx.x * blockDim.x + threadIdx.x, low = 2 * t - (t & (distance - 1));
  unsigned int a = data[low], b = data[low + distance];
  exchange(a, b, (low & stage) == 0);
  data[low] = a, data[low + distance] = b;
}

extern "C" __global__ void bitonic_merge(unsigned int *data, unsigned int stage) {
  __shared__ unsigned int keys[KEYS];
  unsigned int base = blockIdx.x * KEYS, t = threadIdx.x;
  keys[t] = data[base + t], keys[t + KEYS / 2] = data[base + t + KEYS / 2];
  __syncthreads();
  for (unsigned int distance = KEYS / 2; distance > 0; distance /= 2) shared_step(keys, base, stage, distance);
  data[base + t] = keys[t], data[base + t + KEYS / 2] = keys[t + KEYS / 2];
}
