// Numbers in two doubles, hi + lo with |lo| at most half a unit in the last place of hi: some 106 bits. The elementary
// functions carry them where one double would cost more than a unit in the last place.
#pragma once
// Rounding errors are taken from differences that fast arithmetic would cancel: exact here, whatever the options.
#pragma float_control(precise, on, push)

struct __ks_dd { double hi, lo; };

// a + b for any a and b, and for |a| >= |b|; both exact.
__KS_FN __ks_dd __ks_two_sum(double a, double b) {
  double s = __dadd_rn(a, b), back = __dsub_rn(s, a);
  return {s, __dadd_rn(__dsub_rn(a, __dsub_rn(s, back)), __dsub_rn(b, back))};
}
__KS_FN __ks_dd __ks_quick_sum(double a, double b) {
  double s = __dadd_rn(a, b);
  return {s, __dsub_rn(b, __dsub_rn(s, a))};
}
__KS_FN __ks_dd __ks_two_product(double a, double b) {
  double p = __dmul_rn(a, b);
  return {p, __fma_rn(a, b, -p)};
}
__KS_FN __ks_dd __ks_dd_add(__ks_dd a, __ks_dd b) {
  __ks_dd s = __ks_two_sum(a.hi, b.hi);
  return __ks_quick_sum(s.hi, s.lo + (a.lo + b.lo));
}
__KS_FN __ks_dd __ks_dd_multiply(__ks_dd a, __ks_dd b) {
  __ks_dd p = __ks_two_product(a.hi, b.hi);
  return __ks_quick_sum(p.hi, fma(a.hi, b.lo, fma(a.lo, b.hi, p.lo)));
}
// 1/b within a unit in the last place for b that is neither subnormal nor above 2^1020: two steps of Newton's method in one,
// from 20 bits.
__KS_FN double __ks_rcp(double b) {
  double r = __nvvm_rcp_approx_ftz_d(b), e = fma(-b, r, 1.0);
  return fma(fma(e, e, e), r, r);
}
// For the same b.
__KS_FN __ks_dd __ks_dd_divide(__ks_dd a, __ks_dd b) {
  double r = __ks_rcp(b.hi), q = __dmul_rn(a.hi, r);
  double rest = fma(-q, b.lo, fma(-q, b.hi, a.hi) + a.lo);
  return __ks_quick_sum(q, __dmul_rn(rest, r));
}

// c0 + c1 x + c2 x^2 + ...
__KS_FN double __ks_polynomial(double, double c) { return c; }
template <typename... _C> __KS_FN double __ks_polynomial(double x, double c, _C... rest) {
  return fma(__ks_polynomial(x, rest...), x, c);
}
__KS_FN float __ks_polynomial(float, float c) { return c; }
template <typename... _C> __KS_FN float __ks_polynomial(float x, float c, _C... rest) {
  return fmaf(__ks_polynomial(x, rest...), x, c);
}

#pragma float_control(pop)
