// Circular functions and their inverses in double precision, within two units in the last place for every argument.
#pragma once
#pragma float_control(precise, on, push)

// Tables are where the side that compiles them reads them.
#ifdef __CUDA_ARCH__
#define __KS_TABLE static __device__ const
#else
#define __KS_TABLE static const
#endif

// The first 1280 bits of 2/pi.
__KS_TABLE unsigned long long __ks_two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

// x minus the nearest multiple of pi/2, for x of 2^30 and more: x = m 2^e with a 53-bit m, and those bits of 2/pi that
// stand above 2^(2-e) only add whole turns, so a window of 192 bits that begins there is all that matters.
__device__ static __inline__ __attribute__((noinline, unused)) __ks_dd __ks_reduce_huge(double x, int *quadrant) {
  long long bits = __double_as_longlong(x);
  unsigned long long m = ((unsigned long long)bits & 0xfffffffffffffull) | 0x10000000000000ull;
  int first = (int)(bits >> 52 & 0x7ff) - 1075 - 2; // bits of 2/pi that fall away; -1 begins with the digit before the point
  int skip = first < 0 ? 0 : first, word = skip >> 6, shift = skip & 63, before = skip - first;
  unsigned long long w[4], v[3];
  for (int i = 0; i < 4; i++) w[i] = __ks_two_over_pi[word + i];
  for (int i = 0; i < 3; i++) v[i] = shift ? w[i] << shift | w[i + 1] >> (64 - shift) : w[i];
  if (before) v[2] = v[2] >> before | v[1] << (64 - before), v[1] = v[1] >> before | v[0] << (64 - before), v[0] >>= before;
  // The product modulo 2^192, in units of 2^-190 quadrants.
  unsigned long long lo = m * v[2], mid = m * v[1], hi = m * v[0] + __umul64hi(m, v[1]), carry = __umul64hi(m, v[2]);
  mid += carry, hi += mid < carry;
  int q = (int)(hi >> 62);
  hi = hi << 2 | mid >> 62, mid = mid << 2 | lo >> 62; // now a fraction of a quadrant in 2^-128
  bool up = (long long)hi < 0;
  if (up) q++, mid = ~mid, hi = ~hi; // the distance to the next quadrant, but for 2^-128
  int zeros = __clzll((long long)hi); // normalised, so that few zeros stand before the first bit
  if (zeros) hi = hi << zeros | mid >> (64 - zeros), mid <<= zeros;
  double scale = __ks_pow2d(-53 - zeros);
  __ks_dd f = __ks_quick_sum((double)(hi >> 11) * scale, (double)((hi & 0x7ff) << 53 | mid >> 11) * (scale * 0x1p-64));
  __ks_dd r = __ks_dd_multiply(f, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  bool negative = x < 0.0;
  *quadrant = negative ? -q : q;
  if (up != negative) r.hi = -r.hi, r.lo = -r.lo;
  return r;
}
// x minus the nearest multiple of pi/2 in two doubles, and the multiple modulo 4. Below 2^30 with pi/2 in three parts:
// the first subtraction is exact, the second leaves its error, the third stands beyond 2^-108 of a turn.
__KS_LONG_FN __ks_dd __ks_reduce_dd(double x, int *quadrant) {
#ifdef __CUDA_ARCH__
  if (fabs(x) >= 0x1p30) return __ks_reduce_huge(x, quadrant);
#endif
  double n = rint(x * 0x1.45f306dc9c883p-1);
  *quadrant = (int)n;
  double a = fma(-n, 0x1.921fb54442d18p+0, x);
  __ks_dd b = __ks_two_product(n, 0x1.1a62633145c07p-54), r = __ks_two_sum(a, -b.hi);
  return __ks_quick_sum(r.hi, r.lo - fma(n, -0x1.f1976b7ed8fbcp-110, b.lo));
}
// The same in one double. Zeros keep their sign.
__KS_LONG_FN double __ks_reduce(double x, int *quadrant) {
  if (isinf(x)) return NAN;
  int q = __double2int_rn(x * 0x1.45f306dc9c883p-1);
  double n = q;
  *quadrant = q;
  double r = fma(-n, 0x1.b839a252049c1p-104, fma(-n, 0x1.1a62633145c00p-54, fma(-n, 0x1.921fb54442d18p+0, x)));
#ifdef __CUDA_ARCH__
  if (fabs(x) >= 0x1p30) r = __ks_reduce_huge(x, quadrant).hi;
#endif
  return r;
}
// (sin r - r)/r and (cos r - 1)/r^2 as polynomials of r^2 from the highest power, with the least error of the result on
// |r| <= pi/4 (by Remez's algorithm): 2^-58 of a sine, 2^-63 of a cosine.
__KS_TABLE double __ks_sin_cos[2][7] = {
    {0x1.5d932ae69d5e9p-33, -0x1.ae5e66c6588e6p-26, 0x1.71de35786297ap-19, -0x1.a01a019c12579p-13, 0x1.111111110f880p-7,
     -0x1.5555555555549p-3, 0.0},
    {-0x1.8fa494f0f897bp-37, 0x1.1ee9d7ab4c10ap-29, -0x1.27e4f7eab6ffep-22, 0x1.a01a019c843cep-16, -0x1.6c16c16c14f91p-10,
     0x1.555555555554bp-5, -0.5}};
__KS_FN double __ks_sin_cos_series(double z, int cosine) {
  const double *c = __ks_sin_cos[cosine];
  return __ks_polynomial(z, c[6], c[5], c[4], c[3], c[2], c[1], c[0]);
}
// The sine of r and q quarters of a turn, with the operations of nvcc's code: the odd quarters are cosines, and take one more.
__KS_LONG_FN double __ks_sin_quadrant(double r, int q) {
  double z = r * r, p = __ks_sin_cos_series(z, q & 1), y = fma(p, r, r);
  if (q & 1) y = fma(p, z, 1.0);
  if (q & 2) y = fma(y, -1.0, 0.0);
  return y;
}
__KS_LONG_FN double sin(double x) {
  int q = 0;
  double r = __ks_reduce(x, &q);
  return __ks_sin_quadrant(r, q);
}
__KS_LONG_FN double cos(double x) {
  int q = 0;
  double r = __ks_reduce(x, &q);
  return __ks_sin_quadrant(r, q + 1);
}
__KS_LONG_FN void sincos(double x, double *s, double *c) {
  int q = 0;
  double r = __ks_reduce(x, &q);
  *s = __ks_sin_quadrant(r, q), *c = __ks_sin_quadrant(r, q + 1);
}
__KS_LONG_FN double tan(double x) {
  int q = 0;
  if (!isfinite(x)) return NAN;
  if (x == 0.0) return x;
  __ks_dd r = __ks_reduce_dd(x, &q), z = __ks_two_product(r.hi, r.hi), c = __ks_quick_sum(1.0, -0.5 * z.hi);
  double s = r.hi + fma(r.hi, __ks_sin_cos_series(z.hi, 0), fma(-0.5 * z.hi, r.lo, r.lo));
  double rest = fma(z.hi, __ks_sin_cos_series(z.hi, 1) + 0.5, fma(-r.hi, r.lo, -0.5 * z.lo));
  double k = c.hi + (c.lo + rest);
  return q & 1 ? -k / s : s / k;
}
// pi x modulo its quadrants: whole periods go first, exactly.
__KS_LONG_FN double __ks_reduce_pi(double x, int *quadrant) {
  x -= 2.0 * trunc(0.5 * x);
  double n = rint(2.0 * x), rest = fma(-0.5, n, x);
  *quadrant = (int)n;
  return fma(rest, 0x1.921fb54442d18p+1, rest * 0x1.1a62633145c07p-53);
}
__KS_LONG_FN double sinpi(double x) {
  int q = 0;
  if (!isfinite(x)) return NAN;
  if (trunc(x) == x) return copysign(0.0, x);
  double r = __ks_reduce_pi(x, &q);
  return __ks_sin_quadrant(r, q);
}
__KS_LONG_FN double cospi(double x) {
  int q = 0;
  if (!isfinite(x)) return NAN;
  double r = __ks_reduce_pi(x, &q);
  double y = __ks_sin_quadrant(r, q + 1);
  return y == 0.0 ? 0.0 : y;
}
__KS_LONG_FN void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }

// atan(y/x) for positive y and x: the quotient, or that of (y - x) to (y + x), is brought below tan(pi/8), where a
// polynomial fitted at Chebyshev's nodes gives (atan t - t)/t^3 to 2^-59; the angle taken off is *eighths times pi/4.
__KS_LONG_FN __ks_dd __ks_atan_octant(double y, double x, int *eighths) {
  __ks_dd t;
  if (y <= 0.41421356237309503 * x) *eighths = 0, t = __ks_dd_divide({y, 0.0}, {x, 0.0});
  else if (y >= 2.4142135623730951 * x) *eighths = 2, t = __ks_dd_divide({-x, 0.0}, {y, 0.0});
  else *eighths = 1, t = __ks_dd_divide(__ks_two_sum(y, -x), __ks_two_sum(y, x));
  double z = t.hi * t.hi;
  double p = __ks_polynomial(z, -0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7eep-3, 0x1.c71c71c304b68p-4,
                             -0x1.745d165df3f95p-4, 0x1.3b1392d9e785cp-4, -0x1.110e880a7a521p-4, 0x1.e19a13b9fc6dfp-5,
                             -0x1.ac7a938b69c93p-5, 0x1.74ddd408bb4c1p-5, -0x1.1b33b923aa954p-5, 0x1.0ad36a455cafbp-6);
  return __ks_quick_sum(t.hi, fma(t.hi * z, p, t.lo));
}
// n eighths of a turn plus a; every multiple of the two doubles of pi/4 is exact but that by 3.
__KS_FN double __ks_add_eighths(int n, __ks_dd a) {
  double hi = n == 3 ? 0x1.2d97c7f3321d2p+1 : n * 0x1.921fb54442d18p-1;
  double lo = n == 3 ? 0x1.a79394c9e8a0ap-54 : n * 0x1.1a62633145c07p-55;
  __ks_dd s = __ks_two_sum(hi, a.hi);
  return s.hi + (s.lo + (lo + a.lo));
}
__KS_LONG_FN double atan(double x) {
  double a = fabs(x);
  if (!(a > 0.0)) return x;
  if (a > 0x1p60) return copysign(0x1.921fb54442d18p+0, x);
  int n;
  __ks_dd t = __ks_atan_octant(a, 1.0, &n);
  return copysign(__ks_add_eighths(n, t), x);
}
__KS_LONG_FN double atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  double ax = fabs(x), ay = fabs(y);
  int n = 0;
  __ks_dd t = {0.0, 0.0};
  if (ax == ay && (ax == 0.0 || ax == HUGE_VAL)) n = ax == 0.0 ? 0 : 1;
  else if (ay == 0.0 || ax == HUGE_VAL) n = 0;
  else if (ax == 0.0 || ay == HUGE_VAL) n = 2;
  else {
    double top = fmax(ax, ay), scale = top > 0x1p1000 ? 0x1p-60 : top < 0x1p-900 ? 0x1p120 : 1.0;
    if (ay * 0x1p-60 > ax) n = 2;
    else if (!signbit(x) && ax * 0x1p-500 > ay) return copysign(ay / ax, y); // may be subnormal: one rounding
    else t = __ks_atan_octant(ay * scale, ax * scale, &n);
  }
  if (signbit(x)) n = 4 - n, t.hi = -t.hi, t.lo = -t.lo;
  return copysign(__ks_add_eighths(n, t), y);
}

// (asin(t) - t)/t^3 for z = t^2 up to 1/4, fitted to 2^-56.
__KS_LONG_FN double __ks_asin_tail(double z) {
  return __ks_polynomial(z, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6,
                         0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7,
                         0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                         0x1.d72b2bc8155f8p-6);
}
// For 1/2 <= a <= 1: acos(a) = 2 asin(sqrt((1 - a)/2)), as two doubles.
__KS_LONG_FN __ks_dd __ks_acos_upper(double a) {
  double z = 0.5 * (1.0 - a), s = __dsqrt_rn(z);
  if (s == 0.0) return {0.0, 0.0};
  double rest = fma(-s, s, z) / (s + s);
  return {2.0 * s, 2.0 * fma(s * z, __ks_asin_tail(z), rest)};
}
__KS_LONG_FN double asin(double x) {
  double a = fabs(x);
  if (!(a <= 1.0)) return NAN;
  if (a < 0.5) return fma(x * x * x, __ks_asin_tail(x * x), x);
  __ks_dd c = __ks_acos_upper(a), s = __ks_two_sum(0x1.921fb54442d18p+0, -c.hi);
  return copysign(s.hi + (s.lo + (0x1.1a62633145c07p-54 - c.lo)), x);
}
__KS_LONG_FN double acos(double x) {
  double a = fabs(x);
  if (!(a <= 1.0)) return NAN;
  if (a < 0.5) {
    __ks_dd s = __ks_two_sum(0x1.921fb54442d18p+0, -x);
    return s.hi + (s.lo + (0x1.1a62633145c07p-54 - x * x * x * __ks_asin_tail(x * x)));
  }
  __ks_dd c = __ks_acos_upper(a);
  if (x > 0.0) return c.hi + c.lo;
  __ks_dd s = __ks_two_sum(0x1.921fb54442d18p+1, -c.hi);
  return s.hi + (s.lo + (0x1.1a62633145c07p-53 - c.lo));
}

#pragma float_control(pop)
