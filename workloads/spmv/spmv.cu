// Sparse matrix times vector, y = A x, with A in compressed sparse rows, in two ways.
//
// spmv_scalar gives a row to a thread: lanes walk through rows of different lengths, so a warp takes as long as its
// longest row, and their loads are scattered. spmv_vector gives a row to a warp: contiguous loads, idle lanes in short
// rows, and five shuffles to add up; no row here takes its warp more than two steps, so that its loop is not worth
// unrolling. x is read through the read-only cache on GK110.
extern "C" __global__ void spmv_scalar(const unsigned int *rowStart, const unsigned int *column, const float *value,
                                       const float *x, float *y, unsigned int rows) {
  unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (unsigned int i = rowStart[row]; i < rowStart[row + 1]; i++) sum = fmaf(value[i], __ldg(&x[column[i]]), sum);
  y[row] = sum;
}

extern "C" __global__ void spmv_vector(const unsigned int *rowStart, const unsigned int *column, const float *value,
                                       const float *x, float *y, unsigned int rows) {
  unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned int i = rowStart[row] + lane; i < rowStart[row + 1]; i += warpSize)
    sum = fmaf(value[i], __ldg(&x[column[i]]), sum);
  for (int distance = warpSize / 2; distance > 0; distance /= 2) sum += __shfl_down(sum, distance);
  if (lane == 0) y[row] = sum;
}
