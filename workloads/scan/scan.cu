// Inclusive prefix sum (scan) of an array in three launches.
//
// scan_blocks scans each block's part in shared memory: at step d every thread adds its neighbour 2^d places to the left
// (Hillis and Steele: log n steps, n log n additions). It also stores each block's total. The same kernel scans the
// totals with one block, and add_offsets adds to each block what came before it.
extern "C" __global__ void scan_blocks(const unsigned int *in, unsigned int *out, unsigned int *totals) {
  extern __shared__ unsigned int sums[];
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  sums[t] = in[i];
  __syncthreads();
  for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
    unsigned int left = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += left;
    __syncthreads();
  }
  out[i] = sums[t];
  if (t == blockDim.x - 1) totals[blockIdx.x] = sums[t];
}

extern "C" __global__ void add_offsets(unsigned int *out, const unsigned int *totals) {
  if (blockIdx.x > 0) out[blockIdx.x * blockDim.x + threadIdx.x] += totals[blockIdx.x - 1];
}
