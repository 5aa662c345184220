// cuRAND's generators on the device. The default one: XORWOW, Marsaglia's xorshift of 160 bits with a counter added. curand and
// curand_uniform give the numbers of NVIDIA's library bit for bit; the normal ones go through our logarithms.
#pragma once
#include "keplersim/vector_functions.h"
#ifndef __CUDA__
#include <math.h>
__KS_BOTH_FN unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)((unsigned long long)a * b >> 32); }
__KS_BOTH_FN double sinpi(double x) { return sin(x * 3.14159265358979323846); }
__KS_BOTH_FN double cospi(double x) { return cos(x * 3.14159265358979323846); }
#endif
#include "keplersim/xorwow_jumps.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag;
  float boxmuller_extra;
  int boxmuller_flag_double;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW_t curandState;

__device__ __forceinline__ void __ks_xorwow_step(unsigned int (&v)[5]) {
  unsigned int t = v[0] ^ v[0] >> 2;
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}
// n * 2^from steps at once, a jump for every bit of n.
__device__ static __inline__ __attribute__((noinline, unused)) void __ks_xorwow_skip(curandState_t *s, unsigned long long n, int from) {
  unsigned int v[5] = {s->v[0], s->v[1], s->v[2], s->v[3], s->v[4]};
  for (int row = from; n; row++, n >>= 1) {
    if (!(n & 1)) continue;
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; i++) {
      unsigned int take = 0u - (__ks_xorwow_jumps[row][i >> 5] >> (i & 31) & 1u);
#pragma unroll
      for (int j = 0; j < 5; j++) sum[j] ^= v[j] & take;
      __ks_xorwow_step(v);
    }
#pragma unroll
    for (int j = 0; j < 5; j++) v[j] = sum[j];
  }
#pragma unroll
  for (int j = 0; j < 5; j++) s->v[j] = v[j];
}
__device__ __forceinline__ void skipahead(unsigned long long n, curandState_t *s) {
  __ks_xorwow_skip(s, n, 0);
  s->d += 362437u * (unsigned int)n;
}
// A subsequence is 2^67 numbers long, and so many steps leave the counter where it was.
__device__ __forceinline__ void skipahead_sequence(unsigned long long n, curandState_t *s) { __ks_xorwow_skip(s, n, 67); }
__device__ __forceinline__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandState_t *s) {
  unsigned int t0 = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u), t1 = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
  s->d = 6615241u + t1 + t0;
  s->v[0] = 123456789u + t0, s->v[1] = 362436069u ^ t0, s->v[2] = 521288629u + t1, s->v[3] = 88675123u ^ t1, s->v[4] = 5783321u + t0;
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.0f, s->boxmuller_extra_double = 0.0;
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
__device__ __forceinline__ unsigned int curand(curandState_t *s) {
  __ks_xorwow_step(s->v);
  s->d += 362437u;
  return s->v[4] + s->d;
}

// What both generators' numbers are made into.
// Over 0 to 1 without the 0.
template <typename State> __device__ __forceinline__ float curand_uniform(State *s) { return fmaf((float)curand(s), 0x1p-32f, 0x1p-33f); }
template <typename State> __device__ __forceinline__ double curand_uniform_double(State *s) {
  unsigned int x = curand(s), y = curand(s);
  return fma((double)((unsigned long long)x ^ (unsigned long long)y << 21), 0x1p-53, 0x1p-54);
}
// Normal numbers come in pairs, after Box and Muller; the second is kept for the next call.
template <typename State> __device__ __forceinline__ float2 curand_normal2(State *s) {
  float u = curand_uniform(s), v = fmaf((float)curand(s), 0x1.921fb6p-30f, 0x1.921fb6p-31f), r = sqrtf(-2.0f * logf(u));
  return make_float2(__sinf(v) * r, __cosf(v) * r);
}
template <typename State> __device__ __forceinline__ float curand_normal(State *s) {
  if (s->boxmuller_flag) {
    s->boxmuller_flag = 0;
    return s->boxmuller_extra;
  }
  float2 n = curand_normal2(s);
  s->boxmuller_flag = 1, s->boxmuller_extra = n.y;
  return n.x;
}
template <typename State> __device__ __forceinline__ double2 curand_normal2_double(State *s) {
  double u = curand_uniform_double(s), v = 2.0 * curand_uniform_double(s), r = sqrt(-2.0 * log(u));
  return make_double2(sinpi(v) * r, cospi(v) * r);
}
template <typename State> __device__ __forceinline__ double curand_normal_double(State *s) {
  if (s->boxmuller_flag_double) {
    s->boxmuller_flag_double = 0;
    return s->boxmuller_extra_double;
  }
  double2 n = curand_normal2_double(s);
  s->boxmuller_flag_double = 1, s->boxmuller_extra_double = n.y;
  return n.x;
}
template <typename State> __device__ __forceinline__ float curand_log_normal(State *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
template <typename State> __device__ __forceinline__ double curand_log_normal_double(State *s, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(s));
}
template <typename State> __device__ __forceinline__ float2 curand_log_normal2(State *s, float mean, float deviation) {
  float2 n = curand_normal2(s);
  return make_float2(expf(mean + deviation * n.x), expf(mean + deviation * n.y));
}
template <typename State> __device__ __forceinline__ double2 curand_log_normal2_double(State *s, double mean, double deviation) {
  double2 n = curand_normal2_double(s);
  return make_double2(exp(mean + deviation * n.x), exp(mean + deviation * n.y));
}
// The least n with a probability of at least u that a number of this mean, 64 to 4000, is at most n: from the mean on, by single steps.
__device__ static __inline__ __attribute__((noinline, unused)) unsigned int __ks_poisson_quantile(double u, double mean) {
  double n = floor(mean);
  double p = exp(n * log(mean) - mean - lgamma(n + 1)), sum = 0, term = p;
  for (double k = n; k >= 0 && term > 1e-20; k--) sum += term, term *= k / mean;
  while (sum < u && p > 1e-20) n++, p *= mean / n, sum += p;
  while (n > 0 && sum - p >= u) sum -= p, p *= n / mean, n--;
  return (unsigned int)n;
}
// As measured on an H200: Knuth's product of uniform numbers for small means, and rounded normal numbers for large ones. Between them cuRAND's
// approximate quantiles give other numbers of the same distribution.
template <typename State> __device__ unsigned int curand_poisson(State *s, double mean) {
  if (mean > 4000) return (unsigned int)(sqrt(mean) * curand_normal_double(s) + mean + 0.5);
  if (mean >= 64) return __ks_poisson_quantile(curand_uniform(s), mean);
  unsigned int n = 0;
  for (float p = expf((float)mean) * curand_uniform(s); p > 1; p *= curand_uniform(s)) n++;
  return n;
}

#include "keplersim/philox.h"
#include "keplersim/mrg.h"
#include "keplersim/sobol.h"
