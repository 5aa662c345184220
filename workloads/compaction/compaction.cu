// Stream compaction: keep the elements below a limit, in their order, without gaps, in three launches.
//
// count_kept counts each block's elements in the one barrier of __syncthreads_count. scan_counts turns the counts into the place where
// each block's elements begin, with shuffles: a lane adds what stood 1, 2, 4, 8 and 16 lanes before it. write_kept lets
// each warp vote (__ballot): the bits below a lane's own, counted by __popc, say how many of its warp come before it. The order
// of blocks does not matter to the result, as it would if each block took its place by an atomic addition.
__device__ __forceinline__ unsigned int lane() { return threadIdx.x % warpSize; }
__device__ __forceinline__ unsigned int warp() { return threadIdx.x / warpSize; }

extern "C" __global__ void count_kept(const unsigned int *in, unsigned int *counts, unsigned int n, unsigned int limit) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int kept = __syncthreads_count(i < n && in[i] < limit);
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

__device__ __forceinline__ unsigned int sum_up_to_lane(unsigned int v) {
  for (unsigned int distance = 1; distance < warpSize; distance *= 2) {
    unsigned int before = __shfl_up(v, distance);
    if (lane() >= distance) v += before;
  }
  return v;
}

// One block, with a thread for each count.
extern "C" __global__ void scan_counts(const unsigned int *counts, unsigned int *starts, unsigned int *total) {
  __shared__ unsigned int warps[32];
  unsigned int count = counts[threadIdx.x], sum = sum_up_to_lane(count);
  if (lane() == warpSize - 1) warps[warp()] = sum;
  __syncthreads();
  if (warp() == 0) warps[lane()] = sum_up_to_lane(lane() < blockDim.x / warpSize ? warps[lane()] : 0);
  __syncthreads();
  if (warp() > 0) sum += warps[warp() - 1];
  starts[threadIdx.x] = sum - count;
  if (threadIdx.x == blockDim.x - 1) *total = sum;
}

extern "C" __global__ void write_kept(const unsigned int *in, const unsigned int *starts, unsigned int *out, unsigned int n,
                                      unsigned int limit) {
  __shared__ unsigned int warps[32];
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, value = i < n ? in[i] : limit;
  bool keep = value < limit;
  unsigned int votes = __ballot(keep), place = __popc(votes & ((1u << lane()) - 1));
  if (lane() == 0) warps[warp()] = __popc(votes);
  __syncthreads();
  for (unsigned int w = 0; w < warp(); w++) place += warps[w];
  if (keep) out[starts[blockIdx.x] + place] = value;
}
