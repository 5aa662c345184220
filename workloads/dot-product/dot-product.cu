// Dot product of two vectors in one launch: a loop over the grid, a tree in shared memory, one atomic addition a block.
//
// A fixed number of blocks walks over vectors of any length (the grid-stride loop): neighbouring threads read neighbouring
// words in every turn, and each thread has added up many products before threads need to meet. The tree halves the number of
// adding threads with every barrier; the last sum of each block goes to memory by atomicAdd, so no second launch is needed.
// The numbers are whole, because blocks end in any order and sums of floats depend on it: with float the last bits could
// change from run to run. 64 bits hold the sum, for which Kepler needs two additions with a carry.
constexpr int BLOCK = 256;

extern "C" __global__ void dot_product(const int *a, const int *b, unsigned long long *result, unsigned int n) {
  __shared__ long long sums[BLOCK];
  long long sum = 0;
  for (unsigned int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += (long long)a[i] * b[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, (unsigned long long)sums[0]);
}
