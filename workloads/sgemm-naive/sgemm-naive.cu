// Matrix product C = A B in single precision, one thread an element of C, nothing shared.
//
// Row-major matrices: A is m by k, B is k by n. A warp's 32 threads read one element of A all together and 32
// neighbours of B, for one multiply-add each: two loads an operation. sgemm-tiled does the same work with a sixteenth
// of the loads from global memory.
extern "C" __global__ void sgemm_naive(const float *a, const float *b, float *c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; i++) sum = fmaf(a[row * k + i], b[i * n + column], sum);
  c[row * n + column] = sum;
}
