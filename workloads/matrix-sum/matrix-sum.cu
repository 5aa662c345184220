// Sum of two matrices, with lanes along the rows and with lanes down the columns: what coalescing is worth.
//
// The two kernels differ in one line and compute the same. In sum_rows the 32 lanes of a warp touch neighbouring words: one
// 128-byte line an access. In sum_columns they touch 32 lines, of which each access uses 4 bytes; the load/store unit
// replays the instruction for every line, and L2 moves 32-byte sectors of which only an eighth is asked for.
// Look at the column "each" and the efficiency in the report's table of memory.
extern "C" __global__ void sum_rows(const float *a, const float *b, float *c, int width, int height) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) c[row * width + column] = a[row * width + column] + b[row * width + column];
}

extern "C" __global__ void sum_columns(const float *a, const float *b, float *c, int width, int height) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) c[row * width + column] = a[row * width + column] + b[row * width + column];
}
