// Cube roots, lengths of vectors and their reciprocals in double precision, within a unit in the last place.
#pragma once
#pragma float_control(precise, on, push)

// A guess from the exponent's third, three steps of Halley's, and one of Newton's with the cube in two doubles.
__KS_LONG_FN double cbrt(double x) {
  if (x == 0.0 || !isfinite(x)) return x;
  double a = fabs(x), scale = 1.0;
  if (a < 0x1p-500) a *= 0x1p600, scale = 0x1p-200;
  if (a > 0x1p500) a *= 0x1p-600, scale = 0x1p200;
  double y = __longlong_as_double(__double_as_longlong(a) / 3 + (682ll << 52)); // 682 = 2/3 of the exponent's bias
  for (int step = 0; step < 3; step++) {
    double c = y * y * y;
    y -= y * ((c - a) / (2.0 * c + a));
  }
  __ks_dd square = __ks_two_product(y, y), cube = __ks_two_product(square.hi, y);
  double excess = (cube.hi - a) + fma(square.lo, y, cube.lo);
  return copysign((y - excess / (3.0 * square.hi)) * scale, x);
}
__KS_FN double rcbrt(double x) { return 1.0 / cbrt(x); }

// The sum of squares in two doubles after scaling by a power of two, so that nothing overflows or is lost.
struct __ks_squares {
  double scale;
  __ks_dd sum;
  __host__ __device__ __forceinline__ explicit __ks_squares(double top) : sum{0.0, 0.0} {
    int e;
    frexp(top, &e);
    scale = __ks_pow2d(max(-1020, min(1020, -e)));
  }
  __host__ __device__ __forceinline__ void add(double x) {
    __ks_dd p = __ks_two_product(x * scale, x * scale);
    sum = __ks_dd_add(sum, p);
  }
  __host__ __device__ __forceinline__ __ks_dd root() const {
    double r = __dsqrt_rn(sum.hi);
    return {r, (fma(-r, r, sum.hi) + sum.lo) / (r + r)};
  }
  // scale is a power of two, so that undoing it is exact where the result is normal.
  __host__ __device__ __forceinline__ double length() const { __ks_dd r = root(); return (r.hi + r.lo) / scale; }
  __host__ __device__ __forceinline__ double inverse() const {
    __ks_dd r = root();
    double y = 1.0 / r.hi;
    return fma(y, fma(-r.hi, y, 1.0) - r.lo * y, y) * scale;
  }
};
// An infinite component makes the length infinite, even beside a NaN.
__KS_LONG_FN double norm(int n, const double *v) {
  double top = 0.0;
  bool bad = false, infinite = false;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(v[i])), bad |= isnan(v[i]), infinite |= isinf(v[i]);
  if (infinite || bad || top == 0.0) return infinite ? HUGE_VAL : bad ? (double)NAN : 0.0;
  __ks_squares s(top);
  for (int i = 0; i < n; i++) s.add(v[i]);
  return s.length();
}
__KS_LONG_FN double rnorm(int n, const double *v) {
  double top = 0.0;
  bool bad = false, infinite = false;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(v[i])), bad |= isnan(v[i]), infinite |= isinf(v[i]);
  if (infinite || bad || top == 0.0) return infinite ? 0.0 : bad ? (double)NAN : HUGE_VAL;
  __ks_squares s(top);
  for (int i = 0; i < n; i++) s.add(v[i]);
  return s.inverse();
}
__KS_FN double hypot(double x, double y) { double v[2] = {x, y}; return norm(2, v); }
__KS_FN double norm3d(double x, double y, double z) { double v[3] = {x, y, z}; return norm(3, v); }
__KS_FN double norm4d(double x, double y, double z, double w) { double v[4] = {x, y, z, w}; return norm(4, v); }
__KS_FN double rhypot(double x, double y) { double v[2] = {x, y}; return rnorm(2, v); }
__KS_FN double rnorm3d(double x, double y, double z) { double v[3] = {x, y, z}; return rnorm(3, v); }
__KS_FN double rnorm4d(double x, double y, double z, double w) { double v[4] = {x, y, z, w}; return rnorm(4, v); }

#pragma float_control(pop)
