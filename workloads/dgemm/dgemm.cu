// Matrix product C = alpha A B + beta C in double precision, through 16 by 16 tiles in shared memory.
//
// The same plan as sgemm-tiled with 64-bit words. GK110 has one double-precision unit for three single-precision ones,
// GK104 one for 24: on which of them does this kernel wait for arithmetic, and on which for memory? The steps along k
// stay a loop here too.
constexpr int TILE = 16;

extern "C" __global__ void dgemm(const double *a, const double *b, double *c, int n, int k, double alpha, double beta) {
  __shared__ double tileA[TILE][TILE];
  __shared__ double tileB[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  double sum = 0.0;
#pragma unroll 1
  for (int t = 0; t < k; t += TILE) {
    tileA[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) sum = fma(tileA[threadIdx.y][i], tileB[i][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * n + column] = fma(alpha, sum, beta * c[row * n + column]);
}
