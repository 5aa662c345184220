// C = A B by tiles of the block's size in shared memory: two barriers a tile, the inner loop fully unrolled. TILE is the
// block's edge: 8, 16 or 32. The row of A is read four elements at a time, as the measured kernels do: their shared load
// transactions for a tile are TILE for B and two for each four elements of A.
extern "C" __global__ void matMul_gpu_sharedmem(float *A, float *B, float *C, int n) {
  __shared__ float4 tileA[TILE][TILE / 4];
  __shared__ float tileB[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y;
  int col = blockIdx.x * TILE + x;
  float acc = 0.0f;
  for (int tile = 0; tile < n / TILE; tile++) {
    ((float *)tileA[y])[x] = A[row * n + tile * TILE + x];
    tileB[y][x] = B[(tile * TILE + y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += 4) {
      float4 a = tileA[y][k / 4];
      acc += a.x * tileB[k][x];
      acc += a.y * tileB[k + 1][x];
      acc += a.z * tileB[k + 2][x];
      acc += a.w * tileB[k + 3][x];
    }
    __syncthreads();
  }
  C[row * n + col] = acc;
}
