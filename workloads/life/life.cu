// Conway's game of life on a torus, a byte a cell: one thread a cell, and one thread four cells.
//
// life_bytes reads nine bytes a thread. A warp's 32 bytes fill a quarter of a 128-byte line, and every load of a byte takes as many
// issue slots as one of a word. life_words handles four cells in a word: three loads a row bring twelve, neighbours come by moving bytes
// (__byte_perm), and since no count exceeds 8, plain additions of words add four counts at once. One of Kepler's SIMD
// video instructions (__vseteq4) compares all four. Compare instructions and transactions of the two.
extern "C" __global__ void life_bytes(const unsigned char *in, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int west = x > 0 ? x - 1 : width - 1, east = x < width - 1 ? x + 1 : 0;
  const unsigned char *above = in + (y > 0 ? y - 1 : height - 1) * width, *here = in + y * width;
  const unsigned char *below = in + (y < height - 1 ? y + 1 : 0) * width;
  int neighbours = above[west] + above[x] + above[east] + here[west] + here[east] + below[west] + below[x] + below[east];
  out[y * width + x] = neighbours == 3 || (neighbours == 2 && here[x]);
}

// The sums of each byte's left and right neighbours in a row of words, and the word itself.
__device__ __forceinline__ unsigned int beside(const unsigned int *row, int west, int x, int east, unsigned int &word) {
  word = row[x];
  return __byte_perm(row[west], word, 0x6543) + __byte_perm(word, row[east], 0x4321);
}

extern "C" __global__ void life_words(const unsigned int *in, unsigned int *out, int words, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= height) return;
  int west = x > 0 ? x - 1 : words - 1, east = x < words - 1 ? x + 1 : 0;
  unsigned int above, here, below;
  unsigned int neighbours = beside(in + (y > 0 ? y - 1 : height - 1) * words, west, x, east, above);
  neighbours += beside(in + y * words, west, x, east, here);
  neighbours += beside(in + (y < height - 1 ? y + 1 : 0) * words, west, x, east, below);
  neighbours += above + below;
  // Alive next: three neighbours, or two and alive now, which is where the bits of both together make 3.
  out[y * words + x] = __vseteq4(neighbours | here, 0x03030303u);
}
