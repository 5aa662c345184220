// Remainders, parts of numbers, neighbours, roundings to integers, in double precision: all exact.
#pragma once
#pragma float_control(precise, on, push)

// A positive finite x as a whole mantissa below 2^53 times 2^*e.
__KS_FN unsigned long long __ks_split(double x, int *e) {
  unsigned long long bits = (unsigned long long)__double_as_longlong(x), m = bits & 0xfffffffffffffull;
  int exponent = (int)(bits >> 52);
  *e = exponent ? exponent - 1075 : -1074;
  return exponent ? m | 0x10000000000000ull : m;
}
// The remainder of x by y, both positive and finite, and the quotient's last bits: long division, eleven bits a step.
__KS_LONG_FN double __ks_divide_long(double x, double y, unsigned int *quotient) {
  *quotient = 0;
  if (x < y) return x;
  int ex, ey;
  unsigned long long mx = __ks_split(x, &ex), my = __ks_split(y, &ey);
  *quotient = (unsigned int)(mx / my);
  mx %= my;
  for (int left = ex - ey; left > 0; left -= 11) {
    int k = min(11, left);
    mx <<= k;
    *quotient = *quotient << k | (unsigned int)(mx / my);
    mx %= my;
  }
  return ldexp((double)mx, ey);
}
__KS_LONG_FN double fmod(double x, double y) {
  double ax = fabs(x), ay = fabs(y);
  unsigned int q;
  if (!(ax < HUGE_VAL) || !(ay > 0.0)) return NAN;
  if (ay == HUGE_VAL) return x;
  return copysign(__ks_divide_long(ax, ay, &q), x);
}
// x minus the multiple of y nearest to it, the even one of two; the quotient's sign and last bits.
__KS_LONG_FN double remquo(double x, double y, int *quotient) {
  double ax = fabs(x), ay = fabs(y), r = ax;
  unsigned int q = 0;
  *quotient = 0;
  if (!(ax < HUGE_VAL) || !(ay > 0.0)) return NAN;
  if (ay < HUGE_VAL) r = __ks_divide_long(ax, ay, &q);
  double rest = ay - r;
  if (r > rest || (r == rest && (q & 1))) r = -rest, q++;
  *quotient = signbit(x) != signbit(y) ? -(int)(q & 0x7fffffffu) : (int)(q & 0x7fffffffu);
  return r == 0.0 ? copysign(0.0, x) : signbit(x) ? -r : r;
}
__KS_FN double remainder(double x, double y) { int q; return remquo(x, y, &q); }
__KS_FN double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(fabs(x) == HUGE_VAL ? 0.0 : x - *whole, x);
}
__KS_LONG_FN double frexp(double x, int *e) {
  *e = 0;
  if (x == 0.0 || !isfinite(x)) return x;
  double m = fabs(x) < DBL_MIN ? x * 0x1p54 : x;
  long long bits = __double_as_longlong(m);
  *e = (int)(bits >> 52 & 0x7ff) - 1022 - (m == x ? 0 : 54);
  return __longlong_as_double((bits & ~(0x7ffll << 52)) | 1022ll << 52);
}
__KS_LONG_FN int ilogb(double x) {
  int e;
  if (x != x || x == 0.0) return INT_MIN;
  if (fabs(x) == HUGE_VAL) return INT_MAX;
  frexp(x, &e);
  return e - 1;
}
__KS_FN double logb(double x) {
  return x != x ? x : x == 0.0 ? -HUGE_VAL : fabs(x) == HUGE_VAL ? HUGE_VAL : (double)ilogb(x);
}
__KS_FN double scalbn(double x, int n) { return ldexp(x, n); }
__KS_FN double scalbln(double x, long n) { return ldexp(x, (int)max(-5000l, min(5000l, n))); }
__KS_LONG_FN double nextafter(double x, double y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0) return copysign(0x1p-1074, y);
  return __longlong_as_double(__double_as_longlong(x) + ((x < y) == (x > 0.0) ? 1 : -1));
}
__KS_FN long long llrint(double x) { return __double2ll_rn(x); }
__KS_FN long long llround(double x) { return __double2ll_rz(round(x)); }

#pragma float_control(pop)
