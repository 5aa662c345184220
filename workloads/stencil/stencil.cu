// Five-point stencil: one Jacobi step of the heat equation on a grid with a fixed border.
//
// Neighbouring threads read overlapping values, so most loads can be answered by a cache. `const` and `__restrict__`
// promise that nobody writes the input, and the compiler then reads it through the read-only cache of GK110
// (ld.global.nc). GK104 has no such instruction: stencil.sm_30.ptx reads with plain loads.
extern "C" __global__ void stencil5(const float *__restrict__ in, float *__restrict__ out, int width, int height, float k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  float centre = in[i];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    float around = (in[i - 1] + in[i + 1]) + (in[i - width] + in[i + width]);
    centre = fmaf(k, fmaf(-4.0f, centre, around), centre);
  }
  out[i] = centre;
}
