// Sum of an array with warp shuffles, Kepler's new way for lanes to read each other's registers.
//
// Five shuffles add up a warp without shared memory and without a barrier; one word of shared memory a warp joins the
// block's warps. Compare the number of barriers and of shared-memory accesses with reduction-shared.
__device__ __forceinline__ unsigned int warp_sum(unsigned int v) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2) v += __shfl_down(v, distance);
  return v;
}

extern "C" __global__ void reduce_shuffle(const unsigned int *in, unsigned int *out, unsigned int n) {
  __shared__ unsigned int warps[32];
  unsigned int sum = 0;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = warp_sum(sum);
  unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = warp_sum(lane < blockDim.x / warpSize ? warps[lane] : 0);
  if (lane == 0) atomicAdd(out, sum);
}
