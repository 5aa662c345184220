// Image rotation with textures and surfaces: one launch paints a picture, the next turns it around its centre.
//
// The texture unit does what the kernel does not: it turns a place between texels into the mean of the four around it,
// weighted in 256ths, and reads zero beyond the border, with no branch and no address in the code. Neighbouring threads
// read neighbouring texels on a slant, which the texture cache holds where loads of whole lines would waste most of each.
// Results go to a surface, whose first coordinate counts bytes.
extern "C" __global__ void paint(cudaSurfaceObject_t picture, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  surf2Dwrite((float)((x * 5 ^ y * 3) & 255), picture, x * 4, y);
}

// The cosine and sine are multiples of 1/128, so that every coordinate is a multiple of 1/256 and every mean of the whole numbers exact.
extern "C" __global__ void rotate(cudaTextureObject_t picture, cudaSurfaceObject_t turned, int width, int height, float cosine, float sine) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float middle_x = 0.5f * width, middle_y = 0.5f * height;
  float dx = (x + 0.5f) - middle_x, dy = (y + 0.5f) - middle_y;
  float u = fmaf(cosine, dx, fmaf(sine, dy, middle_x)), v = fmaf(cosine, dy, fmaf(-sine, dx, middle_y));
  surf2Dwrite(tex2D<float>(picture, u, v), turned, x * 4, y);
}
