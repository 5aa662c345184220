// Half precision, which Kepler stores and converts. Arithmetic is in float.
#pragma once
#include "keplersim/narrow.h"

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

#ifdef __CUDA_ARCH__
#define __KS_HALF_ROUNDED(SUFFIX)                                                                   \
  __KS_BOTH_FN unsigned short __ks_half_##SUFFIX(float f) {                                              \
    unsigned short h;                                                                               \
    asm("cvt." #SUFFIX ".f16.f32 %0, %1;" : "=h"(h) : "f"(f));                                      \
    return h;                                                                                       \
  }
__KS_BOTH_FN float __ks_half_float(unsigned short h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
#else
// The host's: how a remainder rounds, given whether the last bit kept is odd, and how the remainder compares with half of that bit.
__KS_BOTH_FN bool __ks_rounds_rn(bool, bool odd, unsigned int rest, unsigned int half) { return rest > half || (rest == half && odd); }
__KS_BOTH_FN bool __ks_rounds_rz(bool, bool, unsigned int, unsigned int) { return false; }
__KS_BOTH_FN bool __ks_rounds_rp(bool negative, bool, unsigned int rest, unsigned int) { return !negative && rest; }
__KS_BOTH_FN bool __ks_rounds_rm(bool negative, bool, unsigned int rest, unsigned int) { return negative && rest; }
#define __KS_HALF_ROUNDED(SUFFIX)                                                                   \
  __KS_BOTH_FN unsigned short __ks_half_##SUFFIX(float f) {                                         \
    unsigned int bits = __builtin_bit_cast(unsigned int, f), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000; \
    bool negative = sign != 0;                                                                      \
    if (size > 0x7f800000) return 0x7fff;                                                           \
    if (size == 0x7f800000) return (unsigned short)(sign | 0x7c00);                                 \
    int exponent = (int)(size >> 23) - 127;                                                         \
    unsigned int digits = (size & 0x7fffff) | (size >> 23 ? 0x800000 : 0), drop = exponent >= -14 ? 13 : exponent >= -25 ? -1 - exponent : 25; \
    unsigned int kept = digits >> drop, rest = digits & ((1u << drop) - 1);                         \
    unsigned int h = (exponent >= -14 ? (unsigned int)(exponent + 14) << 10 : 0) + kept;            \
    h += __ks_rounds_##SUFFIX(negative, kept & 1, rest, 1u << (drop - 1));                          \
    if (h >= 0x7c00) h = 0x7bff + __ks_rounds_##SUFFIX(negative, true, 2, 1);                       \
    return (unsigned short)(sign | h);                                                              \
  }
__KS_BOTH_FN float __ks_half_float(unsigned short h) {
  unsigned int sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, digits = h & 0x3ff;
  if (exponent == 31) return __builtin_bit_cast(float, digits ? 0x7fffffffu : sign | 0x7f800000);
  if (exponent) return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | digits << 13);
  return __builtin_bit_cast(float, sign | __builtin_bit_cast(unsigned int, (float)digits * 5.9604644775390625e-8f));
}
#endif
__KS_HALF_ROUNDED(rn)
__KS_HALF_ROUNDED(rz)
__KS_HALF_ROUNDED(rp)
__KS_HALF_ROUNDED(rm)
#undef __KS_HALF_ROUNDED

// A double by way of a float whose last bit is odd where digits were cut off, so that it rounds once.
__KS_BOTH_FN unsigned short __ks_half_of_double(double d) {
  float f = (float)d;
  unsigned int bits = __builtin_bit_cast(unsigned int, f);
  double size = d < 0 ? -d : d, got = f < 0 ? -(double)f : (double)f;
  if (got > size) bits--;
  return __ks_half_rn(__builtin_bit_cast(float, got == size || d != d ? bits : bits | 1));
}

struct __align__(2) __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ __forceinline__ __half(__half_raw r) : __x(r.x) {}
  __host__ __device__ __forceinline__ __half(float f) : __x(__ks_half_rn(f)) {}
  __host__ __device__ __forceinline__ __half(double d) : __x(__ks_half_of_double(d)) {}
  __host__ __device__ __forceinline__ __half(int i) : __x(__ks_half_rn((float)i)) {}
  __host__ __device__ __forceinline__ __half(unsigned int i) : __x(__ks_half_rn((float)i)) {}
  __host__ __device__ __forceinline__ __half(long i) : __x(__ks_half_rn((float)i)) {}
  __host__ __device__ __forceinline__ __half(unsigned long i) : __x(__ks_half_rn((float)i)) {}
  __host__ __device__ __forceinline__ __half(long long i) : __x(__ks_half_rn((float)i)) {}
  __host__ __device__ __forceinline__ __half(unsigned long long i) : __x(__ks_half_rn((float)i)) {}
  __host__ __device__ __forceinline__ operator float() const { return __ks_half_float(__x); }
  __host__ __device__ __forceinline__ operator __half_raw() const { return {__x}; }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __forceinline__ __half2(__half x, __half y) : x(x), y(y) {}
  __host__ __device__ __forceinline__ __half2(__half2_raw r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
  __host__ __device__ __forceinline__ operator __half2_raw() const { return {x.__x, y.__x}; }
};
typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

__KS_BOTH_FN __half __ks_half_of(unsigned short bits) { return __half(__half_raw{bits}); }
__KS_BOTH_FN __half __float2half(float f) { return __ks_half_of(__ks_half_rn(f)); }
__KS_BOTH_FN __half __float2half_rn(float f) { return __ks_half_of(__ks_half_rn(f)); }
__KS_BOTH_FN __half __float2half_rz(float f) { return __ks_half_of(__ks_half_rz(f)); }
__KS_BOTH_FN __half __float2half_ru(float f) { return __ks_half_of(__ks_half_rp(f)); }
__KS_BOTH_FN __half __float2half_rd(float f) { return __ks_half_of(__ks_half_rm(f)); }
__KS_BOTH_FN __half __double2half(double d) { return __ks_half_of(__ks_half_of_double(d)); }
__KS_BOTH_FN float __half2float(__half h) { return __ks_half_float(h.__x); }
__KS_BOTH_FN __half __ushort_as_half(unsigned short x) { return __ks_half_of(x); }
__KS_BOTH_FN __half __short_as_half(short x) { return __ks_half_of((unsigned short)x); }
__KS_BOTH_FN unsigned short __half_as_ushort(__half h) { return h.__x; }
__KS_BOTH_FN short __half_as_short(__half h) { return (short)h.__x; }
// A whole number is exact as a float to 2 to the 24, and beyond that no half but the largest or infinity, so these round once. Back, what does not
// fit is the nearest number that does.
#define __KS_HALF_WHOLE(NAME, T, LEAST, MOST, OF_NAN, SUFFIX, ROUND)                                \
  __KS_BOTH_FN __half __##NAME##2half_##SUFFIX(T i) { return __float2half_##SUFFIX((float)i); }     \
  __KS_BOTH_FN T __half2##NAME##_##SUFFIX(__half h) {                                               \
    float f = ROUND(__half2float(h));                                                               \
    return f != f ? (T)(OF_NAN) : f <= (float)(LEAST) ? (LEAST) : f >= (float)(MOST) ? (MOST) : (T)f; \
  }
#define __KS_HALF_WHOLES(NAME, T, LEAST, MOST, OF_NAN)                                              \
  __KS_HALF_WHOLE(NAME, T, LEAST, MOST, OF_NAN, rn, rintf) __KS_HALF_WHOLE(NAME, T, LEAST, MOST, OF_NAN, rz, truncf) \
  __KS_HALF_WHOLE(NAME, T, LEAST, MOST, OF_NAN, ru, ceilf) __KS_HALF_WHOLE(NAME, T, LEAST, MOST, OF_NAN, rd, floorf)
__KS_HALF_WHOLES(short, short, -32768, 32767, 0)
__KS_HALF_WHOLES(ushort, unsigned short, 0, 65535, 0)
__KS_HALF_WHOLES(int, int, -__INT_MAX__ - 1, __INT_MAX__, 0)
__KS_HALF_WHOLES(uint, unsigned int, 0, ~0u, 0)
__KS_HALF_WHOLES(ll, long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__, -__LONG_LONG_MAX__ - 1)
__KS_HALF_WHOLES(ull, unsigned long long, 0, ~0ull, 1ull << 63)
#undef __KS_HALF_WHOLES
#undef __KS_HALF_WHOLE

__KS_BOTH_FN __half2 make_half2(__half x, __half y) { return __half2(x, y); }
__KS_BOTH_FN __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
__KS_BOTH_FN __half2 __half2half2(__half x) { return __half2(x, x); }
__KS_BOTH_FN __half2 __float2half2_rn(float f) { return __half2half2(__float2half_rn(f)); }
__KS_BOTH_FN __half2 __floats2half2_rn(float x, float y) { return __half2(__float2half_rn(x), __float2half_rn(y)); }
__KS_BOTH_FN __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
__KS_BOTH_FN float2 __half22float2(__half2 h) { return make_float2(__half2float(h.x), __half2float(h.y)); }
__KS_BOTH_FN __half __low2half(__half2 h) { return h.x; }
__KS_BOTH_FN __half __high2half(__half2 h) { return h.y; }
__KS_BOTH_FN float __low2float(__half2 h) { return __half2float(h.x); }
__KS_BOTH_FN float __high2float(__half2 h) { return __half2float(h.y); }
__KS_BOTH_FN __half2 __low2half2(__half2 h) { return __half2half2(h.x); }
__KS_BOTH_FN __half2 __high2half2(__half2 h) { return __half2half2(h.y); }
__KS_BOTH_FN __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
__KS_BOTH_FN __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__KS_BOTH_FN __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__KS_BOTH_FN int __hisinf(__half h) { return (h.__x & 0x7fff) != 0x7c00 ? 0 : h.__x & 0x8000 ? -1 : 1; }

__KS_NARROW(__half, __half2, __half2float)
// A product of complex numbers and a sum.
__KS_BOTH_FN __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
