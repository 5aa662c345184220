// Error functions, the normal distribution and gamma functions in double precision. The polynomials were fitted at
// Chebyshev's nodes with 60 digits, each to 2^-56 or better of what it stands for.
#pragma once
#pragma float_control(precise, on, push)

// erf for |x| <= 1: x + x P(x^2).
__KS_LONG_FN double __ks_erf_small(double x) {
  return fma(x, __ks_polynomial(x * x, 0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b3p-4, -0x1.b82ce31284ep-6,
                                0x1.565bcd0dbaa38p-8, -0x1.c02db3dac435fp-11, 0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17,
                                0x1.b9df224ca4b97p-20, -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27, -0x1.389d4f2641625p-30,
                                0x1.05ffd737fb32ep-34), x);
}
// erfc(x) e^(x^2) for x >= 1/2: (1 + 2x) times it is a polynomial in (x - 4)/(x + 4).
__KS_LONG_FN double __ks_erfcx(double x) {
  double q = x > 0x1p100 ? 1.0 : (x - 4.0) / (x + 4.0);
  double p = __ks_polynomial(q, 0x1.3ba5916e9fd7fp0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fdb01p-7, 0x1.16ecefcfa5302p-4,
                             -0x1.9ddb23c3eaa04p-4, 0x1.7fee004e13fd2p-4, -0x1.0fb06dfe23568p-4, 0x1.3079edf638b94p-5,
                             -0x1.0962388c72475p-6, 0x1.49c672a3112ep-8, -0x1.8d4a9329a31eap-11, -0x1.a1df40d1e6c2bp-13,
                             0x1.3bdfc12713664p-13, -0x1.9955284057635p-16, -0x1.786d7f0e7e9bfp-17, 0x1.7ef5cbe217c4ep-18,
                             0x1.33f08c4df3064p-22, -0x1.b7e8d1f00c681p-21, 0x1.650d915cd9b58p-24, 0x1.ba155ff8e697cp-24,
                             -0x1.9824c28cce59dp-26, -0x1.412a66a98c7c3p-27, 0x1.ebdd5008f0e17p-29, -0x1.c0fa9fd34ef45p-34);
  return p / (1.0 + 2.0 * x);
}
// erfc(x) for x >= 1/2, x^2 given to its last bit.
__KS_FN double __ks_erfc_tail(double x, __ks_dd square) { return __ks_erfcx(x) * __ks_exp(-square.hi, -square.lo, 0); }
__KS_LONG_FN double erfc(double x) {
  double a = fabs(x);
  if (x != x) return x;
  if (a < 0.5) return 1.0 - __ks_erf_small(x);
  if (a > 28.0) return x > 0.0 ? 0.0 : 2.0;
  double y = __ks_erfc_tail(a, __ks_two_product(a, a));
  return x > 0.0 ? y : 2.0 - y;
}
__KS_LONG_FN double erf(double x) {
  double a = fabs(x);
  if (!(a > 0.0)) return x;
  if (a < 1.0) return __ks_erf_small(x);
  return copysign(a > 6.0 ? 1.0 : 1.0 - erfc(a), x);
}
__KS_LONG_FN double erfcx(double x) {
  if (x >= 0.5) return __ks_erfcx(x);
  if (x < -27.0) return HUGE_VAL;
  __ks_dd square = __ks_two_product(x, x);
  double e = __ks_exp(square.hi, square.lo, 0);
  return x > -0.5 ? e * (1.0 - __ks_erf_small(x)) : x != x ? x : 2.0 * e - __ks_erfcx(-x);
}

// The inverse of erfc for 0 < p <= 1: a guess by inverting erf(x)^2 ~ 1 - e^(-x^2 (4/pi + a x^2)/(1 + a x^2)), then steps of
// Halley's method, each of which triples the digits: f = erfc(x)/p - 1 near 0, in the centre erf(x) - q with q = 1 - p.
__KS_LONG_FN double __ks_erfcinv(double p, double q) {
  double l = log(p * (1.0 + q)), b = 4.3307467508 + 0.5 * l; // 2/(pi a), a = 0.147
  double x = __dsqrt_rn(fmax(0.0, __dsqrt_rn(b * b - l / 0.147) - b));
  if (p < 1e-8) { // far out: x^2 = log(erfcx(x)/p) draws near by 1/(2 x^2) a step
    x = __dsqrt_rn(-log(p));
    for (int step = 0; step < 2; step++) x = __dsqrt_rn(log(__ks_erfcx(x)) - log(p));
  }
  for (int step = 0; step < 3; step++) {
    __ks_dd square = __ks_two_product(x, x);
    // u = (erfc(x) - p) / (2/sqrt(pi) e^(-x^2)), the step of Newton's; Halley's divides it by 1 - x u.
    double u;
    if (x < 0.5) u = (q - __ks_erf_small(x)) * 0x1.c5bf891b4ef6bp-1 * __ks_exp(square.hi, square.lo, 0);
    else u = 0x1.c5bf891b4ef6bp-1 * (__ks_erfcx(x) - p * 0x1p100 * __ks_exp(square.hi, square.lo, -100));
    x += u / (1.0 - x * u);
  }
  return x;
}
__KS_LONG_FN double erfcinv(double p) {
  if (!(p >= 0.0 && p <= 2.0)) return NAN;
  if (p == 0.0 || p == 2.0) return p == 0.0 ? HUGE_VAL : -HUGE_VAL;
  return p <= 1.0 ? __ks_erfcinv(p, 1.0 - p) : -__ks_erfcinv(2.0 - p, p - 1.0);
}
__KS_LONG_FN double erfinv(double y) {
  double a = fabs(y);
  if (!(a <= 1.0)) return NAN;
  if (a == 0.0) return y;
  if (a < 0x1p-28) return y * 0x1.c5bf891b4ef6bp-1; // the next term is y^3 / 4
  return copysign(a == 1.0 ? HUGE_VAL : __ks_erfcinv(1.0 - a, a), y);
}
// The normal distribution: x^2/2 stands exactly in two doubles, so that the tail keeps its bits.
__KS_LONG_FN double normcdf(double x) {
  double a = fabs(x);
  if (x != x) return x;
  if (a < 0.70710678) return fma(0.5, __ks_erf_small(x * 0x1.6a09e667f3bcdp-1), 0.5);
  if (a > 39.0) return x > 0.0 ? 1.0 : 0.0;
  __ks_dd square = __ks_two_product(a, a);
  double y = 0.5 * __ks_erfcx(a * 0x1.6a09e667f3bcdp-1) * __ks_exp(-0.5 * square.hi, -0.5 * square.lo, 0);
  return x < 0.0 ? y : 1.0 - y;
}
__KS_FN double normcdfinv(double p) { return 0.0 - 0x1.6a09e667f3bcdp+0 * erfcinv(2.0 * p); }

// log Gamma(x) for x >= 16 after Stirling: (x - 1/2) log x - x + log(2 pi)/2 + 1/(12 x) - ...
__KS_LONG_FN __ks_dd __ks_stirling(double x) {
  double z = 1.0 / (x * x);
  double s = __ks_polynomial(z, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156) / x;
  __ks_dd main = __ks_dd_multiply(__ks_two_sum(x, -0.5), __ks_log(x));
  main = __ks_dd_add(main, {-x, 0.0});
  return __ks_dd_add(main, __ks_two_sum(0x1.d67f1c864beb5p-1, s));
}
// For t from 0 to 1, Gamma(1 + t) is 1 + t (t - 1) Q(t), log Gamma(1 + t) is t (t - 1) L(t).
__KS_LONG_FN double __ks_gamma_unit(double t) {
  double q = __ks_polynomial(t - 0.5, 0x1.d203b725884abp-2, -0x1.08ea88ee561b4p-3, 0x1.49f6dbfb3baa3p-3, -0x1.69694049f577ap-4,
                             0x1.0dd8443283ac3p-4, -0x1.5f038327e054cp-5, 0x1.dc6e890e49009p-6, -0x1.3d9d6ab330f0dp-6,
                             0x1.a8de12c5f0463p-7, -0x1.1b8a125cb92c1p-7, 0x1.7a61b691a884p-8, -0x1.f8bc188c4743ep-9,
                             0x1.50969a939a533p-9, -0x1.c105313deee22p-10, 0x1.2b60ca13d56e9p-10, -0x1.8d05dcf46adddp-11,
                             0x1.08b12231c08e6p-11, -0x1.745bb10e4fda1p-12, 0x1.f07be58031e83p-13, -0x1.bbd9692435963p-14,
                             0x1.27e6c8acd7205p-14, -0x1.11244ee2299c4p-13, 0x1.6c3084517184p-14);
  return fma(t * (t - 1.0), q, 1.0);
}
__KS_LONG_FN double __ks_lgamma_unit(double t) {
  double l = __ks_polynomial(t - 0.5, 0x1.eeb95b094c191p-2, -0x1.2aed059bd6085p-3, 0x1.01af62a2929e1p-4, -0x1.007aa83cef9abp-5,
                             0x1.133423527ae27p-6, -0x1.34dbda128eee5p-7, 0x1.64f0664fb6518p-8, -0x1.a5035375acabep-9,
                             0x1.f814b951d538bp-10, -0x1.313e5323120b7p-10, 0x1.750aa27fe4301p-11, -0x1.cb502b140a127p-12,
                             0x1.1c7b46046a59cp-12, -0x1.61854b057e6e9p-13, 0x1.ba26ce28a34bp-14, -0x1.1cf3272629995p-14,
                             0x1.672b94917149fp-15, -0x1.6880fac68f031p-16, 0x1.c7d009a4fae3ap-17, -0x1.36d84fee907ffp-16,
                             0x1.8ca55ab6b8718p-17);
  return t * (t - 1.0) * l;
}
// Gamma(x) for x > 0: down to 1 to 2 by (x-1)(x-2)..., a product in two doubles; from 16 on after Stirling.
__KS_LONG_FN double __ks_gamma_positive(double x) {
  if (x > 172.0) return HUGE_VAL;
  if (x >= 16.0) {
    __ks_dd l = __ks_stirling(x);
    return __ks_exp(l.hi, l.lo, 0);
  }
  if (x < 0x1p-54) return 1.0 / x;
  __ks_dd product = {1.0, 0.0};
  double u = x;
  for (; u > 2.0; u -= 1.0) product = __ks_dd_multiply(product, {u - 1.0, 0.0}); // exact steps: u shrinks
  if (u < 1.0) return __ks_gamma_unit(u) / u;
  double g = __ks_gamma_unit(u - 1.0);
  return fma(product.hi, g, product.lo * g);
}
__KS_LONG_FN double tgamma(double x) {
  if (x != x || x == HUGE_VAL) return x;
  if (x == 0.0) return copysign(HUGE_VAL, x);
  if (x > 0.0) return __ks_gamma_positive(x);
  if (trunc(x) == x) return NAN;
  if (x > -0x1p-54) return 1.0 / x;
  if (x < -184.0) return copysign(0.0, sinpi(x));
  // Gamma(x) = pi / (sin(pi x) a Gamma(a)) for a = -x; where Gamma(a) is large, through its logarithm.
  double s = sinpi(x), a = -x;
  if (a < 16.0) return 0x1.921fb54442d18p+1 / (s * a * __ks_gamma_positive(a));
  __ks_dd l = __ks_stirling(a);
  double down = __ks_exp(-l.hi, -l.lo, 100); // 2^100 / Gamma(a)
  return 0x1.921fb54442d18p+1 / (s * a) * down * 0x1p-100;
}
__KS_LONG_FN double lgamma(double x) {
  double a = fabs(x), y;
  if (!(a < HUGE_VAL)) return a;
  if (a == 0.0 || (x < 0.0 && trunc(x) == x)) return HUGE_VAL;
  if (a < 0x1p-60) return -log(a);
  if (a >= 16.0) {
    if (a > 0x1p1000) y = a * (log(a) - 1.0);
    else y = __ks_stirling(a).hi;
  } else if (a < 1.0) {
    __ks_dd l = __ks_log(a);
    y = __ks_lgamma_unit(a) - l.hi;
  } else {
    __ks_dd product = {1.0, 0.0};
    double u = a;
    for (; u > 2.0; u -= 1.0) product = __ks_dd_multiply(product, {u - 1.0, 0.0});
    __ks_dd l = __ks_log(product.hi);
    y = __ks_lgamma_unit(u - 1.0) + l.hi + (l.lo + product.lo / product.hi);
  }
  if (x > 0.0) return y;
  return 0x1.250d048e7a1bdp+0 - log(fabs(sinpi(x)) * a) - y;
}

#pragma float_control(pop)
