#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
#include <vector>
template <typename T, typename T2> __global__ void all(const float *a, const float *b, unsigned short *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  T x = a[i], y = b[i], s = x;
  s += y; s = __hfma(s, x, -y); s /= (T)3.0f; s *= 2.0f;
  T2 v = T2(x, y), w = T2(y, x);
  T2 z = __hfma2(v, w, __hfma2(v, w, v));
  auto r = x + y; static_assert(sizeof(r) == 2, "");
  float f = x; f *= 2.0f; 
  T t = __shfl_down_sync(0xffffffff, x, 1);
  bool less = x < y && __hlt(x, y) && !(x == y) && x > (T)-5.0f;
  T got[] = {s, z.x, z.y, r, (T)f, t, __hmax(x, y), hexp(x), hsqrt(__habs(x)), (T)(less ? 1.0f : 0.0f), __hneg(-x), __hadd(x, (T)1.0f)};
  for (int k = 0; k < 12; k++) out[12 * i + k] = __builtin_bit_cast(unsigned short, got[k]);
}
template <typename T, typename T2> void run(const char *name) {
  const int n = 64; std::vector<float> a(n), b(n);
  for (int i = 0; i < n; i++) a[i] = (i * 37 % 64 - 31) * 0.37f, b[i] = (i * 11 % 64 - 20) * 1.7f;
  float *da, *db; unsigned short *d; cudaMalloc(&da, n*4); cudaMalloc(&db, n*4); cudaMalloc(&d, n*24);
  cudaMemcpy(da, a.data(), n*4, cudaMemcpyDefault); cudaMemcpy(db, b.data(), n*4, cudaMemcpyDefault);
  all<T, T2><<<2, 32>>>(da, db, d, n);
  std::vector<unsigned short> h(n * 12); cudaMemcpy(h.data(), d, n*24, cudaMemcpyDefault);
  for (int i = 0; i < n; i++) { printf("%s", name); for (int k = 0; k < 12; k++) printf(" %04x", h[12*i+k]); printf("\n"); }
}
int main() { run<__half, __half2>("half"); run<__nv_bfloat16, __nv_bfloat162>("bfloat"); puts(cudaGetErrorString(cudaGetLastError())); }
