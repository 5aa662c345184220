// The discrete cosine transform of 8x8 blocks of a picture, as JPEG uses it: one thread an element, two products of
// matrices in shared memory.
#include <cuda_runtime.h>
#include <math_constants.h>

__global__ void dct8x8(const float *in, float *out, int width) {
  __shared__ float basis[8][9], block[8][9], half_way[8][9];
  int i = threadIdx.y, j = threadIdx.x, at = (blockIdx.y * 8 + i) * width + blockIdx.x * 8 + j;
  basis[i][j] = (i == 0 ? CUDART_SQRT_HALF_F : 1.0f) * 0.5f * cospif((2 * j + 1) * i / 16.0f);
  block[i][j] = in[at];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += basis[i][k] * block[k][j];
  half_way[i][j] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; k++) sum += half_way[i][k] * basis[j][k];
  out[at] = sum;
}
