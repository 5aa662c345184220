// cuRAND's MRG32k3a on the device: two recurrences of order three, combined (P. L'Ecuyer, "Good parameters and implementations for combined multiple
// recursive random number generators", Operations Research 47, 1999). Subsequences are 2^76 numbers long, sequences 2^127.
#pragma once
#include "keplersim/mrg_jumps.h"

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

// x modulo 2^32 - d for a small d: what is above 2^32 counts d times.
__device__ __forceinline__ unsigned int __ks_mrg_mod(unsigned long long x, unsigned int d) {
  x = (x >> 32) * d + (unsigned int)x;
  x = (x >> 32) * d + (unsigned int)x;
  return x >= 0x100000000ull - d ? (unsigned int)(x + d) : (unsigned int)x;
}
__device__ __forceinline__ void __ks_mrg_jump(unsigned int (&s)[3], const unsigned int *m, unsigned int d) {
  unsigned int to[3];
  for (int i = 0; i < 3; i++) {
    unsigned int a = __ks_mrg_mod((unsigned long long)m[3 * i] * s[0], d), b = __ks_mrg_mod((unsigned long long)m[3 * i + 1] * s[1], d);
    to[i] = __ks_mrg_mod((unsigned long long)m[3 * i + 2] * s[2] + a + b, d);
  }
  for (int i = 0; i < 3; i++) s[i] = to[i];
}
// n * 2^from steps at once, a jump for every bit of n.
__device__ static __inline__ __attribute__((noinline, unused)) void __ks_mrg_skip(curandStateMRG32k3a_t *s, unsigned long long n, int from) {
  for (int row = from; n; row++, n >>= 1)
    if (n & 1) __ks_mrg_jump(s->s1, __ks_mrg_jumps[row], 209), __ks_mrg_jump(s->s2, __ks_mrg_jumps[row] + 9, 22853);
}
__device__ __forceinline__ void skipahead(unsigned long long n, curandStateMRG32k3a_t *s) { __ks_mrg_skip(s, n, 0); }
__device__ __forceinline__ void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s) { __ks_mrg_skip(s, n, 76); }
__device__ __forceinline__ void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *s) { __ks_mrg_skip(s, n, 127); }
__device__ __forceinline__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a_t *s) {
  unsigned int x = (unsigned int)seed ^ 0x55555555u, y = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
  for (int i = 0; i < 3; i++) {
    s->s1[i] = seed ? __ks_mrg_mod((i == 1 ? y : x) * 12345ull, 209) : 12345u;
    s->s2[i] = seed ? __ks_mrg_mod((i == 1 ? x : y) * 12345ull, 22853) : 12345u;
  }
  s->boxmuller_flag = s->boxmuller_flag_double = 0, s->boxmuller_extra = 0.0f, s->boxmuller_extra_double = 0.0;
  skipahead_subsequence(subsequence, s), skipahead(offset, s);
}
// The next number, from 1 to 2^32 - 209.
__device__ __forceinline__ unsigned int __ks_mrg(curandStateMRG32k3a_t *s) {
  const unsigned int M1 = 0xffffff2fu, M2 = 0xffffa6bbu;
  unsigned int p = __ks_mrg_mod(1403580ull * s->s1[1] + 810728ull * (M1 - s->s1[0]), 209);
  unsigned int q = __ks_mrg_mod(527612ull * s->s2[2] + 1370589ull * (M2 - s->s2[0]), 22853);
  s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = p;
  s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = q;
  return p > q ? p - q : p - q + M1;
}
// Spread over all words, as cuRAND does; the quotient by 2^32 - 209 is 1 at most.
__device__ __forceinline__ unsigned int curand(curandStateMRG32k3a_t *s) { return (unsigned int)(__ks_mrg(s) * 1.000000048662); }
__device__ __forceinline__ double curand_uniform_double(curandStateMRG32k3a_t *s) { return __ks_mrg(s) * 2.328306549837829e-10; }
__device__ __forceinline__ float curand_uniform(curandStateMRG32k3a_t *s) { return (float)curand_uniform_double(s); }
__device__ __forceinline__ float2 curand_normal2(curandStateMRG32k3a_t *s) {
  float u = curand_uniform(s), v = curand_uniform(s) * 6.2831853f, r = sqrtf(-2.0f * logf(u));
  return make_float2(__sinf(v) * r, __cosf(v) * r);
}
