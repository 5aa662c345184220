// Sum of an array through a tree in shared memory, in two launches of one kernel.
//
// Each thread first adds up elements that lie a whole grid apart, so that a warp's loads stay contiguous. Then the
// block halves the number of partial sums at every step: first warps fall idle, in the last five steps lanes of one
// warp. The order of the additions is fixed, so the sum is the same to the bit on every GPU.
extern "C" __global__ void reduce_shared(const float *in, float *out, unsigned int n) {
  extern __shared__ float partial[];
  float sum = 0.0f;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
