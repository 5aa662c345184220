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

// Of the quarter turns before x and the rest, which is exact; quarters more make sine cosine.
__host__ static __inline__ __attribute__((unused)) double __ks_host_sinpi(double x, int quarters) {
  if (!(std::fabs(x) < 0x1p52)) x = x - x == 0.0 ? std::fmod(x, 2.0) : x - x;
  double turns = std::rint(2.0 * x), rest = (x - 0.5 * turns) * 3.14159265358979323846;
  int quarter = ((int)std::fmod(turns, 4.0) + 4 + quarters) & 3;
  double size = quarter & 1 ? std::cos(rest) : rest == 0.0 ? (quarters ? 0.0 : std::copysign(0.0, x)) : std::sin(rest);
  return quarter & 2 && size != 0.0 ? -size : size;
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
// The root of erf(y) = x near 0, where 1 - x would lose its digits.
__host__ static __inline__ __attribute__((unused)) double __ks_host_erfinv(double x) {
  if (!(std::fabs(x) < 0.5)) return __ks_host_erfcinv(1.0 - x);
  double y = 0.88622692545275801 * x;
  for (int step = 0; step < 4; step++) {
    double off = std::erf(y) - x;
    y -= off / (1.12837916709551257 * std::exp(-y * y) + y * off);
  }
  return x == 0.0 ? x : y;
}
__KS_HOST1(rsqrt, 1.0 / std::sqrt(x))
__KS_HOST1(rcbrt, 1.0 / std::cbrt(x))
__KS_HOST1(sinpi, __ks_host_sinpi(x, 0))
__KS_HOST1(cospi, __ks_host_sinpi(x, 1))
__KS_HOST1(erfcinv, x > 0.5 && x < 1.5 ? __ks_host_erfinv(1.0 - x) : __ks_host_erfcinv(x))
__KS_HOST1(erfinv, __ks_host_erfinv(x))
__KS_HOST1(erfcx, x < 25.0 ? std::exp(x * x) * std::erfc(x) : 0.56418958354775629 / x * (1.0 - (0.5 - (0.75 - (1.875 - (6.5625 - 29.53125 / x / x) / x / x) / x / x) / x / x) / x / x))
__KS_HOST1(normcdf, 0.5 * std::erfc(x * -0.70710678118654752))
__KS_HOST1(normcdfinv, -1.41421356237309505 * __ks_host_erfcinv(2.0 * x))
#undef __KS_HOST1

// Lengths of vectors and their reciprocals, and sines with cosines.
#define __KS_HOST_FN template <typename... _Way> __host__ static __inline__ __attribute__((unused)) // it gives way, as above
__KS_HOST_FN double norm3d(double x, double y, double z) { return std::hypot(std::hypot(x, y), z); }
__KS_HOST_FN double norm4d(double x, double y, double z, double w) { return std::hypot(std::hypot(x, y), std::hypot(z, w)); }
__KS_HOST_FN double norm(int n, const double *v) {
  double length = 0.0;
  for (int i = 0; i < n; i++) length = std::hypot(length, v[i]);
  return length;
}
__KS_HOST_FN float normf(int n, const float *v) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += (double)v[i] * v[i];
  return (float)std::sqrt(sum);
}
__KS_HOST_FN double rhypot(double x, double y) { return 1.0 / std::hypot(x, y); }
__KS_HOST_FN double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
__KS_HOST_FN double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
__KS_HOST_FN double rnorm(int n, const double *v) { return 1.0 / norm(n, v); }
__KS_HOST_FN float rnormf(int n, const float *v) { return 1.0f / normf(n, v); }
__KS_HOST_FN float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
__KS_HOST_FN float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
__KS_HOST_FN float rhypotf(float x, float y) { return (float)rhypot(x, y); }
__KS_HOST_FN float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
__KS_HOST_FN float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }
__KS_HOST_FN void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
__KS_HOST_FN void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
#undef __KS_HOST_FN
