// The machine's own C and C++ library, for programs as they are: what nvcc includes of it before the first line, after declarations that keep our
// device functions apart from the library's host functions of the same names.
//
// A constexpr function of a system header counts as one for host and device, unless a __device__ function of its name and parameters
// stands before it. So ours are declared here first, and defined later.
#pragma once
#pragma GCC system_header

#define __KS_DEVICE_DECLARATION static __inline__ __attribute__((device, unused))
#define __KS_DECLARE1(R, NAME) __KS_DEVICE_DECLARATION R NAME(float); __KS_DEVICE_DECLARATION R NAME(double);
#define __KS_DECLARE_UNARY(NAME) __KS_DEVICE_DECLARATION float NAME(float); __KS_DEVICE_DECLARATION double NAME(double);
#define __KS_DECLARE_BINARY(NAME) __KS_DEVICE_DECLARATION float NAME(float, float); __KS_DEVICE_DECLARATION double NAME(double, double);
#define __KS_EACH_DECLARED_UNARY(DO)                                                                \
  DO(acos) DO(acosh) DO(asin) DO(asinh) DO(atan) DO(atanh) DO(cbrt) DO(ceil) DO(cos) DO(cosh) DO(erf) DO(erfc) DO(exp) DO(exp2) DO(expm1) \
  DO(fabs) DO(floor) DO(lgamma) DO(log) DO(log10) DO(log1p) DO(log2) DO(logb) DO(nearbyint) DO(rint) DO(round) DO(sin) DO(sinh) \
  DO(sqrt) DO(tan) DO(tanh) DO(tgamma) DO(trunc)
#define __KS_EACH_DECLARED_BINARY(DO)                                                               \
  DO(atan2) DO(copysign) DO(fdim) DO(fmax) DO(fmin) DO(fmod) DO(hypot) DO(nextafter) DO(pow) DO(remainder)
#define __KS_EACH_DECLARED_OTHER(DO)                                                                \
  DO(abs) DO(fma) DO(frexp) DO(ilogb) DO(isfinite) DO(isinf) DO(isnan) DO(isnormal) DO(ldexp) DO(llrint) DO(llround) DO(lrint) DO(lround) DO(modf) \
  DO(remquo) DO(scalbln) DO(scalbn) DO(signbit)

__KS_EACH_DECLARED_UNARY(__KS_DECLARE_UNARY)
__KS_EACH_DECLARED_BINARY(__KS_DECLARE_BINARY)
__KS_DECLARE_UNARY(abs)
__KS_DEVICE_DECLARATION int abs(int);
__KS_DEVICE_DECLARATION long abs(long);
__KS_DEVICE_DECLARATION long long abs(long long);
__KS_DECLARE1(bool, isfinite)
__KS_DECLARE1(bool, isinf)
__KS_DECLARE1(bool, isnan)
__KS_DECLARE1(bool, isnormal)
__KS_DECLARE1(bool, signbit)
__KS_DECLARE1(int, ilogb)
__KS_DECLARE1(long, lrint)
__KS_DECLARE1(long, lround)
__KS_DECLARE1(long long, llrint)
__KS_DECLARE1(long long, llround)
__KS_DEVICE_DECLARATION float fma(float, float, float);
__KS_DEVICE_DECLARATION double fma(double, double, double);
__KS_DEVICE_DECLARATION float frexp(float, int *);
__KS_DEVICE_DECLARATION double frexp(double, int *);
__KS_DEVICE_DECLARATION float ldexp(float, int);
__KS_DEVICE_DECLARATION double ldexp(double, int);
__KS_DEVICE_DECLARATION float scalbn(float, int);
__KS_DEVICE_DECLARATION double scalbn(double, int);
__KS_DEVICE_DECLARATION float scalbln(float, long);
__KS_DEVICE_DECLARATION double scalbln(double, long);
__KS_DEVICE_DECLARATION float modf(float, float *);
__KS_DEVICE_DECLARATION double modf(double, double *);
__KS_DEVICE_DECLARATION float remquo(float, float, int *);
__KS_DEVICE_DECLARATION double remquo(double, double, int *);

namespace std {
#define __KS_USING(NAME) using ::NAME;
__KS_EACH_DECLARED_UNARY(__KS_USING)
__KS_EACH_DECLARED_BINARY(__KS_USING)
__KS_EACH_DECLARED_OTHER(__KS_USING)
#undef __KS_USING
#define __KS_STD static __inline__ __attribute__((device, unused, nodebug))
template <typename _T> __KS_STD constexpr const _T &min(const _T &a, const _T &b) { return b < a ? b : a; }
template <typename _T> __KS_STD constexpr const _T &max(const _T &a, const _T &b) { return a < b ? b : a; }
template <typename _T, typename Less> __KS_STD constexpr const _T &min(const _T &a, const _T &b, Less less) { return less(b, a) ? b : a; }
template <typename _T, typename Less> __KS_STD constexpr const _T &max(const _T &a, const _T &b, Less less) { return less(a, b) ? b : a; }
template <typename _T> __KS_STD constexpr const _T &clamp(const _T &v, const _T &low, const _T &high) { return v < low ? low : high < v ? high : v; }
template <typename _T> __KS_STD constexpr void swap(_T &a, _T &b) {
  _T t = static_cast<_T &&>(a);
  a = static_cast<_T &&>(b), b = static_cast<_T &&>(t);
}
#undef __KS_STD
} // namespace std
#undef __KS_DECLARE1
#undef __KS_DECLARE_UNARY
#undef __KS_DECLARE_BINARY
#undef __KS_DEVICE_DECLARATION

#if defined(__CUDA_ARCH__) && __clang_major__ < 19 // older ones refuse what the headers then declare
#undef __FLOAT128__
#undef __SIZEOF_FLOAT128__
#endif
#include <stddef.h>
#include <array> // which gcc's headers brought along until gcc 12, the first that no CUDA for Kepler takes
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>
#define __CLANG_CUDA_WRAPPERS_NEW // new and delete of device code are in system.h
#include <type_traits>
#include <utility>
#include <math.h>
#include <stdlib.h>
#include <sys/types.h>
