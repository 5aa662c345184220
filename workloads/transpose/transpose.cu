// Matrix transposition in three ways: what the way to memory costs.
//
// transpose_naive writes a column: the 32 stores of a warp fall into 32 different memory segments.
// transpose_tiled goes through shared memory, so that both reads and writes of global memory are contiguous, but reads
// its tile by columns: 32 lanes meet in one bank.
// transpose_padded gives each row of the tile one word more, which puts a column's words into 32 different banks.
//
// Blocks are 32 by 8 threads and each thread moves four elements; the matrix is `width` by `height`, multiples of 32.
constexpr int TILE = 32, ROWS = 8;

extern "C" __global__ void transpose_naive(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[x * height + y + j] = in[(y + j) * width + x];
}

template <int PITCH>
__device__ __forceinline__ void through_shared(float (*tile)[PITCH], const float *in, float *out, int width, int height) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_tiled(const float *in, float *out, int width, int height) {
  __shared__ float tile[TILE][TILE];
  through_shared(tile, in, out, width, height);
}

extern "C" __global__ void transpose_padded(const float *in, float *out, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  through_shared(tile, in, out, width, height);
}
