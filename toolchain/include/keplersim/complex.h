// CUDA's complex numbers: vectors of two, and the functions that add, multiply, divide them and take their length.
#pragma once
#ifndef __CUDA__
#include <math.h>
#endif

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

#define __KS_COMPLEX(C, R, SUFFIX, MAKE, HYPOT, MULTIPLY_ADD)                                       \
  __KS_BOTH_FN C MAKE(R x, R y) { C z = {x, y}; return z; }                                              \
  __KS_BOTH_FN R cuCreal##SUFFIX(C z) { return z.x; }                                                    \
  __KS_BOTH_FN R cuCimag##SUFFIX(C z) { return z.y; }                                                    \
  __KS_BOTH_FN C cuConj##SUFFIX(C z) { return MAKE(z.x, -z.y); }                                         \
  __KS_BOTH_FN C cuCadd##SUFFIX(C a, C b) { return MAKE(a.x + b.x, a.y + b.y); }                         \
  __KS_BOTH_FN C cuCsub##SUFFIX(C a, C b) { return MAKE(a.x - b.x, a.y - b.y); }                         \
  __KS_BOTH_FN C cuCmul##SUFFIX(C a, C b) { return MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  __KS_BOTH_FN R cuCabs##SUFFIX(C z) { return HYPOT(z.x, z.y); }                                         \
  /* Scaled by the divisor's larger part, so that its square neither overflows nor vanishes. */     \
  __KS_BOTH_FN C cuCdiv##SUFFIX(C a, C b) {                                                              \
    R s = fabs(b.x) + fabs(b.y), ax = a.x / s, ay = a.y / s, bx = b.x / s, by = b.y / s;            \
    R n = bx * bx + by * by;                                                                        \
    return MAKE((ax * bx + ay * by) / n, (ay * bx - ax * by) / n);                                  \
  }                                                                                                 \
  __KS_BOTH_FN C MULTIPLY_ADD(C a, C b, C c) { return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c); }
__KS_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, hypotf, cuCfmaf)
__KS_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, hypot, cuCfma)
#undef __KS_COMPLEX
__KS_BOTH_FN cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
__KS_BOTH_FN cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
__KS_BOTH_FN cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }
