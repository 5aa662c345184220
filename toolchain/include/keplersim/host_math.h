// CUDA's own functions of <math.h> in host code. They are templates, which give way to a program's functions of these names.
#pragma once

template <typename _T, bool = std::is_floating_point<_T>::value> struct __ks_host_number {};
template <typename _T> struct __ks_host_number<_T, true> { typedef _T type; };
#define __KS_HOST1(NAME, VALUE)                                                                     \
  template <typename _T> __host__ static __inline__ __attribute__((unused)) typename __ks_host_number<_T>::type NAME(_T number) { \
    double x = number;                                                                              \
    return (_T)(VALUE);                                                                             \
  }                                                                                                 \
  template <typename _T> __host__ static __inline__ __attribute__((unused)) typename __ks_host_number<_T>::type NAME##f(_T number) { return NAME((float)number); }

__host__ static __inline__ __attribute__((unused)) double __ks_host_sinpi(double x) {
  double r = std::fmod(x, 2.0);
  return r == (double)(long)r ? std::copysign(0.0, x) : std::fabs(r) == 0.5 || std::fabs(r) == 1.5 ? (r == 0.5 || r == -1.5 ? 1.0 : -1.0) : std::sin(r * 3.14159265358979323846);
}
// The root of erfc(y) = p by Halley's steps, from an approximation of a few digits.
__host__ static __inline__ __attribute__((unused)) double __ks_host_erfcinv(double p) {
  if (!(p > 0.0 && p < 2.0)) return p == 0.0 ? HUGE_VAL : p == 2.0 ? -HUGE_VAL : std::sqrt(-1.0);
  double q = p < 1.0 ? p : 2.0 - p, t = std::sqrt(-2.0 * std::log(q / 2.0));
  double y = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t);
  for (int step = 0; step < 4; step++) {
    double off = std::erfc(y) - q;
    y += off / (1.12837916709551257 * std::exp(-y * y) - y * off);
  }
  return p < 1.0 ? y : -y;
}
__KS_HOST1(rsqrt, 1.0 / std::sqrt(x))
__KS_HOST1(rcbrt, 1.0 / std::cbrt(x))
__KS_HOST1(sinpi, __ks_host_sinpi(x))
__KS_HOST1(cospi, __ks_host_sinpi(std::fabs(x) + 0.5))
__KS_HOST1(erfcinv, __ks_host_erfcinv(x))
__KS_HOST1(erfinv, x == 0.0 ? x : __ks_host_erfcinv(1.0 - x))
__KS_HOST1(erfcx, x < 25.0 ? std::exp(x * x) * std::erfc(x) : 0.56418958354775629 / x * (1.0 - (0.5 - (0.75 - (1.875 - (6.5625 - 29.53125 / x / x) / x / x) / x / x) / x / x) / x / x))
__KS_HOST1(normcdf, 0.5 * std::erfc(x * -0.70710678118654752))
__KS_HOST1(normcdfinv, -1.41421356237309505 * __ks_host_erfcinv(2.0 * x))
#undef __KS_HOST1
