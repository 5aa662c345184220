// K-means, the step that takes all the time: find for each point of 8 coordinates the nearest of 8 cluster centres.
//
// Points are stored coordinate by coordinate, so that lanes read neighbouring words; a point stays in registers while the
// centres come from shared memory, where all lanes read the same word (a broadcast). The inner part is two arithmetic
// instructions for each word of shared memory: compare the load/store unit's use with that of the arithmetic.
// The host repeats the step until no point changes its cluster; __syncthreads_count counts a block's changes in one barrier.
constexpr int COORDINATES = 8, CENTRES = 8;

extern "C" __global__ void assign_clusters(const float *points, const float *centres, unsigned int *cluster, unsigned int *changes,
                                           int n) {
  __shared__ float centre[CENTRES][COORDINATES];
  if (threadIdx.x < CENTRES * COORDINATES) centre[0][threadIdx.x] = centres[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int nearest = 0;
  bool changed = false;
  if (i < n) {
    float point[COORDINATES], least = INFINITY;
    for (int d = 0; d < COORDINATES; d++) point[d] = points[d * n + i];
    for (int c = 0; c < CENTRES; c++) {
      float distance = 0.0f;
      for (int d = 0; d < COORDINATES; d++) {
        float difference = point[d] - centre[c][d];
        distance = fmaf(difference, difference, distance);
      }
      if (distance < least) least = distance, nearest = c;
    }
    changed = cluster[i] != nearest;
    cluster[i] = nearest;
  }
  int count = __syncthreads_count(changed);
  if (threadIdx.x == 0 && count > 0) atomicAdd(changes, (unsigned int)count);
}
