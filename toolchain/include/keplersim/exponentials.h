// Exponentials, logarithms, powers and hyperbolic functions in double precision, within two units in the last place.
// exp and log start from Taylor series; what would lose bits is carried in two doubles.
#pragma once
#pragma float_control(precise, on, push)

// 2^n as a double, n from -1022 to 1023, and x times 2^n with one rounding at most.
__KS_FN double __ks_pow2d(int n) { return __longlong_as_double((long long)(n + 1023) << 52); }
__KS_LONG_FN double ldexp(double x, int n) {
  n = max(-2200, min(2200, n));
  double y = x;
  if (n < -1022) { // 2^-969 leaves 53 bits above the subnormals, so that only the last step rounds
    y *= __ks_pow2d(-969), n += 969;
    if (n < -1022) y *= __ks_pow2d(-969), n += 969;
    return n < -1022 ? y * 0.0 : y * __ks_pow2d(n);
  }
  while (n > 1023) y *= __ks_pow2d(1023), n -= 1023;
  return y * __ks_pow2d(n);
}

// p = e^r for x = n ln 2 + r, |r| <= ln(2)/2, with the operations of nvcc's code: x log2(e) is rounded to a whole number by a
// number whose last place is one. The polynomial has the least error for its length: 2^-57.
__KS_LONG_FN double __ks_exp_reduced(double x, int *n) {
  double t = fma(x, 0x1.71547652b82fep+0, 0x1.8p+52), k = t - 0x1.8p+52;
  *n = __double2loint(t);
  double r = fma(k, -0x1.abc9e3b39803fp-56, fma(k, -0x1.62e42fefa39efp-1, x));
  return __ks_polynomial(r, 1.0, 1.0, 0x1.0000000000009p-1, 0x1.5555555555560p-3, 0x1.5555555550a97p-5, 0x1.111111110da3cp-7,
                         0x1.6c16c183d4a7bp-10, 0x1.a01a01b9c0ed0p-13, 0x1.a0199abc3f567p-16, 0x1.71dde1f4db80fp-19,
                         0x1.28acf3fefb907p-22, 0x1.af828ba7bd4a1p-26);
}
// p times 2^(n + shift) for p and n as above: by p's exponent, where the result is normal.
__KS_LONG_FN double __ks_exp_scale(double p, int n, double x, int shift) {
  int most = 0x40862000 - 2048 * max(shift, -shift); // the upper word of 708, less a whole number for each step of shift
  n += shift;
  if ((__double2hiint(x) & 0x7fffffff) < most) return __longlong_as_double(__double_as_longlong(p) + ((long long)n << 52));
  if (x != x) return x;
  if (fabs(x) > 800.0) return x > 0.0 ? HUGE_VAL : 0.0;
  int half = n >> 1;
  return p * __ks_pow2d(half) * __ks_pow2d(n - half);
}
__KS_LONG_FN double exp(double x) {
  int n;
  double p = __ks_exp_reduced(x, &n);
  return __ks_exp_scale(p, n, x, 0);
}
// e^(hi + lo) * 2^shift for a small shift; lo is dropped where hi says all.
__KS_LONG_FN double __ks_exp(double hi, double lo, int shift) {
  int n;
  double p = __ks_exp_reduced(hi, &n);
  return __ks_exp_scale(fma(p, lo, p), n, hi, shift);
}
__KS_LONG_FN double exp2(double x) {
  double c = fmin(fmax(x, -1100.0), 1100.0), n = rint(c);
  __ks_dd r = __ks_two_product(c - n, 0x1.62e42fefa39efp-1);
  double y = __ks_exp(r.hi, fma(c - n, 0x1.abc9e3b39803fp-56, r.lo), 0);
  int half = (int)n >> 1;
  return x == x ? y * __ks_pow2d(half) * __ks_pow2d((int)n - half) : x;
}
__KS_LONG_FN double exp10(double x) {
  if (!(fabs(x) < 400.0)) return x > 0 ? HUGE_VAL : x < 0 ? 0.0 : x;
  __ks_dd p = __ks_two_product(x, 0x1.26bb1bbb55516p+1);
  return __ks_exp(p.hi, fma(x, -0x1.f48ad494ea3e9p-53, p.lo), 0);
}
// x = n ln 2 + r + lo, e = e^(r + lo) - 1 for |r| <= ln(2)/2, whose first term left out is below 2^-57. The result is
// 2^n (1 + e) - 1 = 2^n e + (2^n - 1), where nothing large cancels.
__KS_LONG_FN double expm1(double x) {
  if (x > 60.0 || x != x) return exp(x);
  if (x < -60.0) return -1.0;
  if (x == 0.0) return x;
  double n = rint(x * 0x1.71547652b82fep+0), r = fma(n, -0x1.62e42fefa39efp-1, x), lo = n * -0x1.abc9e3b39803fp-56;
  double t = r * r * __ks_polynomial(r, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                                     1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0);
  double e = r + (t + fma(lo, r + t, lo)), scale = __ks_pow2d((int)n); // lo may stand 2^-45 below the rest: it takes the factor e^r
  return n == 0.0 ? e : fma(scale, e, scale - 1.0);
}

// Splits a positive finite x into m * 2^k with m between sqrt(1/2) and sqrt(2), and gives m - 1.
__KS_FN double __ks_log_split(double x, double *k) {
  long long bits = __double_as_longlong(x);
  int below = 0;
  if (bits < 0x0010000000000000ll) bits = __double_as_longlong(x * 18014398509481984.0), below = 54;
  int n = (int)((bits - 0x3fe6a09e667f3bcdll) >> 52);
  *k = n - below;
  return __longlong_as_double(bits - ((long long)n << 52)) - 1.0;
}
// log x = k ln 2 + u + u z P(z) for u = 2 (m-1)/(m+1), z = u^2, with the operations of nvcc's code: the error of u is found anew.
__KS_LONG_FN double log(double x) {
  double e, f = __ks_log_split(x, &e), r = __ks_rcp(f + 2.0);
  double u = 2.0 * (f * r), z = u * u, rest = fma(-u, f, 2.0 * (f - u)) * r;
  double p = __ks_polynomial(z, 0x1.5555555555555p-4, 0x1.9999999999e0ep-7, 0x1.249249242a0bfp-9, 0x1.c71c725a6b545p-12,
                             0x1.745cddc2cc017p-14, 0x1.3b20bf4306ca1p-16, 0x1.0f5b0ace07b7fp-18, 0x1.0f72fd496f1e9p-20);
  double y = fma(e, 0x1.62e42fefa39efp-1, u), lost = fma(-e, 0x1.62e42fefa39efp-1, y) - u;
  y += fma(e, 0x1.abc9e3b39803fp-56, fma(p * z, u, rest) - lost);
  return x > 0.0 ? (x < HUGE_VAL ? y : x) : (x == 0.0 ? -HUGE_VAL : (double)NAN);
}
// A positive finite x as m 2^k, m between sqrt(1/2) and sqrt(2), and log m to 2^-64 of itself:
// log m = 2 atanh(s) = s (2 + z (2/3 + z (2/5 + ...))), s = (m-1)/(m+1), z = s^2; the first two terms in two doubles.
__KS_LONG_FN __ks_dd __ks_log_mantissa(double x, double *k) {
  double f = __ks_log_split(x, k);
  __ks_dd s = __ks_dd_divide({f, 0.0}, __ks_two_sum(2.0, f)), z = __ks_dd_multiply(s, s);
  double tail = z.hi * __ks_polynomial(z.hi, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
                                       2.0 / 23, 2.0 / 25);
  __ks_dd q = __ks_quick_sum(0x1.5555555555555p-1, tail);
  q.lo += 0x1.5555555555555p-55;
  __ks_dd u = __ks_dd_multiply(s, __ks_dd_multiply(z, q));
  return __ks_dd_add({2.0 * s.hi, 2.0 * s.lo}, u);
}
// log x for a positive finite x, with ln 2 in a short part, whose product with k is exact, and a long one.
__KS_LONG_FN __ks_dd __ks_log(double x) {
  double k;
  __ks_dd m = __ks_log_mantissa(x, &k), s = __ks_two_sum(k * 6.93147180369123816490e-01, m.hi);
  return __ks_quick_sum(s.hi, s.lo + fma(k, 1.90821492927058770002e-10, m.lo));
}
__KS_FN bool __ks_positive(double x) { return x > 0.0 && x < HUGE_VAL; }
__KS_FN double __ks_log_edge(double x) { return x > 0.0 ? x : x == 0.0 ? -HUGE_VAL : (double)NAN; }
__KS_LONG_FN double log2(double x) {
  if (!__ks_positive(x)) return __ks_log_edge(x);
  double k;
  __ks_dd m = __ks_dd_multiply(__ks_log_mantissa(x, &k), {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  __ks_dd s = __ks_two_sum(k, m.hi);
  return s.hi + (s.lo + m.lo);
}
__KS_LONG_FN double log10(double x) {
  if (!__ks_positive(x)) return __ks_log_edge(x);
  return __ks_dd_multiply(__ks_log(x), {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}).hi;
}
// log(1 + x + y) for a small correction y: what 1 + x rounds away comes back as its quotient by 1 + x.
__KS_LONG_FN double __ks_log1p(double x, double y) {
  __ks_dd u = __ks_two_sum(1.0, x);
  if (!__ks_positive(u.hi)) return __ks_log_edge(u.hi);
  __ks_dd l = __ks_log(u.hi);
  return l.hi + (l.lo + (u.lo + y) / u.hi);
}
__KS_FN double log1p(double x) { return x == 0.0 ? x : __ks_log1p(x, 0.0); }

// Whether y is a whole number, and an odd one. From 2^53 on all are even.
__KS_FN bool __ks_whole(double y) { return trunc(y) == y; }
__KS_FN bool __ks_odd(double y) { return __ks_whole(y) && !__ks_whole(0.5 * y); }

// x^y = e^(y log |x|), with the sign and the special cases of C99.
__KS_LONG_FN double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  double ax = fabs(x), r;
  if (x < 0.0 && ax < HUGE_VAL && !__ks_whole(y)) return NAN;
  if (ax == 1.0) r = 1.0;
  else if (fabs(y) == HUGE_VAL) r = (ax > 1.0) == (y > 0.0) ? HUGE_VAL : 0.0;
  else if (ax == 0.0 || ax == HUGE_VAL) r = (ax == 0.0) == (y > 0.0) ? 0.0 : HUGE_VAL;
  else {
    double c = fmin(fmax(y, -0x1p70), 0x1p70); // beyond, every power overflows or vanishes
    __ks_dd l = __ks_log(ax), p = __ks_two_product(c, l.hi);
    r = __ks_exp(p.hi, fma(c, l.lo, p.lo), 0);
  }
  return signbit(x) && __ks_odd(y) ? -r : r;
}

// Hyperbolic functions from e^|x| - 1 where that does not cancel, else from e^|x| / 2, which does not overflow early.
__KS_LONG_FN double sinh(double x) {
  double a = fabs(x), y;
  if (a < 1.0) {
    double e = expm1(a);
    y = 0.5 * (e + e / (1.0 + e));
  } else {
    double h = __ks_exp(a, 0.0, -1);
    y = h - 0.25 / h;
  }
  return a > 0.0 ? copysign(y, x) : x;
}
__KS_LONG_FN double cosh(double x) {
  double h = __ks_exp(fabs(x), 0.0, -1);
  return h + 0.25 / h;
}
__KS_LONG_FN double tanh(double x) {
  double a = fabs(x), y = 1.0;
  if (a < 0.55) {
    double e = expm1(2.0 * a);
    y = e / (e + 2.0);
  } else if (a < 20.0) {
    y = 1.0 - 2.0 / (exp(2.0 * a) + 1.0);
  }
  return a > 0.0 ? copysign(y, x) : x;
}
// Inverses: each is log1p of something that loses no bits; far out, the logarithm of twice the argument.
__KS_FN double __ks_log_twice(double a) { return a < HUGE_VAL ? log(a) + 0x1.62e42fefa39efp-1 : a; }
__KS_LONG_FN double asinh(double x) {
  double a = fabs(x);
  if (!(a > 0.0)) return x;
  if (a > 0x1p28) return copysign(__ks_log_twice(a), x);
  __ks_dd q = __ks_two_product(a, a);
  double root = __dsqrt_rn(q.hi + 1.0), extra = q.hi / (1.0 + root);
  __ks_dd s = __ks_two_sum(a, extra);
  return copysign(__ks_log1p(s.hi, s.lo), x);
}
__KS_LONG_FN double acosh(double x) {
  if (!(x >= 1.0)) return NAN;
  if (x > 0x1p28) return __ks_log_twice(x);
  double t = x - 1.0, root = __dsqrt_rn(fma(t, t, 2.0 * t));
  __ks_dd s = __ks_two_sum(t, root);
  return __ks_log1p(s.hi, s.lo);
}
__KS_LONG_FN double atanh(double x) {
  double a = fabs(x);
  if (!(a > 0.0)) return x;
  if (a >= 1.0) return a == 1.0 ? copysign(HUGE_VAL, x) : (double)NAN;
  __ks_dd q = __ks_dd_divide({2.0 * a, 0.0}, __ks_two_sum(1.0, -a));
  return copysign(0.5 * __ks_log1p(q.hi, q.lo), x);
}

#pragma float_control(pop)
