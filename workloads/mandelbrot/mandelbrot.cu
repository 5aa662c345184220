// The Mandelbrot set: how often z = z^2 + c is repeated before |z| passes 2.
//
// No memory to speak of; the lesson is divergence. Pixels of one warp leave the loop at different times, and the warp goes
// on until its last lane is done. Watch warp execution efficiency along the border of the set.
extern "C" __global__ void mandelbrot(unsigned int *iterations, int width, int height, float left, float top, float step,
                                      unsigned int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = fmaf((float)px, step, left), cy = fmaf((float)py, -step, top);
  float x = 0.0f, y = 0.0f;
  unsigned int n = 0;
  while (n < limit) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = fmaf(x + x, y, cy);
    x = (xx - yy) + cx;
    n++;
  }
  iterations[py * width + px] = n;
}
