// bfloat16: the upper half of a float. Kepler has no instruction for it; what its headers offer is computed in float.
#pragma once
#include "keplersim/narrow.h"

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

// How a float's lower 16 bits round: to nearest even, to zero, up, down. A NaN is 0x7fff.
__KS_BOTH_FN unsigned short __ks_bfloat(float f, unsigned int add) {
  unsigned int bits = __builtin_bit_cast(unsigned int, f);
  return (unsigned short)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : (bits + add) >> 16);
}
__KS_BOTH_FN bool __ks_below_zero(float f) { return __builtin_bit_cast(unsigned int, f) >> 31; }
__KS_BOTH_FN unsigned short __ks_bfloat_rn(float f) { return __ks_bfloat(f, 0x7fffu + (__builtin_bit_cast(unsigned int, f) >> 16 & 1u)); }
__KS_BOTH_FN unsigned short __ks_bfloat_rz(float f) { return __ks_bfloat(f, 0); }
__KS_BOTH_FN unsigned short __ks_bfloat_ru(float f) { return __ks_bfloat(f, __ks_below_zero(f) ? 0 : 0xffffu); }
__KS_BOTH_FN unsigned short __ks_bfloat_rd(float f) { return __ks_bfloat(f, __ks_below_zero(f) ? 0xffffu : 0); }
__KS_BOTH_FN float __ks_bfloat_float(unsigned short x) { return __builtin_bit_cast(float, (unsigned int)x << 16); }

struct __align__(2) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ __forceinline__ __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(float f) : __x(__ks_bfloat_rn(f)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(double d) : __x(__ks_bfloat_rn((float)d)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(int i) : __x(__ks_bfloat_rn((float)i)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(unsigned int i) : __x(__ks_bfloat_rn((float)i)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(long i) : __x(__ks_bfloat_rn((float)i)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(unsigned long i) : __x(__ks_bfloat_rn((float)i)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(long long i) : __x(__ks_bfloat_rn((float)i)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(unsigned long long i) : __x(__ks_bfloat_rn((float)i)) {}
  __host__ __device__ __forceinline__ operator float() const { return __ks_bfloat_float(__x); }
  __host__ __device__ __forceinline__ operator __nv_bfloat16_raw() const { return {__x}; }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __forceinline__ __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__KS_BOTH_FN float __bfloat162float(__nv_bfloat16 h) { return __ks_bfloat_float(h.__x); }
__KS_BOTH_FN __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16(__nv_bfloat16_raw{x}); }
__KS_BOTH_FN __nv_bfloat16 __short_as_bfloat16(short x) { return __ushort_as_bfloat16((unsigned short)x); }
__KS_BOTH_FN unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
__KS_BOTH_FN short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
__KS_BOTH_FN __nv_bfloat16 __float2bfloat16(float f) { return __ushort_as_bfloat16(__ks_bfloat_rn(f)); }
__KS_BOTH_FN __nv_bfloat16 __float2bfloat16_rn(float f) { return __ushort_as_bfloat16(__ks_bfloat_rn(f)); }
__KS_BOTH_FN __nv_bfloat16 __float2bfloat16_rz(float f) { return __ushort_as_bfloat16(__ks_bfloat_rz(f)); }
__KS_BOTH_FN __nv_bfloat16 __float2bfloat16_ru(float f) { return __ushort_as_bfloat16(__ks_bfloat_ru(f)); }
__KS_BOTH_FN __nv_bfloat16 __float2bfloat16_rd(float f) { return __ushort_as_bfloat16(__ks_bfloat_rd(f)); }
__KS_BOTH_FN __nv_bfloat16 __double2bfloat16(double d) { return __float2bfloat16((float)d); }
__KS_BOTH_FN __nv_bfloat16 __int2bfloat16_rn(int i) { return __float2bfloat16((float)i); }
__KS_BOTH_FN __nv_bfloat16 __uint2bfloat16_rn(unsigned int i) { return __float2bfloat16((float)i); }
__KS_BOTH_FN int __bfloat162int_rn(__nv_bfloat16 h) { return (int)rintf(__bfloat162float(h)); }
__KS_BOTH_FN int __bfloat162int_rz(__nv_bfloat16 h) { return (int)__bfloat162float(h); }
__KS_BOTH_FN unsigned int __bfloat162uint_rz(__nv_bfloat16 h) { return (unsigned int)__bfloat162float(h); }
__KS_BOTH_FN __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
__KS_BOTH_FN __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
__KS_BOTH_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
__KS_BOTH_FN __nv_bfloat162 __float2bfloat162_rn(float f) { return __bfloat162bfloat162(__float2bfloat16(f)); }
__KS_BOTH_FN __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return __nv_bfloat162(__float2bfloat16(x), __float2bfloat16(y)); }
__KS_BOTH_FN __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
__KS_BOTH_FN float2 __bfloat1622float2(__nv_bfloat162 h) { return make_float2(__bfloat162float(h.x), __bfloat162float(h.y)); }
__KS_BOTH_FN __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
__KS_BOTH_FN __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
__KS_BOTH_FN float __low2float(__nv_bfloat162 h) { return __bfloat162float(h.x); }
__KS_BOTH_FN float __high2float(__nv_bfloat162 h) { return __bfloat162float(h.y); }
__KS_BOTH_FN __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __bfloat162bfloat162(h.x); }
__KS_BOTH_FN __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __bfloat162bfloat162(h.y); }
__KS_BOTH_FN __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.x); }
__KS_BOTH_FN int __hisinf(__nv_bfloat16 h) { return (h.__x & 0x7fff) != 0x7f80 ? 0 : h.__x & 0x8000 ? -1 : 1; }
__KS_NARROW(__nv_bfloat16, __nv_bfloat162, __bfloat162float)
