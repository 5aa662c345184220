// S = A + B, row-major n by n matrices, in a two-dimensional grid.
extern "C" __global__ void matrix_sum_coalesced(float *A, float *B, float *S, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int i = row * n + col;
  if (i < n * n) S[i] = A[i] + B[i];
}
