// Temperatures of a chip whose parts heat it and its case cools it: two time steps a launch, in a tile in shared memory.
//
// A step needs the four neighbours, so a tile of 16 x 16 cells gives 14 x 14 new ones, and 12 x 12 after two steps: blocks
// overlap, and cells near the rim are computed twice. In return the grid travels from and to memory once for two steps and the
// host launches half as often (compare with stencil, which does neither). More steps in one launch save more traffic and waste
// more threads: try STEPS 1 and 4 (a launch then needs a block for every 14 x 14 or 8 x 8 cells).
constexpr int TILE = 16, STEPS = 2, INSIDE = TILE - 2 * STEPS;
constexpr float AMBIENT = 80.0f;

extern "C" __global__ void hotspot(const float *power, const float *in, float *out, int width, int height, float spread, float cooling) {
  __shared__ float tile[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * INSIDE + tx - STEPS, y = blockIdx.y * INSIDE + ty - STEPS;
  bool on_chip = x >= 0 && x < width && y >= 0 && y < height;
  float here = 0.0f, heat = 0.0f;
  if (on_chip) here = in[y * width + x], heat = power[y * width + x];
#pragma unroll
  for (int step = 1; step <= STEPS; step++) {
    tile[ty][tx] = here;
    __syncthreads();
    if (on_chip && tx >= step && tx < TILE - step && ty >= step && ty < TILE - step) {
      // Nothing flows over the chip's edge: a neighbour beyond it counts as equally warm.
      float west = x > 0 ? tile[ty][tx - 1] : here, east = x < width - 1 ? tile[ty][tx + 1] : here;
      float north = y > 0 ? tile[ty - 1][tx] : here, south = y < height - 1 ? tile[ty + 1][tx] : here;
      float flow = fmaf(-4.0f, here, (west + east) + (north + south));
      here = fmaf(spread, flow, fmaf(cooling, AMBIENT - here, here + heat));
    }
    __syncthreads();
  }
  if (on_chip && tx >= STEPS && tx < TILE - STEPS && ty >= STEPS && ty < TILE - STEPS) out[y * width + x] = here;
}
