// Matrix product C = A B in single precision through 16 by 16 tiles in shared memory.
//
// A block computes one tile of C. For each step along k it copies one tile of A and one of B to shared memory, waits
// for all its threads at a barrier, and then each thread multiplies a row of the one by a column of the other: every
// value fetched from global memory serves sixteen times. All three sides must be multiples of 16. The steps along k stay
// a loop: there is a barrier on both sides of a step, so copies of it would overlap little, and a compiler that makes four
// takes twice the registers, more than a thread of Kepler has before they cost warps.
constexpr int TILE = 16;

extern "C" __global__ void sgemm_tiled(const float *a, const float *b, float *c, int n, int k) {
  __shared__ float tileA[TILE][TILE];
  __shared__ float tileB[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int t = 0; t < k; t += TILE) {
    tileA[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) sum = fmaf(tileA[threadIdx.y][i], tileB[i][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}
