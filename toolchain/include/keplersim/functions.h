// Elementary functions in single precision, from range reductions and series of our own: a few units in the last place.
// Each says where its error comes from. powf and the hyperbolic functions work in double inside.
#pragma once

// With --use-fast-math some functions are their fast forms (CUDA C Programming Guide, "Functions Affected by -use_fast_math"), at
// the end of this file.
#ifdef __USE_FAST_MATH__
#define __KS_EXACT(NAME) __ks_exact_##NAME
#else
#define __KS_EXACT(NAME) NAME
#endif

// 2^n as a float, n from -126 to 127, and x times 2^n with at most one rounding below the normal range.
__KS_FN float __ks_pow2(int n) { return __int_as_float((n + 127) << 23); }
__KS_LONG_FN float ldexpf(float x, int n) {
  n = max(-280, min(280, n));
  int third = n / 3; // the exact steps first, the one that may round last
  return x * __ks_pow2(third) * __ks_pow2(third) * __ks_pow2(n - 2 * third);
}

// e^r for |r| <= ln(2)/2: the Taylor series, whose eighth term is below 6e-9.
__KS_FN float __ks_exp_series(float r) {
  float p = 1.0f / 5040;
  p = fmaf(p, r, 1.0f / 720), p = fmaf(p, r, 1.0f / 120), p = fmaf(p, r, 1.0f / 24);
  p = fmaf(p, r, 1.0f / 6), p = fmaf(p, r, 0.5f), p = fmaf(p, r, 1.0f);
  return fmaf(p, r, 1.0f);
}
// p times 2^n where the true result may leave the float range on either side; n from -300 to 300.
__KS_FN float __ks_scale(float p, int n) {
  int half = n >> 1;
  return p * __ks_pow2(half) * __ks_pow2(n - half);
}
__KS_LONG_FN float __KS_EXACT(expf)(float x) {
  float n = rintf(fminf(fmaxf(x, -150.0f), 150.0f) * 1.44269504f);
  float r = fmaf(n, -0.693145752f, x); // ln 2 in two parts, the first short enough for an exact product
  r = fmaf(n, -1.42860677e-6f, r);
  float y = __ks_scale(__ks_exp_series(r), (int)n);
  return x > 89.0f ? INFINITY : x < -104.0f ? 0.0f : x == x ? y : x;
}
__KS_LONG_FN float exp2f(float x) {
  float c = fminf(fmaxf(x, -160.0f), 160.0f), n = rintf(c);
  float y = __ks_scale(__ks_exp_series((c - n) * 0.693147181f), (int)n);
  return x == x ? y : x;
}

// Splits a positive finite x into m * 2^e with m between sqrt(1/2) and sqrt(2), and gives log(m).
// log m = 2 atanh(s), s = (m-1)/(m+1), |s| < 0.1716: the first term left out is below 1e-10 of the result.
__KS_LONG_FN float __ks_log_reduced(float x, float *e) {
  int bits = __float_as_int(x), below = 0;
  if (bits < 0x00800000) bits = __float_as_int(x * 8388608.0f), below = 23;
  int k = (bits - 0x3f3504f3) >> 23;
  float f = __int_as_float(bits - (k << 23)) - 1.0f;
  *e = (float)(k - below);
  float s = f / (2.0f + f), z = s * s;
  float p = 2.0f / 11;
  p = fmaf(p, z, 2.0f / 9), p = fmaf(p, z, 2.0f / 7), p = fmaf(p, z, 2.0f / 5), p = fmaf(p, z, 2.0f / 3);
  float h = 0.5f * f * f; // log(1+f) = f - (h - s (h + z p)), which keeps f, the exact part, apart
  return f - (h - s * (h + z * p));
}
__KS_FN float __ks_log_edge(float x, float y) {
  return x > 0.0f ? (x < INFINITY ? y : x) : (x == 0.0f ? -INFINITY : NAN);
}
__KS_LONG_FN float __KS_EXACT(logf)(float x) {
  float e, l = __ks_log_reduced(x, &e);
  return __ks_log_edge(x, fmaf(e, 0.693145752f, fmaf(e, 1.42860677e-6f, l)));
}
__KS_LONG_FN float __KS_EXACT(log2f)(float x) {
  float e, l = __ks_log_reduced(x, &e);
  return __ks_log_edge(x, e + fmaf(l, 1.44269502f, l * 1.92596303e-8f));
}
__KS_LONG_FN float __KS_EXACT(log10f)(float x) {
  float e, l = __ks_log_reduced(x, &e);
  return __ks_log_edge(x, fmaf(e, 0.301025391f, fmaf(e, 4.60503907e-6f, l * 0.434294482f)));
}

__KS_FN float __KS_EXACT(exp10f)(float x) { return (float)exp(x * 2.30258509299404568402); }
__KS_FN float expm1f(float x) { return x == 0.0f ? x : fabsf(x) < 1e-4f ? fmaf(0.5f * x, x, x) : (float)(exp((double)x) - 1.0); }
__KS_FN float log1pf(float x) { return x == 0.0f ? x : fabsf(x) < 1e-4f ? fmaf(-0.5f * x, x, x) : (float)log(1.0 + (double)x); }

// x^y through double precision: 2^-50 of error in the logarithm is far below a float's last place.
__KS_LONG_FN float __KS_EXACT(powf)(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return x + y;
  float ay = fabsf(y);
  bool whole = ay >= 16777216.0f || truncf(y) == y;
  bool odd = whole && ay < 16777216.0f && ((int)ay & 1);
  if (x < 0.0f && !whole && x > -INFINITY) return NAN;
  if (x == -1.0f && ay == INFINITY) return 1.0f;
  float r = (float)exp((double)y * log((double)fabsf(x)));
  return x < 0.0f || (x == 0.0f && signbit(x)) ? (odd ? -r : r) : r;
}

// x minus the nearest multiple of pi/2, and the multiple modulo 4. Below 2^17 in double, pi/2 in two parts; above it
// with the bits of 2/pi that matter: x = m 2^e, bits of 2/pi above 2^(2-e) only add whole turns.
__KS_LONG_FN float __ks_reduce(float x, int *quadrant) {
  float ax = fabsf(x);
  if (ax < 131072.0f) {
    double n = rint((double)x * 0.63661977236758134308);
    *quadrant = (int)n;
    return (float)fma(n, -6.12323399573676603587e-17, fma(n, -1.57079632679489655800, (double)x));
  }
  const unsigned int two_over_pi[8] = {0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  unsigned int bits = __float_as_uint(ax), m = (bits & 0x007fffffu) | 0x00800000u;
  int first = (int)(bits >> 23) - 150 - 2 + 32; // the position of the window's first bit in the table
  int word = first >> 5, shift = first & 31;
  unsigned int w[4];
  for (int i = 0; i < 8; i++) // a loop of constant indices: the table stays out of local memory
    for (int j = 0; j < 4; j++)
      if (i == word + j) w[j] = two_over_pi[i];
  unsigned int w0 = __funnelshift_l(w[1], w[0], shift), w1 = __funnelshift_l(w[2], w[1], shift), w2 = __funnelshift_l(w[3], w[2], shift);
  unsigned long long mid = (unsigned long long)m * w1 + __umulhi(m, w2);
  unsigned long long turns = mid + ((unsigned long long)(m * w0) << 32); // in units of 2^-62 quadrants
  int q = (int)(turns >> 62);
  long long rest = (long long)(turns << 2); // a signed fraction of a quadrant
  if (rest < 0) q++;
  float r = (float)((double)rest * 8.5153038502163873e-20); // pi/2 * 2^-64
  *quadrant = x < 0.0f ? -q : q;
  return x < 0.0f ? -r : r;
}
// |r| <= pi/4: the terms left out are below 2e-9.
__KS_FN float __ks_sin_series(float r) {
  float z = r * r, p = 1.0f / 362880;
  p = fmaf(p, z, -1.0f / 5040), p = fmaf(p, z, 1.0f / 120), p = fmaf(p, z, -1.0f / 6);
  return fmaf(p * z, r, r);
}
__KS_FN float __ks_cos_series(float r) {
  float z = r * r, p = -1.0f / 3628800;
  p = fmaf(p, z, 1.0f / 40320), p = fmaf(p, z, -1.0f / 720), p = fmaf(p, z, 1.0f / 24), p = fmaf(p, z, -0.5f);
  return fmaf(p, z, 1.0f);
}
__KS_LONG_FN float __ks_sin_quadrant(float r, int q) {
  float y = q & 1 ? __ks_cos_series(r) : __ks_sin_series(r);
  return q & 2 ? -y : y;
}
__KS_LONG_FN float __KS_EXACT(sinf)(float x) {
  int q = 0;
  if (!isfinite(x)) return NAN;
  if (x == 0.0f) return x;
  float r = __ks_reduce(x, &q);
  return __ks_sin_quadrant(r, q);
}
__KS_LONG_FN float __KS_EXACT(cosf)(float x) {
  int q = 0;
  if (!isfinite(x)) return NAN;
  float r = __ks_reduce(x, &q);
  return __ks_sin_quadrant(r, q + 1);
}
__KS_LONG_FN void __KS_EXACT(sincosf)(float x, float *s, float *c) { *s = __KS_EXACT(sinf)(x), *c = __KS_EXACT(cosf)(x); }
__KS_LONG_FN float __KS_EXACT(tanf)(float x) {
  int q = 0;
  if (!isfinite(x)) return NAN;
  if (x == 0.0f) return x;
  float r = __ks_reduce(x, &q), s = __ks_sin_series(r), c = __ks_cos_series(r);
  return q & 1 ? -c / s : s / c;
}
// sin(pi x) and cos(pi x): whole periods go first, exactly.
__KS_LONG_FN float __ks_sinpi(float x, int quadrants) {
  if (!isfinite(x)) return NAN;
  x -= 2.0f * truncf(0.5f * x);
  float n = rintf(2.0f * x);
  return __ks_sin_quadrant((x - 0.5f * n) * 3.14159265f, (int)n + quadrants);
}
__KS_FN float sinpif(float x) { return truncf(x) == x ? copysignf(0.0f * x, x) : __ks_sinpi(x, 0); }
__KS_FN float cospif(float x) { return __ks_sinpi(x, 1) + 0.0f; } // never -0

// atan through the double-argument step atan(t) = pi/4 + atan((t-1)/(t+1)) above tan(pi/8).
__KS_LONG_FN float atanf(float x) {
  float t = fabsf(x), add = 0.0f;
  if (t > 2.41421356f) t = -1.0f / t, add = 1.57079633f;
  else if (t > 0.414213562f) t = (t - 1.0f) / (t + 1.0f), add = 0.785398163f;
  float z = t * t, p = 1.0f / 17;
  p = fmaf(p, z, -1.0f / 15), p = fmaf(p, z, 1.0f / 13), p = fmaf(p, z, -1.0f / 11), p = fmaf(p, z, 1.0f / 9);
  p = fmaf(p, z, -1.0f / 7), p = fmaf(p, z, 1.0f / 5), p = fmaf(p, z, -1.0f / 3);
  return copysignf(add + fmaf(p * z, t, t), x);
}
__KS_LONG_FN float atan2f(float y, float x) {
  float ax = fabsf(x), ay = fabsf(y), a;
  if (x != x || y != y) return x + y;
  if (ax == ay) a = ax == 0.0f ? 0.0f : 0.785398163f;
  else a = ay > ax ? 1.57079633f - atanf(ax / ay) : atanf(ay / ax);
  return copysignf(signbit(x) ? 3.14159265f - a : a, y);
}
__KS_FN float asinf(float x) { return atan2f(x, sqrtf(fmaf(-x, x, 1.0f))); }
__KS_FN float acosf(float x) { return 2.0f * atan2f(sqrtf(1.0f - x), sqrtf(1.0f + x)); }
__KS_LONG_FN float sinhf(float x) {
  if (fabsf(x) < 0.1f) return fmaf(x * x * x, fmaf(x * x, 1.0f / 120, 1.0f / 6), x);
  double e = exp(fabs((double)x));
  return copysignf((float)(0.5 * (e - 1.0 / e)), x);
}
__KS_LONG_FN float coshf(float x) {
  double e = exp(fabs((double)x));
  return (float)(0.5 * (e + 1.0 / e));
}
__KS_LONG_FN float tanhf(float x) {
  float ax = fabsf(x);
  if (ax < 0.05f) return x == 0.0f ? x : fmaf(x * x * x, fmaf(x * x, 2.0f / 15, -1.0f / 3), x);
  double e = exp(2.0 * fmin((double)ax, 10.0));
  return x == x ? copysignf((float)((e - 1.0) / (e + 1.0)), x) : x;
}
// The squares of floats neither overflow a double nor vanish in it. An infinite component outweighs a NaN.
__KS_FN float hypotf(float x, float y) {
  return isinf(x) || isinf(y) ? INFINITY : (float)__dsqrt_rn((double)x * x + (double)y * y);
}
__KS_FN float norm3df(float x, float y, float z) {
  return isinf(x) || isinf(y) || isinf(z) ? INFINITY : (float)__dsqrt_rn((double)x * x + (double)y * y + (double)z * z);
}
__KS_LONG_FN float cbrtf(float x) {
  if (x == 0.0f || !isfinite(x)) return x;
  return copysignf((float)exp(log(fabs((double)x)) / 3.0), x);
}
// The remainder is exact: subtract shifted copies of the divisor, as in long division.
__KS_LONG_FN float fmodf(float x, float y) {
  float ax = fabsf(x), ay = fabsf(y);
  if (!(ax < INFINITY) || !(ay > 0.0f)) return NAN;
  if (ax < ay) return x;
  int e = (int)(__float_as_uint(ax) >> 23) - (int)(__float_as_uint(ay) >> 23) + 1;
  for (; e >= 0; e--) {
    float d = ldexpf(ay, e);
    if (ax >= d) ax -= d;
  }
  return copysignf(ax, x);
}
#undef __KS_EXACT

#ifdef __USE_FAST_MATH__
__KS_FN float expf(float x) { return __expf(x); }
__KS_FN float exp10f(float x) { return __exp10f(x); }
__KS_FN float logf(float x) { return __logf(x); }
__KS_FN float log2f(float x) { return __log2f(x); }
__KS_FN float log10f(float x) { return __log10f(x); }
__KS_FN float powf(float x, float y) { return __powf(x, y); }
__KS_FN float sinf(float x) { return __sinf(x); }
__KS_FN float cosf(float x) { return __cosf(x); }
__KS_FN float tanf(float x) { return __tanf(x); }
__KS_FN void sincosf(float x, float *s, float *c) { __sincosf(x, s, c); }
#endif
