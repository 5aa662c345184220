// Bessel functions in double precision: j0 to yn, and cyl_bessel_i0 and i1 of CUDA. Below 25 all orders come from one recurrence downwards, from
// where they vanish (Miller), and those of the second kind from sums over the even orders (Neumann, and its derivative); above from the asymptotic
// series. Errors are about 1e-15 of the larger of the two kinds, so that near a zero they are large beside the value.
#pragma once
#pragma float_control(precise, on, push)

struct __ks_bessel { double j0, j1, y0, y1, jn; };

__KS_LONG_FN __ks_bessel __ks_bessel_below(double x, int n) {
  const double euler = 0x1.2788cfc6fb619p-1, two_by_pi = 0x1.45f306dc9c883p-1;
  if (x < 1e-8) {
    double log_x = log(0.5 * x) + euler;
    return {1.0, 0.5 * x, two_by_pi * log_x, -two_by_pi / x, n == 0 ? 1.0 : n == 1 ? 0.5 * x : 0.0};
  }
  int top = 2 * ((int)(0.6 * x) + n / 2 + 14);
  double above = 0.0, here = 1e-300, evens = 0.0, s0 = 0.0, s1 = 0.0, at_n = 0.0, two_by_x = 2.0 / x;
  for (int k = top; k > 0; k--) { // here is of order k
    double below = k * two_by_x * here - above;
    if (k == n) at_n = here;
    if ((k & 1) == 0) {
      double sign = (k & 2) ? -2.0 / k : 2.0 / k;
      evens += here, s0 += sign * here, s1 += sign * (below - above);
    }
    above = here, here = below;
    if (fabs(here) > 1e200) here *= 1e-200, above *= 1e-200, evens *= 1e-200, s0 *= 1e-200, s1 *= 1e-200, at_n *= 1e-200;
  }
  double scale = 1.0 / (here + 2.0 * evens), j0 = here * scale, j1 = above * scale, log_x = log(0.5 * x) + euler;
  if (n <= 1) at_n = n ? above : here;
  return {j0, j1, two_by_pi * (log_x * j0 - 2.0 * s0 * scale), two_by_pi * (log_x * j1 - j0 / x + s1 * scale), at_n * scale};
}

// The asymptotic series of order n = 0 or 1: first the sum of even terms, then that of odd ones.
__KS_LONG_FN void __ks_bessel_series(double x, int n, double *even, double *odd) {
  double p = 1.0, q = 0.0, term = 1.0, by = 0.125 / x;
  for (int k = 1; k < 40; k++) {
    double next = term * (4.0 * n * n - (2.0 * k - 1.0) * (2.0 * k - 1.0)) * by / k;
    if (!(fabs(next) < fabs(term)) || fabs(next) < 1e-18) break;
    term = next;
    ((k & 1) ? q : p) += (k & 2) ? -term : term;
  }
  *even = p, *odd = q;
}
__KS_LONG_FN __ks_bessel __ks_bessel_above(double x) {
  double s, c, p, q, root = __dsqrt_rn(0x1.45f306dc9c883p-2 / x); // of 1 / (pi x): the 2 goes with sine and cosine of x - pi/4
  if (x > 0x1.fffffffffffffp+1022) return {0.0, 0.0, 0.0, 0.0, 0.0};
  sincos(x, &s, &c);
  __ks_bessel b;
  __ks_bessel_series(x, 0, &p, &q);
  b.j0 = root * (p * (c + s) - q * (s - c)), b.y0 = root * (p * (s - c) + q * (c + s));
  __ks_bessel_series(x, 1, &p, &q);
  b.j1 = root * (p * (s - c) + q * (s + c)), b.y1 = root * (q * (s - c) - p * (s + c));
  b.jn = 0.0;
  return b;
}
__KS_FN __ks_bessel __ks_bessel_of(double x) { return x < 25.0 ? __ks_bessel_below(x, 0) : __ks_bessel_above(x); }

// A zero or a number below zero has no function of the second kind.
#define __KS_SECOND(VALUE) (x != x ? x : x < 0.0 ? __longlong_as_double(0xfff8000000000000ll) : x == 0.0 ? -HUGE_VAL : (VALUE))
__KS_LONG_FN double j0(double x) { return x != x ? x : __ks_bessel_of(fabs(x)).j0; }
__KS_LONG_FN double j1(double x) {
  if (x != x || x == 0.0) return x;
  double v = __ks_bessel_of(fabs(x)).j1;
  return x < 0.0 ? -v : v;
}
__KS_LONG_FN double y0(double x) { return __KS_SECOND(__ks_bessel_of(x).y0); }
__KS_LONG_FN double y1(double x) { return __KS_SECOND(__ks_bessel_of(x).y1); }
__KS_LONG_FN double jn(int n, double x) {
  if (n < 0) return __longlong_as_double(0xfff8000000000000ll);
  if (n == 0 || x != x) return j0(x);
  if (n == 1) return j1(x);
  double a = fabs(x), v;
  if (a < 25.0 || n > a) v = a > 0x1p20 || n > 1 << 20 ? 0.0 : __ks_bessel_below(a, n).jn;
  else {
    __ks_bessel b = __ks_bessel_above(a);
    v = b.j1;
    for (double k = 1.0, before = b.j0; k < n; k += 1.0) {
      double next = k * 2.0 / a * v - before;
      before = v, v = next;
    }
  }
  return x < 0.0 && (n & 1) ? -v : v;
}
__KS_LONG_FN double yn(int n, double x) {
  if (n < 0) return __longlong_as_double(0xfff8000000000000ll);
  if (!(x > 0.0) || n < 2) return n == 1 ? y1(x) : y0(x);
  __ks_bessel b = __ks_bessel_of(x);
  double v = b.y1;
  for (double k = 1.0, before = b.y0; k < n && v > -HUGE_VAL; k += 1.0) {
    double next = k * 2.0 / x * v - before;
    before = v, v = next;
  }
  return v;
}
#undef __KS_SECOND

// Of imaginary arguments: all terms of the power series are positive.
static __inline__ __attribute__((host, device, unused)) double __ks_bessel_i(double x, int n) {
  double a = fabs(x), sum = 1.0, term = 1.0;
  if (x != x) return x;
  if (a < 30.0) {
    for (double k = 1.0; term > 1e-17 * sum; k += 1.0) sum += term *= 0.25 * a * a / (k * (k + n));
    if (n) sum *= 0.5 * a;
  } else {
    for (int k = 1; k < 40 && fabs(term) > 1e-17; k++) sum += term *= ((2.0 * k - 1.0) * (2.0 * k - 1.0) - 4.0 * n * n) * 0.125 / (a * k);
    double half = exp(0.5 * a); // whose square may be beyond all numbers before it is divided
    sum = sum * half / __builtin_sqrt(0x1.921fb54442d18p+2 * a) * half;
  }
  return n && x < 0.0 ? -sum : sum;
}
__KS_BOTH_FN double cyl_bessel_i0(double x) { return __ks_bessel_i(x, 0); }
__KS_BOTH_FN double cyl_bessel_i1(double x) { return __ks_bessel_i(x, 1); }
__KS_BOTH_FN float cyl_bessel_i0f(float x) { return (float)__ks_bessel_i(x, 0); }
__KS_BOTH_FN float cyl_bessel_i1f(float x) { return (float)__ks_bessel_i(x, 1); }
#pragma float_control(pop)
