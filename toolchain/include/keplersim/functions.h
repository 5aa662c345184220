// Elementary functions in single precision, from range reductions and series of our own: a few units in the last place.
// Each says where its error comes from. None takes an operation in double precision, which most boards are slow in.
#pragma once
#pragma float_control(precise, on, push) // some take the error of a sum from a difference

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

// x less the nearest multiple of ln 2, in two parts of which the first is short enough for an exact product; n is the multiple.
__KS_FN float __ks_exp_reduced(float x, float *n) {
  *n = rintf(x * 1.44269504f);
  return fmaf(*n, -1.42860677e-6f, fmaf(*n, -0.693145752f, x));
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
  float n, r = __ks_exp_reduced(fminf(fmaxf(x, -150.0f), 150.0f), &n);
  float y = __ks_scale(__ks_exp_series(r), (int)n);
  return x > 89.0f ? INFINITY : x < -104.0f ? 0.0f : x == x ? y : x;
}
__KS_LONG_FN float exp2f(float x) {
  float c = fminf(fmaxf(x, -160.0f), 160.0f), n = rintf(c);
  float y = __ks_scale(__ks_exp_series((c - n) * 0.693147181f), (int)n);
  return x == x ? y : x;
}

// Splits a positive finite x into m * 2^e with m between sqrt(1/2) and sqrt(2), and gives m - 1.
__KS_FN float __ks_log_split(float x, float *e) {
  int bits = __float_as_int(x), below = 0;
  if (bits < 0x00800000) bits = __float_as_int(x * 8388608.0f), below = 23;
  int k = (bits - 0x3f3504f3) >> 23;
  *e = (float)(k - below);
  return __int_as_float(bits - (k << 23)) - 1.0f;
}
// log m for the same m.
// log m = 2 atanh(s), s = (m-1)/(m+1), |s| < 0.1716: the first term left out is below 1e-10 of the result.
__KS_LONG_FN float __ks_log_reduced(float x, float *e) {
  float f = __ks_log_split(x, e);
  float s = f / (2.0f + f), z = s * s;
  float p = 2.0f / 11;
  p = fmaf(p, z, 2.0f / 9), p = fmaf(p, z, 2.0f / 7), p = fmaf(p, z, 2.0f / 5), p = fmaf(p, z, 2.0f / 3);
  float h = 0.5f * f * f; // log(1+f) = f - (h - s (h + z p)), which keeps f, the exact part, apart
  return f - (h - s * (h + z * p));
}
// e ln 2 + l.
__KS_FN float __ks_log_sum(float e, float l) { return fmaf(e, 0.693145752f, fmaf(e, 1.42860677e-6f, l)); }
__KS_FN float __ks_log_edge(float x, float y) {
  return x > 0.0f ? (x < INFINITY ? y : x) : (x == 0.0f ? -INFINITY : NAN);
}
__KS_LONG_FN float __KS_EXACT(logf)(float x) {
  float e, l = __ks_log_reduced(x, &e);
  return __ks_log_edge(x, __ks_log_sum(e, l));
}
__KS_LONG_FN float __KS_EXACT(log2f)(float x) {
  float e, l = __ks_log_reduced(x, &e);
  return __ks_log_edge(x, e + fmaf(l, 1.44269502f, l * 1.92596303e-8f));
}
__KS_LONG_FN float __KS_EXACT(log10f)(float x) {
  float e, l = __ks_log_reduced(x, &e);
  return __ks_log_edge(x, fmaf(e, 0.301025391f, fmaf(e, 4.60503907e-6f, l * 0.434294482f)));
}

__KS_LONG_FN float __KS_EXACT(exp10f)(float x) {
  float n = rintf(fminf(fmaxf(x, -50.0f), 50.0f) * 3.32192809f);
  float r = fmaf(n, -0x1.3509f8p-18f, fmaf(n, -0x1.344p-2f, x)); // log10(2) in two parts
  float y = __ks_scale(__ks_exp_series(r * 2.30258509f), (int)n);
  return x > 39.0f ? INFINITY : x < -46.0f ? 0.0f : x == x ? y : x;
}
// 2^n e + (2^n - 1) for e = e^r - 1, where nothing large cancels; by half, as 2^n may overflow.
__KS_LONG_FN float expm1f(float x) {
  if (!(fabsf(x) > 0x1p-25f)) return x;
  if (x < -18.0f || x > 89.0f) return x < 0.0f ? -1.0f : INFINITY;
  float n, r = __ks_exp_reduced(x, &n);
  float e = fmaf(r * r, __ks_polynomial(r, 0.5f, 0x1.5554b0p-3f, 0x1.555486p-5f, 0x1.122838p-7f, 0x1.6d9968p-10f), r);
  float scale = __ks_pow2((int)n - 1);
  return 2.0f * fmaf(scale, e, scale - 0.5f);
}
// log(1 + x), where what 1 + x rounds away comes back as its quotient by 1 + x.
__KS_LONG_FN float log1pf(float x) {
  float u = 1.0f + x, e;
  if (x == 0.0f || u == INFINITY) return x;
  float l = __ks_log_reduced(u, &e);
  l += __fdividef(x - (u - 1.0f), u);
  return __ks_log_edge(u, __ks_log_sum(e, l));
}

// The sum of two floats and its error, for |a| >= |b|.
struct __ks_ff { float hi, lo; };
__KS_FN __ks_ff __ks_quick_sum(float a, float b) {
  float s = a + b;
  return {s, b - (s - a)};
}
// x^y for positive finite x. The logarithm is 2 atanh(s) for s = (m-1)/(m+1), to 2^-33 in two floats.
__KS_LONG_FN float __ks_pow(float x, float y) {
  float e, f = __ks_log_split(x, &e);
  __ks_ff d = __ks_quick_sum(2.0f, f);
  float r = __fdividef(1.0f, d.hi), s = f * r, rest = fmaf(-s, d.lo, fmaf(-s, d.hi, f)) * r;
  float z = s * s, over = fmaf(s, s, -z) + 2.0f * s * rest; // s^2
  float t = z * 0.333333343f, tail = fmaf(z, 0.333333343f, -t) + fmaf(z, -9.93410776e-9f, over * 0.333333343f);
  tail = fmaf(z * z, __ks_polynomial(z, 0.2f, 1.0f / 7, 1.0f / 9, 1.0f / 11), tail);
  float c = s * t;
  __ks_ff l = __ks_quick_sum(s, c);
  l.lo += fmaf(s, t, -c) + (fmaf(s, tail, rest * t) + rest);
  __ks_ff sum = __ks_quick_sum(e * 0.693145752f, 2.0f * l.hi); // the product is exact
  if (e == 0.0f) sum = {2.0f * l.hi, 0.0f};
  sum.lo += fmaf(e, 1.42860677e-6f, 2.0f * l.lo);
  float p = y * sum.hi, n, reduced = __ks_exp_reduced(fminf(fmaxf(p, -150.0f), 150.0f), &n);
  float q = reduced + fmaf(y, sum.lo, fmaf(y, sum.hi, -p));
  return p > 89.0f ? INFINITY : p < -104.0f ? 0.0f : __ks_scale(__ks_exp_series(q), (int)n);
}
__KS_LONG_FN float __KS_EXACT(powf)(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return x + y;
  float ax = fabsf(x), ay = fabsf(y), r;
  bool whole = ay >= 16777216.0f || truncf(y) == y;
  bool odd = whole && ay < 16777216.0f && ((int)ay & 1);
  if (x < 0.0f && !whole && x > -INFINITY) return NAN;
  if (ax == 1.0f) r = 1.0f;
  else if (ay == INFINITY) r = (ax > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
  else if (ax == 0.0f || ax == INFINITY) r = (ax == 0.0f) == (y > 0.0f) ? 0.0f : INFINITY;
  else r = __ks_pow(ax, y);
  return signbit(x) && odd ? -r : r;
}

// x minus the nearest multiple of pi/2, and the multiple modulo 4. Up to 105,615 with pi/2 in three parts, of which the
// first leaves no error, as in nvcc's code. Above with the bits of 2/pi that matter: x = m 2^e, bits of 2/pi above 2^(2-e) only
// add whole turns. Zeros keep their sign.
__KS_LONG_FN float __ks_reduce(float x, int *quadrant) {
  float ax = fabsf(x);
  if (!(ax > 105615.0f)) {
    int q = __float2int_rn(x * 0.636619747f);
    float n = q;
    *quadrant = q;
    return fmaf(-n, 0x1.84698ap-48f, fmaf(-n, 0x1.4442d0p-24f, fmaf(-n, 0x1.921fb4p+0f, x)));
  }
  if (ax == INFINITY) return NAN;
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
  float r = (float)rest * 8.51530385e-20f; // pi/2 * 2^-64
  *quadrant = x < 0.0f ? -q : q;
  return x < 0.0f ? -r : r;
}
// |r| <= pi/4: the terms left out are below 2e-9. Zeros keep their sign.
__KS_FN float __ks_sin_series(float r) {
  float z = r * r, p = 1.0f / 362880;
  p = fmaf(p, z, -1.0f / 5040), p = fmaf(p, z, 1.0f / 120), p = fmaf(p, z, -1.0f / 6);
  return fmaf(fmaf(p, z, 0.0f), r, r);
}
__KS_FN float __ks_cos_series(float r) {
  float z = r * r, p = -1.0f / 3628800;
  p = fmaf(p, z, 1.0f / 40320), p = fmaf(p, z, -1.0f / 720), p = fmaf(p, z, 1.0f / 24), p = fmaf(p, z, -0.5f);
  return fmaf(p, z, 1.0f);
}
// The sine of r and q quarters of a turn, with the operations of nvcc's code: the odd quarters are cosines.
__KS_LONG_FN float __ks_sin_quadrant(float r, int q) {
  bool odd = q & 1;
  float z = r * r, p = fmaf(odd ? 0x1.99eb4ap-16f : -0x1.994e5cp-13f, z, odd ? -0x1.6c0c32p-10f : 0x1.110760p-7f);
  p = fmaf(fmaf(p, z, odd ? 0x1.55554ap-5f : -0x1.555546p-3f), z, odd ? -0.5f : 0.0f);
  float y = fmaf(p, r, r);
  if (odd) y = fmaf(p, z, 1.0f);
  if (q & 2) y = fmaf(y, -1.0f, 0.0f);
  return y;
}
__KS_LONG_FN float __KS_EXACT(sinf)(float x) {
  int q = 0;
  float r = __ks_reduce(x, &q);
  return __ks_sin_quadrant(r, q);
}
__KS_LONG_FN float __KS_EXACT(cosf)(float x) {
  int q = 0;
  float r = __ks_reduce(x, &q);
  return __ks_sin_quadrant(r, q + 1);
}
__KS_LONG_FN void __KS_EXACT(sincosf)(float x, float *s, float *c) { *s = __KS_EXACT(sinf)(x), *c = __KS_EXACT(cosf)(x); }
__KS_LONG_FN float __KS_EXACT(tanf)(float x) {
  int q = 0;
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
// e^a / 2 for a >= 0, which does not overflow early.
__KS_LONG_FN float __ks_half_exp(float a) {
  float n, r = __ks_exp_reduced(fminf(a, 100.0f), &n);
  return __ks_scale(__ks_exp_series(r), (int)n - 1);
}
__KS_LONG_FN float sinhf(float x) {
  float a = fabsf(x), z = x * x;
  if (a < 1.0f) return fmaf(x * z, __ks_polynomial(z, 0x1.555556p-3f, 0x1.111134p-7f, 0x1.9ffe92p-13f, 0x1.7a15b6p-19f), x);
  float h = __ks_half_exp(a);
  return x == x ? copysignf(h - __fdividef(0.25f, h), x) : x;
}
__KS_LONG_FN float coshf(float x) {
  float h = __ks_half_exp(fabsf(x));
  return x == x ? h + __fdividef(0.25f, h) : x;
}
__KS_LONG_FN float tanhf(float x) {
  float a = fabsf(x), z = x * x;
  float p = __ks_polynomial(z, -0x1.55554ap-2f, 0x1.110d18p-3f, -0x1.b92616p-5f, 0x1.5927f6p-6f, -0x1.9ab1c4p-8f);
  if (a < 0.55f) return fmaf(fmaf(p, z, 0.0f), x, x); // + 0: zeros keep their sign
  float y = 1.0f - __fdividef(2.0f, fmaf(2.0f, __ks_half_exp(2.0f * fminf(a, 10.0f)), 1.0f));
  return x == x ? copysignf(y, x) : x;
}
// Each is log1p of something that loses few bits; far out, the logarithm of twice the argument.
__KS_LONG_FN float __ks_log_twice(float a) {
  float e, l = __ks_log_reduced(a, &e) + 0.693147181f;
  return a < INFINITY ? __ks_log_sum(e, l) : a;
}
__KS_LONG_FN float asinhf(float x) {
  float a = fabsf(x), q = a * a;
  return copysignf(a > 4096.0f ? __ks_log_twice(a) : log1pf(a + __fdividef(q, 1.0f + sqrtf(1.0f + q))), x);
}
__KS_LONG_FN float acoshf(float x) {
  float t = x - 1.0f;
  return x > 4096.0f ? __ks_log_twice(x) : x >= 1.0f ? log1pf(t + sqrtf(fmaf(t, t, 2.0f * t))) : NAN;
}
__KS_LONG_FN float atanhf(float x) {
  float a = fabsf(x);
  return copysignf(0.5f * log1pf(2.0f * a / (1.0f - a)), x);
}
// Components are scaled by a power of two, so that squares neither overflow nor vanish. An infinite one outweighs a NaN.
__KS_LONG_FN float __ks_norm(float x, float y, float z) {
  float most = fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(z));
  if (most == INFINITY) return most;
  int e = max(1, min(253, __float_as_int(most) >> 23));
  float scale = __int_as_float((254 - e) << 23);
  x *= scale, y *= scale, z *= scale;
  return sqrtf(fmaf(x, x, fmaf(y, y, z * z))) * __int_as_float(e << 23);
}
__KS_FN float hypotf(float x, float y) { return __ks_norm(x, y, 0.0f); }
__KS_FN float norm3df(float x, float y, float z) { return __ks_norm(x, y, z); }
// One step of Newton's method from the hardware's 2^(log2(x)/3), which is 2^-19 off.
__KS_LONG_FN float cbrtf(float x) {
  float a = fabsf(x), scale = 1.0f;
  if (!(a > 0.0f && a < INFINITY)) return x;
  if (a < 0x1p-126f) a *= 0x1p24f, scale = 0x1p-8f;
  float t = __ks_ex2(__ks_lg2(a) * 0.333333343f);
  return copysignf(fmaf(__fdividef(a, t * t) - t, 0.333333343f, t) * scale, x);
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
#pragma float_control(pop)
