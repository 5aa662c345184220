// The rarer functions in single precision: the double-precision function's result, rounded.
#pragma once

#define __KS_SINGLE1(NAME) __KS_FN float NAME##f(float x) { return (float)NAME((double)x); }
#define __KS_SINGLE2(NAME) __KS_FN float NAME##f(float x, float y) { return (float)NAME((double)x, (double)y); }
__KS_SINGLE1(rcbrt)
__KS_SINGLE1(erfc)
__KS_SINGLE1(erfcx)
__KS_SINGLE1(erfinv)
__KS_SINGLE1(erfcinv)
__KS_SINGLE1(normcdf)
__KS_SINGLE1(normcdfinv)
__KS_SINGLE1(lgamma)
__KS_SINGLE1(tgamma)
__KS_SINGLE1(logb)
__KS_SINGLE1(j0)
__KS_SINGLE1(j1)
__KS_SINGLE1(y0)
__KS_SINGLE1(y1)
__KS_SINGLE2(remainder)
__KS_SINGLE2(rhypot)
__KS_FN float jnf(int n, float x) { return (float)jn(n, (double)x); }
__KS_FN float ynf(int n, float x) { return (float)yn(n, (double)x); }
#undef __KS_SINGLE1
#undef __KS_SINGLE2
// 1/sqrt(x) rounded as CUDA says; rsqrtf is the hardware's approximation.
__KS_FN float __frsqrt_rn(float x) { return (float)(1.0 / __dsqrt_rn((double)x)); }

// erf: x + x P(x^2) up to 1; beyond it 1 - 2^Q(x), where the power is erfc.
__KS_LONG_FN float erff(float x) {
  float a = fabsf(x), z = x * x;
  if (a < 1.0f)
    return fmaf(__ks_polynomial(z, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2d10p-4f, -0x1.b7fabap-6f, 0x1.541270p-8f, -0x1.a45088p-11f,
                                0x1.4a5690p-14f), x, x);
  a = fminf(a, 4.0f);
  float q = __ks_polynomial(a, 0x1.08418ap-12f, -0x1.a129e6p+0f, -0x1.d3d3f4p-1f, -0x1.3fedb6p-3f, 0x1.28e010p-5f, -0x1.8a5dfcp-8f,
                            0x1.489f12p-11f, -0x1.fe9742p-16f);
  return x == x ? copysignf(1.0f - __ks_ex2(q), x) : x;
}
__KS_FN void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
__KS_FN float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
__KS_FN float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
__KS_FN float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }
// The squares of floats neither overflow a double nor vanish in it.
__KS_LONG_FN float normf(int n, const float *v) {
  double s = 0.0;
  bool infinite = false;
  for (int i = 0; i < n; i++) s = fma((double)v[i], (double)v[i], s), infinite |= isinf(v[i]);
  return infinite ? INFINITY : (float)__dsqrt_rn(s);
}
__KS_FN float rnormf(int n, const float *v) { return 1.0f / normf(n, v); }
__KS_FN float remquof(float x, float y, int *quotient) { return (float)remquo((double)x, (double)y, quotient); }
__KS_FN float modff(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(fabsf(x) == INFINITY ? 0.0f : x - *whole, x);
}
__KS_FN float frexpf(float x, int *e) { return (float)frexp((double)x, e); }
__KS_FN int ilogbf(float x) { return ilogb((double)x); }
__KS_FN float scalbnf(float x, int n) { return ldexpf(x, n); }
__KS_FN float scalblnf(float x, long n) { return ldexpf(x, (int)max(-1000l, min(1000l, n))); }
__KS_LONG_FN float nextafterf(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return copysignf(0x1p-149f, y);
  return __int_as_float(__float_as_int(x) + ((x < y) == (x > 0.0f) ? 1 : -1));
}
__KS_FN long long llrintf(float x) { return __float2ll_rn(x); }
__KS_FN long long llroundf(float x) { return __float2ll_rz(roundf(x)); }
__KS_FN float nanf(const char *) { return NAN; }
__KS_FN double nan(const char *) { return NAN; }
