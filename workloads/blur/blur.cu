// Gaussian blur of a picture of bytes, 5 x 5 pixels with binomial weights: the same loads with and without a cache.
//
// Each pixel is read by 25 threads. On Kepler plain loads of global memory pass by L1 and ask L2 every time (--dlcm ca changes
// that on boards that allow it). __ldg promises that nobody writes the data, and GK110 then reads it through the read-only cache of
// the texture unit, 48 KB an SMX. GK104 has no such instruction: blur.sm_30.ptx reads with plain loads in both kernels.
template <bool READ_ONLY>
__device__ __forceinline__ unsigned int pixel(const unsigned char *p) {
  return READ_ONLY ? __ldg(p) : *p;
}

template <bool READ_ONLY>
__device__ __forceinline__ void blur(const unsigned char *in, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || x >= width - 2 || y < 2 || y >= height - 2) return; // the border stays black
  const int weight[5] = {1, 4, 6, 4, 1};
  unsigned int sum = 128; // a half, so that the division rounds
#pragma unroll
  for (int dy = 0; dy < 5; dy++) {
    const unsigned char *row = in + (y + dy - 2) * width + x - 2;
    unsigned int line = 0;
#pragma unroll
    for (int dx = 0; dx < 5; dx++) line += weight[dx] * pixel<READ_ONLY>(row + dx);
    sum += weight[dy] * line;
  }
  out[y * width + x] = sum / 256;
}

extern "C" __global__ void blur_plain(const unsigned char *in, unsigned char *out, int width, int height) {
  blur<false>(in, out, width, height);
}

extern "C" __global__ void blur_read_only(const unsigned char *in, unsigned char *out, int width, int height) {
  blur<true>(in, out, width, height);
}
