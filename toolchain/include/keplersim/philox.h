// cuRAND's Philox4x32-10 on the device: ten rounds over a counter of 128 bits, of which each value gives four words (J. Salmon and others,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Subsequences count in the upper half of the counter.
#pragma once

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE; // which of output's words is next
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__device__ __forceinline__ uint4 __ks_philox(uint4 c, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned int high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x, high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key.x += 0x9e3779b9u, key.y += 0xbb67ae85u;
  }
  return c;
}
__device__ __forceinline__ void __ks_philox_ahead(curandStatePhilox4_32_10_t *s, unsigned long long n) {
  unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x, high = (unsigned long long)s->ctr.w << 32 | s->ctr.z;
  high += low + n < low, low += n;
  s->ctr = make_uint4((unsigned int)low, (unsigned int)(low >> 32), (unsigned int)high, (unsigned int)(high >> 32));
}
__device__ __forceinline__ void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  unsigned long long word = s->STATE + n % 4;
  __ks_philox_ahead(s, n / 4 + word / 4);
  s->STATE = (unsigned int)(word % 4), s->output = __ks_philox(s->ctr, s->key);
}
__device__ __forceinline__ void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
  s->ctr.z = (unsigned int)high, s->ctr.w = (unsigned int)(high >> 32);
  s->output = __ks_philox(s->ctr, s->key);
}
__device__ __forceinline__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10_t *s) {
  s->ctr = make_uint4(0, 0, 0, 0), s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32)), s->STATE = 0;
  s->boxmuller_flag = s->boxmuller_flag_double = 0, s->boxmuller_extra = 0.0f, s->boxmuller_extra_double = 0.0;
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
__device__ __forceinline__ unsigned int curand(curandStatePhilox4_32_10_t *s) {
  unsigned int word = s->STATE == 0 ? s->output.x : s->STATE == 1 ? s->output.y : s->STATE == 2 ? s->output.z : s->output.w;
  if (++s->STATE == 4) {
    __ks_philox_ahead(s, 1);
    s->STATE = 0, s->output = __ks_philox(s->ctr, s->key);
  }
  return word;
}
__device__ __forceinline__ uint4 curand4(curandStatePhilox4_32_10_t *s) {
  uint4 v;
  v.x = curand(s), v.y = curand(s), v.z = curand(s), v.w = curand(s);
  return v;
}
__device__ __forceinline__ float4 curand_uniform4(curandStatePhilox4_32_10_t *s) {
  float4 v;
  v.x = curand_uniform(s), v.y = curand_uniform(s), v.z = curand_uniform(s), v.w = curand_uniform(s);
  return v;
}
__device__ __forceinline__ float4 curand_normal4(curandStatePhilox4_32_10_t *s) {
  float2 a = curand_normal2(s), b = curand_normal2(s);
  return make_float4(a.x, a.y, b.x, b.y);
}
__device__ __forceinline__ double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s) {
  double2 v;
  v.x = curand_uniform_double(s), v.y = curand_uniform_double(s);
  return v;
}
