// Conversions and operators of half precision, on both sides.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

struct Results { unsigned int v[48]; };
__host__ __device__ void fill(Results &r) {
  int k = 0;
  auto put = [&](unsigned int x) { r.v[k++] = x; };
  // A float on the way would round twice: these are just above, below and at a tie.
  for (double d : {1 + 0x1p-11 + 0x1p-40, 1 + 0x3p-11 - 0x1p-45, 1 + 0x1p-11, 65519.999999999, 65520.0, 0x1p-25 + 0x1p-60, 0x1p-25, -1e300})
    put(__half_as_ushort(__double2half(d))), put(__half_as_ushort(__half(d)));
  __half h = __float2half(-2.5f), infinite = __ushort_as_half(0x7c00), nan = __ushort_as_half(0x7fff);
  put((unsigned short)__half2short_rn(h)), put(__half2ushort_rz(h)), put(__half2uint_ru(h)), put((unsigned int)__half2ll_rd(h));
  put(__half2int_rn(infinite)), put(__half2int_rz(nan)), put((unsigned int)(__half2ll_rz(nan) >> 32)), put((unsigned int)__half2ull_rn(__half(3.5f)));
  put(__half_as_ushort(__ll2half_rz(1ll << 40))), put(__half_as_ushort(__ll2half_rn(1ll << 40)));
  put(__half_as_ushort(__int2half_rd(65519))), put(__half_as_ushort(__uint2half_ru(2049)));
  h++, ++h, put(__half_as_ushort(h--)), put(__half_as_ushort(+h));
  __half2 p = __floats2half2_rn(1, 2), q = __floats2half2_rn(3, 2);
  put(p <= q), put(p < q), p++, put(__heq2_mask(p, q)), put(__hgtu2_mask(p, q));
  __half2_raw raw = __hcmadd(p, q, __floats2half2_rn(1, 1)); // (2 + 3i)(3 + 2i) + 1 + i
  p = raw, put(raw.x), put(__half_as_ushort(p.y));
}
__global__ void there(Results *r) {
  __half v = __shfl_xor(__int2half_rn(threadIdx.x), 1);
  if (threadIdx.x == 6) fill(*r), r->v[47] = __half2int_rn(v);
}

int main() {
  Results here = {}, *device;
  cudaMallocManaged(&device, sizeof here);
  memset(device, 0, sizeof here);
  fill(here);
  there<<<1, 32>>>(device);
  cudaDeviceSynchronize();
  for (int i = 0; i < 36; i++) printf("%x%s", here.v[i], i % 16 == 15 || i == 35 ? "\n" : " ");
  here.v[47] = 7;
  printf("same: %d\n", !memcmp(&here, device, sizeof here));
}
