// The overloads of C++: a float argument takes the float function, and whole numbers and mixed arguments count as double.
#pragma once

template <bool _B, typename _T> struct __ks_if {};
template <typename _T> struct __ks_if<true, _T> { typedef _T type; };
// Older clangs (14, 16) cannot write traits into the names of functions, and take __is_arithmetic for libstdc++'s struct.
template <typename _T> struct __ks_kind {
  static const bool whole = __is_integral(_T), number = whole || __is_floating_point(_T);
};

// Whole numbers alone, for functions whose float and double overloads stand elsewhere.
#define __KS_WHOLE1(R, NAME)                                                                        \
  template <typename _T> __KS_FN typename __ks_if<__ks_kind<_T>::whole, R>::type NAME(_T x) { return NAME((double)x); }
#define __KS_MIXED2(NAME)                                                                           \
  template <typename _T, typename _U>                                                               \
  __KS_FN typename __ks_if<__ks_kind<_T>::number && __ks_kind<_U>::number, double>::type NAME(_T x, _U y) { \
    return NAME((double)x, (double)y);                                                              \
  }
#define __KS_OVERLOAD1(R, NAME) __KS_FN R NAME(float x) { return NAME##f(x); } __KS_WHOLE1(R, NAME)
#define __KS_FLOAT1(NAME) __KS_FN float NAME(float x) { return NAME##f(x); } __KS_WHOLE1(double, NAME)
#define __KS_FLOAT2(NAME) __KS_FN float NAME(float x, float y) { return NAME##f(x, y); } __KS_MIXED2(NAME)

// The list serves namespace std too.
#define __KS_EACH_UNARY(DO)                                                                         \
  DO(exp) DO(exp2) DO(expm1) DO(log) DO(log2) DO(log10) DO(log1p) DO(sin) DO(cos) DO(tan)           \
  DO(asin) DO(acos) DO(atan) DO(sinh) DO(cosh) DO(tanh) DO(asinh) DO(acosh) DO(atanh) DO(cbrt)      \
  DO(erf) DO(erfc) DO(tgamma) DO(lgamma) DO(logb)
#define __KS_EACH_UNARY_OF_CUDA(DO)                                                                 \
  DO(exp10) DO(sinpi) DO(cospi) DO(rcbrt) DO(erfcx) DO(erfinv) DO(erfcinv) DO(normcdf) DO(normcdfinv) \
  DO(j0) DO(j1) DO(y0) DO(y1)
#define __KS_EACH_BINARY(DO) DO(pow) DO(atan2) DO(fmod) DO(remainder) DO(hypot) DO(nextafter)
__KS_EACH_UNARY(__KS_FLOAT1)
__KS_EACH_UNARY_OF_CUDA(__KS_FLOAT1)
__KS_EACH_BINARY(__KS_FLOAT2)
__KS_FLOAT2(rhypot)
__KS_WHOLE1(double, sqrt)
__KS_WHOLE1(double, rsqrt)
__KS_WHOLE1(double, fabs)
__KS_WHOLE1(double, floor)
__KS_WHOLE1(double, ceil)
__KS_WHOLE1(double, trunc)
__KS_WHOLE1(double, rint)
__KS_WHOLE1(double, nearbyint)
__KS_WHOLE1(double, round)
__KS_WHOLE1(bool, isnan)
__KS_WHOLE1(bool, isinf)
__KS_WHOLE1(bool, isfinite)
__KS_WHOLE1(bool, signbit)
__KS_MIXED2(fmin)
__KS_MIXED2(fmax)
__KS_MIXED2(fdim)
__KS_MIXED2(copysign)
__KS_OVERLOAD1(int, ilogb)
__KS_OVERLOAD1(long, lrint)
__KS_OVERLOAD1(long, lround)
__KS_OVERLOAD1(long long, llrint)
__KS_OVERLOAD1(long long, llround)
#undef __KS_WHOLE1
#undef __KS_OVERLOAD1
#undef __KS_MIXED2
#undef __KS_FLOAT1
#undef __KS_FLOAT2

__KS_FN float ldexp(float x, int n) { return ldexpf(x, n); }
__KS_FN float scalbn(float x, int n) { return ldexpf(x, n); }
__KS_FN float scalbln(float x, long n) { return scalblnf(x, n); }
__KS_FN float frexp(float x, int *e) { return frexpf(x, e); }
__KS_FN float modf(float x, float *whole) { return modff(x, whole); }
__KS_FN float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
__KS_FN void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__KS_FN void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
__KS_FN bool isnormal(double x) { return fabs(x) >= DBL_MIN && fabs(x) < HUGE_VAL; }
__KS_FN bool isnormal(float x) { return fabsf(x) >= FLT_MIN && fabsf(x) < INFINITY; }
// As in CUDA, a float and a double compare as doubles.
__KS_BOTH_FN double min(float a, double b) { return fmin((double)a, b); }
__KS_BOTH_FN double min(double a, float b) { return fmin(a, (double)b); }
__KS_BOTH_FN double max(float a, double b) { return fmax((double)a, b); }
__KS_BOTH_FN double max(double a, float b) { return fmax(a, (double)b); }
