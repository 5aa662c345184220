// The Mandelbrot set by Mariani's and Silver's subdivision: a square whose border has one colour has it inside as well.
//
// A block walks the border of its square. If all of it took the same number of repetitions, a kernel fills the square; if the square is small, a kernel
// computes its pixels; else the kernel launches itself for the four quarters. Fewer pixels are computed than by mariani-silver-flat.yaml, which
// computes all; whether that is faster depends on what a pixel costs and on what a launch costs.
__device__ unsigned int repetitions(int px, int py, float left, float top, float step, unsigned int limit) {
  float cx = fmaf((float)px, step, left), cy = fmaf((float)py, -step, top);
  float x = 0.0f, y = 0.0f;
  unsigned int n = 0;
  while (n < limit) {
    float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y); // rounded apart, so that any GPU gives the same
    if (xx + yy > 4.0f) break;
    y = fmaf(x + x, y, cy);
    x = (xx - yy) + cx;
    n++;
  }
  return n;
}

extern "C" __global__ void fill(unsigned int *out, int width, int x0, int y0, int side, unsigned int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < side * side) out[(y0 + i / side) * width + x0 + i % side] = value;
}

extern "C" __global__ void pixels(unsigned int *out, int width, int x0, int y0, int side, float left, float top, float step, unsigned int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= side * side) return;
  int px = x0 + i % side, py = y0 + i / side;
  out[py * width + px] = repetitions(px, py, left, top, step, limit);
}

extern "C" __global__ void subdivide(unsigned int *out, int width, int x, int y, int side, float left, float top, float step, unsigned int limit) {
  __shared__ unsigned int least, most;
  int x0 = x + blockIdx.x * side, y0 = y + blockIdx.y * side;
  if (threadIdx.x == 0) least = ~0u, most = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * side; i += blockDim.x) {
    int along = i % side;
    int px = i < 2 * side ? x0 + along : i < 3 * side ? x0 : x0 + side - 1;
    int py = i < side ? y0 : i < 2 * side ? y0 + side - 1 : y0 + along;
    unsigned int n = repetitions(px, py, left, top, step, limit);
    atomicMin(&least, n);
    atomicMax(&most, n);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (least == most)
    fill<<<(side * side + 127) / 128, 128>>>(out, width, x0, y0, side, least);
  else if (side <= 16)
    pixels<<<(side * side + 127) / 128, 128>>>(out, width, x0, y0, side, left, top, step, limit);
  else
    subdivide<<<dim3(2, 2), 64>>>(out, width, x0, y0, side / 2, left, top, step, limit);
}
