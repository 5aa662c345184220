// So many calls of each function that takes pitches, extents or offsets, with sizes up to 2^64 - 1: each succeeds where 128 bits of arithmetic say that
// it fits its memory, and else returns an error.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

typedef unsigned __int128 wide;
const size_t bytes = 4096;
uint64_t state = 1;
uint64_t next() {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
// Small numbers, and numbers near powers of two.
size_t size() {
  switch (next() % 4) {
  case 0: return next() % 8;
  case 1: return next() % 80;
  case 2: return ((uint64_t)1 << next() % 64) + next() % 5 - 2;
  default: return ((uint64_t)1 << (next() % 4 + 60)) * (next() % 8) + next() % 65;
  }
}
// Whether rows lie in so many bytes; rows of which the next begins before the end of one are wrong.
bool fits(wide pitch, wide width, wide height, wide room) {
  if (width == 0 || height == 0) return true;
  if (height > 1 && pitch < width) return false;
  return (height - 1) * pitch < (wide)1 << 100 && (height - 1) * pitch + width <= room;
}
bool fits_box(wide pitch, wide rows, wide width, wide height, wide depth, wide room) {
  if (width == 0 || height == 0 || depth == 0) return true;
  if (depth > 1 && rows < height) return false;
  const wide most = (wide)1 << 62;
  if ((depth - 1) > most / (rows ? rows : 1)) return false;
  return fits(pitch, width, (depth - 1) * rows + height, room);
}

int wrong;
void check(const char *name, bool success, bool may, bool must, size_t a, size_t b, size_t c, size_t d, size_t e) {
  if (success ? may : !must) return;
  if (wrong++ < 20) printf("%s: success %d, of %zu %zu %zu %zu %zu\n", name, success, a, b, c, d, e);
}
__constant__ char constants[64];
__device__ char globals[64];

int main(int, char **argv) {
  char *to, *from, *pinned;
  static char host[bytes];
  cudaMalloc(&to, bytes), cudaMalloc(&from, bytes), cudaMallocHost(&pinned, bytes);
  const int calls = atoi(argv[1]);
  for (int i = 0; i < calls; i++) {
    size_t p = size(), q = size(), w = size(), h = size(), at = size() % bytes;
    char *memory = i % 3 ? to : pinned;
    bool fit = fits(p, w, h, bytes - at);
    check("cudaMemset2D", cudaMemset2D(memory + at, p, 0, w, h) == cudaSuccess, fit, fit, at, p, w, h, 0);
    check("cudaMemset2DAsync", cudaMemset2DAsync(memory + at, p, 0, w, h, 0) == cudaSuccess, fit, fit, at, p, w, h, 0);
    bool both = w <= p && w <= q && fit && fits(q, w, h, bytes);
    check("cudaMemcpy2D", cudaMemcpy2D(memory + at, p, from, q, w, h, cudaMemcpyDefault) == cudaSuccess, both, both, at, p, q, w, h);
    check("cudaMemcpy2DAsync", cudaMemcpy2DAsync(memory + at, p, from, q, w, h, cudaMemcpyDefault, 0) == cudaSuccess, both, both, at, p, q, w, h);
    fit = w <= bytes - at;
    check("cudaMemset", cudaMemset(memory + at, 0, w) == cudaSuccess, fit, fit, at, w, 0, 0, 0);
    check("cudaMemcpy", cudaMemcpy(memory + at, from, w, cudaMemcpyDefault) == cudaSuccess, fit, fit, at, w, 0, 0, 0);
    fit = (wide)w + q <= 64;
    if (w <= sizeof host) {
      bool nothing = w == 0;
      check("cudaMemcpyToSymbol", cudaMemcpyToSymbol(constants, host, w, q) == cudaSuccess, fit || nothing, fit, w, q, 0, 0, 0);
      check("cudaMemcpyFromSymbol", cudaMemcpyFromSymbol(host, globals, w, q) == cudaSuccess, fit || nothing, fit, w, q, 0, 0, 0);
    }
  }
  for (int i = 0; i < calls; i++) {
    size_t p = size(), q = size(), w = size(), h = size(), d = size(), rows = size(), other = size();
    bool fit = fits_box(p, rows, w, h, d, bytes);
    cudaPitchedPtr a = {to, p, p, rows}, b = {from, q, q, other};
    check("cudaMemset3D", cudaMemset3D(a, 0, make_cudaExtent(w, h, d)) == cudaSuccess, fit, fit, p, rows, w, h, d);
    cudaMemcpy3DParms m = {};
    m.dstPtr = a, m.srcPtr = b, m.extent = make_cudaExtent(w, h, d), m.kind = cudaMemcpyDeviceToDevice;
    bool both = fit && fits_box(q, other, w, h, d, bytes);
    check("cudaMemcpy3D", cudaMemcpy3D(&m) == cudaSuccess, both, both, p, rows, w, h, d);
  }
  size_t free_bytes, total;
  cudaMemGetInfo(&free_bytes, &total);
  for (int i = 0; i < calls; i++) {
    size_t w = size(), h = size(), d = size(), pitch;
    void *p = nullptr;
    wide row = ((wide)w + 511) / 512 * 512;
    bool fit = h == 0 || row == 0 || (row <= total / h), small = fit && w <= 1 << 20 && row * h <= 1 << 20;
    check("cudaMallocPitch", cudaMallocPitch(&p, &pitch, w, h) == cudaSuccess, fit, small, w, h, 0, 0, 0);
    cudaFree(p);
    cudaPitchedPtr box = {};
    fit = d == 0 || fit && (h == 0 || row == 0 || row * h <= total / d), small = small && row * h * d <= 1 << 20;
    check("cudaMalloc3D", cudaMalloc3D(&box, make_cudaExtent(w, h, d)) == cudaSuccess, fit, small, w, h, d, 0, 0);
    cudaFree(box.ptr);
    p = nullptr;
    check("cudaMalloc", cudaMalloc(&p, w) == cudaSuccess, w <= total, w <= 1 << 20, w, 0, 0, 0, 0);
    cudaFree(p);
    p = nullptr;
    check("cudaMallocHost", cudaMallocHost(&p, w) == cudaSuccess, w <= 1ull << 40, w <= 1 << 20, w, 0, 0, 0, 0); // the host's memory
    cudaFreeHost(p);
    cudaArray_t array = nullptr;
    cudaChannelFormatDesc word = cudaCreateChannelDesc<int>();
    wide all = (wide)w * 4;
    fit = w && (all <= total / (h ? h : 1));
    check("cudaMallocArray", cudaMallocArray(&array, &word, w, h) == cudaSuccess, fit, fit && all * (h ? h : 1) <= 1 << 20, w, h, 0, 0, 0);
    if (array) cudaFreeArray(array);
  }
  // An array of 16 rows of 16 words: what is copied to or from it lies within its rows, or for runs of bytes within all of it.
  cudaArray_t array, second;
  cudaChannelFormatDesc word = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &word, 16, 16), cudaMallocArray(&second, &word, 16, 16);
  const cudaMemcpyKind inside = cudaMemcpyDeviceToDevice;
  for (int i = 0; i < calls; i++) {
    size_t x = size(), y = size(), z = size() % 2, w = size(), h = size(), p = size(), n = size();
    bool nothing = w == 0 || h == 0, fit = (wide)x + w <= 64 && (wide)y + h <= 16 && fits(p, w, h, bytes), must = fit && w <= p;
    check("cudaMemcpy2DToArray", cudaMemcpy2DToArray(array, x, y, from, p, w, h, inside) == cudaSuccess, fit || nothing, must, x, y, p, w, h);
    check("cudaMemcpy2DToArrayAsync", cudaMemcpy2DToArrayAsync(array, x, y, from, p, w, h, inside, 0) == cudaSuccess, fit || nothing, must, x, y, p, w, h);
    check("cudaMemcpy2DFromArray", cudaMemcpy2DFromArray(to, p, array, x, y, w, h, inside) == cudaSuccess, fit || nothing, must, x, y, p, w, h);
    nothing = n == 0, fit = (wide)y * 64 + x + n <= 1024;
    check("cudaMemcpyToArray", cudaMemcpyToArray(array, x, y, from, n, inside) == cudaSuccess, fit || nothing, fit, x, y, n, 0, 0);
    check("cudaMemcpyFromArray", cudaMemcpyFromArray(to, array, x, y, n, inside) == cudaSuccess, fit || nothing, fit, x, y, n, 0, 0);
    bool both = fit && (wide)h * 64 + w + n <= 1024;
    check("cudaMemcpyArrayToArray", cudaMemcpyArrayToArray(array, x, y, second, w, h, n, inside) == cudaSuccess, both || nothing, both, x, y, w, h, n);
    cudaMemcpy3DParms m = {};
    m.dstArray = array, m.dstPos = make_cudaPos(x, y, z), m.srcPtr = {from, p, p, h}, m.extent = make_cudaExtent(w, h, 1), m.kind = inside;
    nothing = w == 0 || h == 0, fit = z == 0 && (wide)x + w <= 16 && (wide)y + h <= 16 && fits(p, (wide)w * 4, h, bytes);
    check("cudaMemcpy3D of an array", cudaMemcpy3D(&m) == cudaSuccess, fit || nothing, fit, x, y, p, w, h);
    m = {}, m.dstPtr = {to, 64, 64, 16}, m.dstPos = make_cudaPos(x, y, p), m.srcArray = array, m.extent = make_cudaExtent(1, 1, 1), m.kind = inside;
    wide place = (wide)x + (wide)y * 64 + (wide)p * 1024; // behind this memory may be other memory, as far as all of it reaches
    check("cudaMemcpy3D to a place", cudaMemcpy3D(&m) == cudaSuccess, place < total, place + 4 <= bytes, x, y, p, 0, 0);
  }
  cudaGetLastError();
  printf("%d wrong, then %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
  return wrong != 0;
}
