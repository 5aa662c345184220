// Separable convolution: a filter of 17 taps over an image, along the rows in one launch and along the columns in the next.
//
// A filter of 17 x 17 that is a product of two needs 34 multiplications a pixel instead of 289. The taps are __constant__:
// all lanes want the same one at the same time, which the constant cache answers as fast as a register. A block first
// copies its part of the image, with the 8 pixels around it that the filter reaches (the halo), to shared memory, where each
// pixel is read 17 times. Along the columns a thread computes four pixels, so that the halo is a smaller part of the tile.
constexpr int RADIUS = 8, TAPS = 2 * RADIUS + 1;
constexpr int ROW_WIDTH = 64, ROWS = 4;                          // convolve_rows: threads and pixels of a block
constexpr int COLUMNS = 32, STEP = 8, RESULTS = 4, HEIGHT = STEP * RESULTS; // convolve_columns: 32 x 8 threads, 32 x 32 pixels

// A Gaussian bell, three pixels wide at its deviation.
__constant__ float taps[TAPS] = {0.0038f, 0.0088f, 0.0181f, 0.0333f, 0.0549f, 0.0810f, 0.1070f, 0.1263f, 0.1336f,
                                 0.1263f, 0.1070f, 0.0810f, 0.0549f, 0.0333f, 0.0181f, 0.0088f, 0.0038f};

// Beyond the border the image goes on with its outermost pixel.
__device__ __forceinline__ int inside(int i, int size) { return min(max(i, 0), size - 1); }

extern "C" __global__ void convolve_rows(const float *in, float *out, int width, int height) {
  __shared__ float tile[ROWS][ROW_WIDTH + 2 * RADIUS];
  int x = blockIdx.x * ROW_WIDTH + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  const float *row = in + inside(y, height) * width;
  for (int i = threadIdx.x; i < ROW_WIDTH + 2 * RADIUS; i += ROW_WIDTH)
    tile[threadIdx.y][i] = row[inside(x - (int)threadIdx.x + i - RADIUS, width)];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < TAPS; i++) sum = fmaf(taps[i], tile[threadIdx.y][threadIdx.x + i], sum);
  if (x < width && y < height) out[y * width + x] = sum;
}

extern "C" __global__ void convolve_columns(const float *in, float *out, int width, int height) {
  __shared__ float tile[HEIGHT + 2 * RADIUS][COLUMNS];
  int x = blockIdx.x * COLUMNS + threadIdx.x, top = blockIdx.y * HEIGHT;
  for (int i = threadIdx.y; i < HEIGHT + 2 * RADIUS; i += STEP)
    tile[i][threadIdx.x] = in[inside(top + i - RADIUS, height) * width + inside(x, width)];
  __syncthreads();
  for (int y = threadIdx.y; y < HEIGHT; y += STEP) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < TAPS; i++) sum = fmaf(taps[i], tile[y + i][threadIdx.x], sum);
    if (x < width && top + y < height) out[(top + y) * width + x] = sum;
  }
}
