// Heat on a chip: a five-point stencil with sources, tiles with a halo in shared memory, edges that keep their heat.
#include <cuda_runtime.h>

const int TILE = 16;

struct Parameters {
  float step, rx, ry, rz, ambient;
};

__global__ void hotspot(const float *heat, const float *power, float *next, int rows, int columns, Parameters p) {
  __shared__ float tile[TILE + 2][TILE + 2];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  int i = threadIdx.y + 1, j = threadIdx.x + 1;
  auto at = [=](int y, int x) { return heat[min(max(y, 0), rows - 1) * columns + min(max(x, 0), columns - 1)]; };
  tile[i][j] = at(y, x);
  if (i == 1) tile[0][j] = at(y - 1, x);
  if (i == TILE) tile[i + 1][j] = at(y + 1, x);
  if (j == 1) tile[i][0] = at(y, x - 1);
  if (j == TILE) tile[i][j + 1] = at(y, x + 1);
  __syncthreads();
  if (y >= rows || x >= columns) return;
  float c = tile[i][j];
  float flow = power[y * columns + x] + (tile[i - 1][j] + tile[i + 1][j] - 2.0 * c) / p.ry + (tile[i][j - 1] + tile[i][j + 1] - 2.0 * c) / p.rx +
               (p.ambient - c) / p.rz;
  next[y * columns + x] = c + p.step * flow;
}
