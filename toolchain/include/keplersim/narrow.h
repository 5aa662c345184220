// Arithmetic of half precision and bfloat16. Kepler has instructions for neither: as in CUDA's own headers for chips without them, operands are
// widened to float, and each result is rounded once more. T is the type, T2 its pair, NARROW and WIDE convert from and to float.
#pragma once
#include "keplersim/vector_functions.h"
#ifndef __CUDA__
#include <math.h>
#endif

#define __KS_NARROW_1(T, T2, WIDE, NAME, NAME2, VALUE)                                              \
  __KS_BOTH_FN T NAME(T p) { float a = WIDE(p); return T(VALUE); }                                  \
  __KS_BOTH_FN T2 NAME2(T2 p) { return T2(NAME(p.x), NAME(p.y)); }
#define __KS_NARROW_2(T, T2, WIDE, NAME, NAME2, VALUE)                                              \
  __KS_BOTH_FN T NAME(T p, T q) { float a = WIDE(p), b = WIDE(q); return T(VALUE); }                \
  __KS_BOTH_FN T2 NAME2(T2 p, T2 q) { return T2(NAME(p.x, q.x), NAME(p.y, q.y)); }
#define __KS_NARROW_3(T, T2, WIDE, NAME, NAME2, VALUE)                                              \
  __KS_BOTH_FN T NAME(T p, T q, T r) { float a = WIDE(p), b = WIDE(q), c = WIDE(r); return T(VALUE); } \
  __KS_BOTH_FN T2 NAME2(T2 p, T2 q, T2 r) { return T2(NAME(p.x, q.x, r.x), NAME(p.y, q.y, r.y)); }
// A comparison is false of a NaN, and its form with u true. Of pairs there is one of each element, 1 or 0, and one of both.
#define __KS_NARROW_ORDER(T, T2, WIDE, NAME, OP)                                                    \
  __KS_BOTH_FN bool __h##NAME(T p, T q) { return WIDE(p) OP WIDE(q); }                              \
  __KS_BOTH_FN bool __h##NAME##u(T p, T q) { float a = WIDE(p), b = WIDE(q); return a OP b || a != a || b != b; } \
  __KS_BOTH_FN T2 __h##NAME##2(T2 p, T2 q) { return T2(T((float)__h##NAME(p.x, q.x)), T((float)__h##NAME(p.y, q.y))); } \
  __KS_BOTH_FN T2 __h##NAME##u2(T2 p, T2 q) { return T2(T((float)__h##NAME##u(p.x, q.x)), T((float)__h##NAME##u(p.y, q.y))); } \
  __KS_BOTH_FN unsigned int __h##NAME##2_mask(T2 p, T2 q) { return (__h##NAME(p.x, q.x) ? 0xffffu : 0) | (__h##NAME(p.y, q.y) ? 0xffff0000u : 0); } \
  __KS_BOTH_FN unsigned int __h##NAME##u2_mask(T2 p, T2 q) { return (__h##NAME##u(p.x, q.x) ? 0xffffu : 0) | (__h##NAME##u(p.y, q.y) ? 0xffff0000u : 0); } \
  __KS_BOTH_FN bool __hb##NAME##2(T2 p, T2 q) { return __h##NAME(p.x, q.x) && __h##NAME(p.y, q.y); } \
  __KS_BOTH_FN bool __hb##NAME##u2(T2 p, T2 q) { return __h##NAME##u(p.x, q.x) && __h##NAME##u(p.y, q.y); }
#define __KS_NARROW_ASSIGN(T, OP, NAME)                                                             \
  __KS_BOTH_FN T &operator OP##=(T & p, const T &q) { return p = NAME(p, q); }                      \
  template <typename _A, typename _B, typename = __ks_both<_A, _B, T>> __KS_BOTH_FN T operator OP(const _A &p, const _B &q) { return NAME(p, q); }

#define __KS_NARROW_STEP(T, ONE, ADD, SUB)                                                          \
  __KS_BOTH_FN T operator+(const T &p) { return p; }                                                \
  __KS_BOTH_FN T &operator++(T &p) { return p = ADD(p, ONE); }                                      \
  __KS_BOTH_FN T &operator--(T &p) { return p = SUB(p, ONE); }                                      \
  __KS_BOTH_FN T operator++(T &p, int) { T was = p; p = ADD(p, ONE); return was; }                  \
  __KS_BOTH_FN T operator--(T &p, int) { T was = p; p = SUB(p, ONE); return was; }

// Operators take two of the type and nothing else, so that a sum with a float stays one of floats.
template <typename _A, typename _B, typename _T> struct __ks_if_both {};
template <typename _T> struct __ks_if_both<_T, _T, _T> { typedef _T type; };
template <typename _A, typename _B, typename _T> using __ks_both = typename __ks_if_both<_A, _B, _T>::type;

__KS_BOTH_FN float __ks_saturated(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }

#define __KS_NARROW(T, T2, WIDE)                                                                    \
  __KS_NARROW_2(T, T2, WIDE, __hadd, __hadd2, a + b)                                                \
  __KS_NARROW_2(T, T2, WIDE, __hsub, __hsub2, a - b)                                                \
  __KS_NARROW_2(T, T2, WIDE, __hmul, __hmul2, a * b)                                                \
  __KS_NARROW_2(T, T2, WIDE, __hdiv, __h2div, a / b)                                                \
  __KS_NARROW_2(T, T2, WIDE, __hadd_rn, __hadd2_rn, a + b)                                          \
  __KS_NARROW_2(T, T2, WIDE, __hsub_rn, __hsub2_rn, a - b)                                          \
  __KS_NARROW_2(T, T2, WIDE, __hmul_rn, __hmul2_rn, a * b)                                          \
  __KS_NARROW_2(T, T2, WIDE, __hadd_sat, __hadd2_sat, __ks_saturated(a + b))                        \
  __KS_NARROW_2(T, T2, WIDE, __hsub_sat, __hsub2_sat, __ks_saturated(a - b))                        \
  __KS_NARROW_2(T, T2, WIDE, __hmul_sat, __hmul2_sat, __ks_saturated(a * b))                        \
  __KS_NARROW_2(T, T2, WIDE, __hmax, __hmax2, fmaxf(a, b))                                          \
  __KS_NARROW_2(T, T2, WIDE, __hmin, __hmin2, fminf(a, b))                                          \
  __KS_NARROW_2(T, T2, WIDE, __hmax_nan, __hmax2_nan, a != a || b != b ? a + b : fmaxf(a, b))       \
  __KS_NARROW_2(T, T2, WIDE, __hmin_nan, __hmin2_nan, a != a || b != b ? a + b : fminf(a, b))       \
  __KS_NARROW_3(T, T2, WIDE, __hfma, __hfma2, fmaf(a, b, c))                                        \
  __KS_NARROW_3(T, T2, WIDE, __hfma_sat, __hfma2_sat, __ks_saturated(fmaf(a, b, c)))                \
  __KS_NARROW_3(T, T2, WIDE, __hfma_relu, __hfma2_relu, fmaxf(fmaf(a, b, c), 0.0f))                 \
  __KS_NARROW_1(T, T2, WIDE, __hneg, __hneg2, -a)                                                   \
  __KS_NARROW_1(T, T2, WIDE, __habs, __habs2, fabsf(a))                                             \
  __KS_NARROW_1(T, T2, WIDE, hsqrt, h2sqrt, sqrtf(a))                                               \
  __KS_NARROW_1(T, T2, WIDE, hrsqrt, h2rsqrt, 1.0f / sqrtf(a))                                      \
  __KS_NARROW_1(T, T2, WIDE, hrcp, h2rcp, 1.0f / a)                                                 \
  __KS_NARROW_1(T, T2, WIDE, hexp, h2exp, expf(a))                                                  \
  __KS_NARROW_1(T, T2, WIDE, hexp2, h2exp2, exp2f(a))                                               \
  __KS_NARROW_1(T, T2, WIDE, hexp10, h2exp10, exp2f(a * 3.3219280948873626f))                       \
  __KS_NARROW_1(T, T2, WIDE, hlog, h2log, logf(a))                                                  \
  __KS_NARROW_1(T, T2, WIDE, hlog2, h2log2, log2f(a))                                               \
  __KS_NARROW_1(T, T2, WIDE, hlog10, h2log10, log10f(a))                                            \
  __KS_NARROW_1(T, T2, WIDE, hsin, h2sin, sinf(a))                                                  \
  __KS_NARROW_1(T, T2, WIDE, hcos, h2cos, cosf(a))                                                  \
  __KS_NARROW_1(T, T2, WIDE, hceil, h2ceil, ceilf(a))                                               \
  __KS_NARROW_1(T, T2, WIDE, hfloor, h2floor, floorf(a))                                            \
  __KS_NARROW_1(T, T2, WIDE, htrunc, h2trunc, truncf(a))                                            \
  __KS_NARROW_1(T, T2, WIDE, hrint, h2rint, rintf(a))                                               \
  __KS_NARROW_ORDER(T, T2, WIDE, eq, ==)                                                            \
  __KS_NARROW_ORDER(T, T2, WIDE, ne, !=)                                                            \
  __KS_NARROW_ORDER(T, T2, WIDE, lt, <)                                                             \
  __KS_NARROW_ORDER(T, T2, WIDE, le, <=)                                                            \
  __KS_NARROW_ORDER(T, T2, WIDE, gt, >)                                                             \
  __KS_NARROW_ORDER(T, T2, WIDE, ge, >=)                                                            \
  __KS_BOTH_FN bool __hisnan(T p) { float a = WIDE(p); return a != a; }                             \
  __KS_BOTH_FN T2 __hisnan2(T2 p) { return T2(T((float)__hisnan(p.x)), T((float)__hisnan(p.y))); }  \
  __KS_NARROW_ASSIGN(T, +, __hadd)                                                                  \
  __KS_NARROW_ASSIGN(T, -, __hsub)                                                                  \
  __KS_NARROW_ASSIGN(T, *, __hmul)                                                                  \
  __KS_NARROW_ASSIGN(T, /, __hdiv)                                                                  \
  __KS_NARROW_ASSIGN(T2, +, __hadd2)                                                                \
  __KS_NARROW_ASSIGN(T2, -, __hsub2)                                                                \
  __KS_NARROW_ASSIGN(T2, *, __hmul2)                                                                \
  __KS_NARROW_ASSIGN(T2, /, __h2div)                                                                \
  __KS_BOTH_FN T operator-(const T &p) { return __hneg(p); }                                        \
  __KS_BOTH_FN T2 operator-(const T2 &p) { return __hneg2(p); }                                     \
  __KS_BOTH_FN bool operator==(const T2 &p, const T2 &q) { return __hbeq2(p, q); }                  \
  __KS_BOTH_FN bool operator!=(const T2 &p, const T2 &q) { return __hbneu2(p, q); }                 \
  __KS_BOTH_FN bool operator>(const T2 &p, const T2 &q) { return __hbgt2(p, q); }                   \
  __KS_BOTH_FN bool operator<(const T2 &p, const T2 &q) { return __hblt2(p, q); }                   \
  __KS_BOTH_FN bool operator>=(const T2 &p, const T2 &q) { return __hbge2(p, q); }                  \
  __KS_BOTH_FN bool operator<=(const T2 &p, const T2 &q) { return __hble2(p, q); }                  \
  __KS_NARROW_STEP(T, T(1), __hadd, __hsub) __KS_NARROW_STEP(T2, T2(T(1), T(1)), __hadd2, __hsub2)  \
  __KS_NARROW_WARP(T, T2)

// A warp's: 16 bits go as a word, and what is read through the texture path as well.
#ifdef __CUDA_ARCH__
#define __KS_NARROW_SHUFFLE(T, T2, NAME)                                                            \
  __device__ __forceinline__ T NAME(T v, int lane, int width = 32) {                                \
    v.__x = (unsigned short)NAME((int)v.__x, lane, width);                                          \
    return v;                                                                                       \
  }                                                                                                 \
  __device__ __forceinline__ T2 NAME(T2 v, int lane, int width = 32) {                              \
    return __builtin_bit_cast(T2, NAME(__builtin_bit_cast(int, v), lane, width));                   \
  }                                                                                                 \
  __device__ __forceinline__ T NAME##_sync(unsigned int mask, T v, int lane, int width = 32) {     \
    v.__x = (unsigned short)NAME##_sync(mask, (int)v.__x, lane, width);                             \
    return v;                                                                                       \
  }                                                                                                 \
  __device__ __forceinline__ T2 NAME##_sync(unsigned int mask, T2 v, int lane, int width = 32) {   \
    return __builtin_bit_cast(T2, NAME##_sync(mask, __builtin_bit_cast(int, v), lane, width));      \
  }
#define __KS_NARROW_WARP(T, T2)                                                                     \
  __KS_NARROW_SHUFFLE(T, T2, __shfl)                                                           \
  __KS_NARROW_SHUFFLE(T, T2, __shfl_up)                                               \
  __KS_NARROW_SHUFFLE(T, T2, __shfl_down)                                             \
  __KS_NARROW_SHUFFLE(T, T2, __shfl_xor)                                                       \
  __KS_NARROW_ACCESSES(T, T2)
// Templates, so that a program's own go before them: before CUDA 12 bfloat16 had none, and many programs bring them.
#define __KS_NARROW_LOAD(T, T2, NAME) __KS_NARROW_LOAD_AS(T, unsigned short, NAME) __KS_NARROW_LOAD_AS(T2, unsigned int, NAME)
#define __KS_NARROW_LOAD_AS(T, AS, NAME)                                                            \
  template <typename _T> __device__ __forceinline__ typename __ks_only<_T, T>::type NAME(const _T *p) { return __builtin_bit_cast(T, NAME((const AS *)p)); }
#define __KS_NARROW_STORE(T, T2, NAME) __KS_NARROW_STORE_AS(T, unsigned short, NAME) __KS_NARROW_STORE_AS(T2, unsigned int, NAME)
#define __KS_NARROW_STORE_AS(T, AS, NAME)                                                           \
  template <typename _T> __device__ __forceinline__ void NAME(_T *p, typename __ks_only<_T, T>::type v) { NAME((AS *)p, __builtin_bit_cast(AS, v)); }
#else
#define __KS_NARROW_SHUFFLE(T, T2, NAME)                                                            \
  __device__ T NAME(T v, int lane, int width = 32);                                                 \
  __device__ T2 NAME(T2 v, int lane, int width = 32);                                               \
  __device__ T NAME##_sync(unsigned int mask, T v, int lane, int width = 32);                      \
  __device__ T2 NAME##_sync(unsigned int mask, T2 v, int lane, int width = 32);
#define __KS_NARROW_WARP(T, T2)                                                                     \
  __KS_NARROW_SHUFFLE(T, T2, __shfl)                                                           \
  __KS_NARROW_SHUFFLE(T, T2, __shfl_up)                                               \
  __KS_NARROW_SHUFFLE(T, T2, __shfl_down)                                             \
  __KS_NARROW_SHUFFLE(T, T2, __shfl_xor)                                                       \
  __KS_NARROW_ACCESSES(T, T2)
#define __KS_NARROW_LOAD(T, T2, NAME)                                                               \
  __device__ T NAME(const T *p);                                                                    \
  __device__ T2 NAME(const T2 *p);
#define __KS_NARROW_STORE(T, T2, NAME)                                                              \
  __device__ void NAME(T *p, T v);                                                                  \
  __device__ void NAME(T2 *p, T2 v);
#endif
#define __KS_NARROW_ACCESSES(T, T2)                                                                 \
  __KS_NARROW_LOAD(T, T2, __ldg)                                                                    \
  __KS_NARROW_LOAD(T, T2, __ldca) __KS_NARROW_LOAD(T, T2, __ldcg) __KS_NARROW_LOAD(T, T2, __ldcs) __KS_NARROW_LOAD(T, T2, __ldcv) \
  __KS_NARROW_STORE(T, T2, __stwb) __KS_NARROW_STORE(T, T2, __stcg) __KS_NARROW_STORE(T, T2, __stcs) __KS_NARROW_STORE(T, T2, __stwt)
