// Floating point that is one PTX instruction or a few: roots, fused multiply-add, rounding to integers, minima, bit
// casts, conversions, and the hardware's approximate functions (__expf and relatives).
#pragma once

// With --use-fast-math (nvcc's macro is __USE_FAST_MATH__) single precision flushes subnormals, in these instructions too.
#ifdef __USE_FAST_MATH__
#define __KS_FTZ ".ftz"
#define __KS_NVVM(OP) __nvvm_##OP##_ftz
#define __KS_NVVM_F(OP) __nvvm_##OP##_ftz_f
#else
#define __KS_FTZ ""
#define __KS_NVVM(OP) __nvvm_##OP
#define __KS_NVVM_F(OP) __nvvm_##OP##_f
#endif

// clang takes asm in device code for something that lanes do together, and unrolls no loop of unknown length around it. So functions that
// loops are full of are clang's own. asm are those for which clang has none, or one that means something else: it takes a builtin product or
// sum to the nearest for one that may be fused, a quotient for one that --use-fast-math may approximate, a conversion that cuts off for C++'s,
// where what does not fit has no meaning, and one of a whole number, whatever its rounding, for the nearest.
//
// __KS_ASM1(name, result, argument, PTX opcode, constraint of the result, of the argument)
#define __KS_ASM1(NAME, R, A, OP, CR, CA)                                                           \
  __KS_FN R NAME(A a) { R d; asm(OP " %0, %1;" : "=" CR(d) : CA(a)); return d; }
#define __KS_ASM2(NAME, R, OP, C)                                                                   \
  __KS_FN R NAME(R a, R b) { R d; asm(OP " %0, %1, %2;" : "=" C(d) : C(a), C(b)); return d; }
#define __KS_ASM3(NAME, R, OP, C)                                                                   \
  __KS_FN R NAME(R a, R b, R c) { R d; asm(OP " %0, %1, %2, %3;" : "=" C(d) : C(a), C(b), C(c)); return d; }

// CUDA says rd and ru where PTX says rm and rp.
#define __KS_ROUNDED(SUFFIX, MODE)                                                                        \
  __KS_ASM2(__fadd_##SUFFIX, float, "add." #MODE __KS_FTZ ".f32", "f")                            \
  __KS_ASM2(__fsub_##SUFFIX, float, "sub." #MODE __KS_FTZ ".f32", "f")                            \
  __KS_ASM2(__fmul_##SUFFIX, float, "mul." #MODE __KS_FTZ ".f32", "f")                            \
  __KS_ASM2(__fdiv_##SUFFIX, float, "div." #MODE __KS_FTZ ".f32", "f")                            \
  __KS_ASM1(__frcp_##SUFFIX, float, float, "rcp." #MODE __KS_FTZ ".f32", "f", "f")                \
  __KS_ASM1(__fsqrt_##SUFFIX, float, float, "sqrt." #MODE __KS_FTZ ".f32", "f", "f")              \
  __KS_ASM2(__dadd_##SUFFIX, double, "add." #MODE ".f64", "d")                                    \
  __KS_ASM2(__dsub_##SUFFIX, double, "sub." #MODE ".f64", "d")                                    \
  __KS_ASM2(__dmul_##SUFFIX, double, "mul." #MODE ".f64", "d")                                    \
  __KS_FN float __fmaf_##SUFFIX(float a, float b, float c) { return __KS_NVVM_F(fma_##MODE)(a, b, c); } \
  __KS_FN double __fma_##SUFFIX(double a, double b, double c) { return __nvvm_fma_##MODE##_d(a, b, c); } \
  __KS_FN double __ddiv_##SUFFIX(double a, double b) { return __nvvm_div_##MODE##_d(a, b); }      \
  __KS_FN double __drcp_##SUFFIX(double x) { return __nvvm_rcp_##MODE##_d(x); }                   \
  __KS_FN double __dsqrt_##SUFFIX(double x) { return __nvvm_sqrt_##MODE##_d(x); }                 \
  __KS_FN float __double2float_##SUFFIX(double x) { return __nvvm_d2f_##MODE(x); }
__KS_ROUNDED(rn, rn)
__KS_ROUNDED(rz, rz)
__KS_ROUNDED(ru, rp)
__KS_ROUNDED(rd, rm)
#undef __KS_ROUNDED
#define __KS_FROM_WHOLE(SUFFIX, MODE)                                                               \
  __KS_ASM1(__int2float_##SUFFIX, float, int, "cvt." #MODE ".f32.s32", "f", "r")                  \
  __KS_ASM1(__uint2float_##SUFFIX, float, unsigned int, "cvt." #MODE ".f32.u32", "f", "r")        \
  __KS_ASM1(__ll2float_##SUFFIX, float, long long, "cvt." #MODE ".f32.s64", "f", "l")             \
  __KS_ASM1(__ull2float_##SUFFIX, float, unsigned long long, "cvt." #MODE ".f32.u64", "f", "l")   \
  __KS_ASM1(__ll2double_##SUFFIX, double, long long, "cvt." #MODE ".f64.s64", "d", "l")           \
  __KS_ASM1(__ull2double_##SUFFIX, double, unsigned long long, "cvt." #MODE ".f64.u64", "d", "l")
__KS_FROM_WHOLE(rz, rz)
__KS_FROM_WHOLE(ru, rp)
__KS_FROM_WHOLE(rd, rm)
#undef __KS_FROM_WHOLE
__KS_FN float __int2float_rn(int x) { return x; }
__KS_FN float __uint2float_rn(unsigned int x) { return x; }
__KS_FN float __ll2float_rn(long long x) { return x; }
__KS_FN float __ull2float_rn(unsigned long long x) { return x; }
__KS_FN double __ll2double_rn(long long x) { return x; }
__KS_FN double __ull2double_rn(unsigned long long x) { return x; }
__KS_FN double __int2double_rn(int x) { return x; }
__KS_FN double __uint2double_rn(unsigned int x) { return x; }

// To integers: what does not fit becomes the nearest that does.
#define __KS_WHOLE(SUFFIX, MODE)                                                                    \
  __KS_FN int __float2int_##SUFFIX(float x) { return __KS_NVVM(f2i_##MODE)(x); }                    \
  __KS_FN unsigned int __float2uint_##SUFFIX(float x) { return __KS_NVVM(f2ui_##MODE)(x); }         \
  __KS_FN long long __float2ll_##SUFFIX(float x) { return __KS_NVVM(f2ll_##MODE)(x); }              \
  __KS_FN unsigned long long __float2ull_##SUFFIX(float x) { return __KS_NVVM(f2ull_##MODE)(x); }   \
  __KS_FN int __double2int_##SUFFIX(double x) { return __nvvm_d2i_##MODE(x); }                      \
  __KS_FN unsigned int __double2uint_##SUFFIX(double x) { return __nvvm_d2ui_##MODE(x); }           \
  __KS_FN long long __double2ll_##SUFFIX(double x) { return __nvvm_d2ll_##MODE(x); }                \
  __KS_FN unsigned long long __double2ull_##SUFFIX(double x) { return __nvvm_d2ull_##MODE(x); }
__KS_WHOLE(rn, rn)
__KS_WHOLE(ru, rp)
__KS_WHOLE(rd, rm)
#undef __KS_WHOLE
__KS_ASM1(__float2int_rz, int, float, "cvt.rzi" __KS_FTZ ".s32.f32", "r", "f")
__KS_ASM1(__float2uint_rz, unsigned int, float, "cvt.rzi" __KS_FTZ ".u32.f32", "r", "f")
__KS_ASM1(__float2ll_rz, long long, float, "cvt.rzi" __KS_FTZ ".s64.f32", "l", "f")
__KS_ASM1(__float2ull_rz, unsigned long long, float, "cvt.rzi" __KS_FTZ ".u64.f32", "l", "f")
__KS_ASM1(__double2int_rz, int, double, "cvt.rzi.s32.f64", "r", "d")
__KS_ASM1(__double2uint_rz, unsigned int, double, "cvt.rzi.u32.f64", "r", "d")
__KS_ASM1(__double2ll_rz, long long, double, "cvt.rzi.s64.f64", "l", "d")
__KS_ASM1(__double2ull_rz, unsigned long long, double, "cvt.rzi.u64.f64", "l", "d")

__KS_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__KS_FN unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__KS_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__KS_FN float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__KS_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__KS_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__KS_FN int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__KS_FN int __double2loint(double x) { return (int)__double_as_longlong(x); }
__KS_FN double __hiloint2double(int hi, int lo) { return __longlong_as_double((long long)hi << 32 | (unsigned int)lo); }

// The special function unit's approximations: one instruction, 22 bits or so.
__KS_FN float __ks_ex2(float x) { return __KS_NVVM_F(ex2_approx)(x); }
__KS_FN float __ks_lg2(float x) { return __KS_NVVM_F(lg2_approx)(x); }
__KS_FN float __sinf(float x) { return __KS_NVVM_F(sin_approx)(x); }
__KS_FN float __cosf(float x) { return __KS_NVVM_F(cos_approx)(x); }
__KS_FN float rsqrtf(float x) { return __KS_NVVM_F(rsqrt_approx)(x); }
__KS_FN float __fdividef(float x, float y) { return __KS_NVVM_F(div_approx)(x, y); }
__KS_FN float __expf(float x) { return __ks_ex2(x * 1.44269504f); }
__KS_FN float __exp10f(float x) { return __ks_ex2(x * 3.32192809f); }
__KS_FN float __logf(float x) { return __ks_lg2(x) * 0.693147181f; }
__KS_FN float __log2f(float x) { return __ks_lg2(x); }
__KS_FN float __log10f(float x) { return __ks_lg2(x) * 0.301029996f; }
__KS_FN float __powf(float x, float y) { return __ks_ex2(y * __ks_lg2(x)); }
__KS_FN float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__KS_FN void __sincosf(float x, float *s, float *c) { *s = __sinf(x), *c = __cosf(x); }
__KS_FN float __saturatef(float x) { return __KS_NVVM_F(saturate)(x); }

// __KS_BOTH declares a function in its float spelling, its double spelling, and as C++ overload of the latter.
#define __KS_BOTH1(NAME, FLOAT, DOUBLE)                                                             \
  __KS_FN float NAME##f(float x) { return FLOAT; }                                                  \
  __KS_FN double NAME(double x) { return DOUBLE; }                                                  \
  __KS_FN float NAME(float x) { return FLOAT; }
#define __KS_BOTH2(NAME, FLOAT, DOUBLE)                                                             \
  __KS_FN float NAME##f(float x, float y) { return FLOAT; }                                         \
  __KS_FN double NAME(double x, double y) { return DOUBLE; }                                        \
  __KS_FN float NAME(float x, float y) { return FLOAT; }

// How sqrtf rounds follows --use-fast-math, as division does.
#ifdef __USE_FAST_MATH__
__KS_BOTH1(sqrt, __KS_NVVM_F(sqrt_approx)(x), __dsqrt_rn(x))
#else
__KS_BOTH1(sqrt, __builtin_sqrtf(x), __dsqrt_rn(x))
#endif
__KS_FN float rsqrt(float x) { return rsqrtf(x); }
__KS_FN double rsqrt(double x) { return 1.0 / __dsqrt_rn(x); }
__KS_BOTH1(fabs, __builtin_fabsf(x), __builtin_fabs(x))
__KS_FN float abs(float x) { return fabsf(x); }
__KS_FN double abs(double x) { return fabs(x); }
__KS_BOTH1(floor, __builtin_floorf(x), __builtin_floor(x))
__KS_BOTH1(ceil, __builtin_ceilf(x), __builtin_ceil(x))
__KS_BOTH1(trunc, __builtin_truncf(x), __builtin_trunc(x))
__KS_BOTH1(rint, __builtin_rintf(x), __builtin_rint(x))
__KS_BOTH1(nearbyint, __builtin_rintf(x), __builtin_rint(x))
__KS_BOTH2(fmin, __builtin_fminf(x, y), __builtin_fmin(x, y))
__KS_BOTH2(fmax, __builtin_fmaxf(x, y), __builtin_fmax(x, y))
__KS_BOTH_FN float min(float x, float y) { return fminf(x, y); }
__KS_BOTH_FN float max(float x, float y) { return fmaxf(x, y); }
__KS_BOTH_FN double min(double x, double y) { return fmin(x, y); }
__KS_BOTH_FN double max(double x, double y) { return fmax(x, y); }
__KS_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__KS_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__KS_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__KS_FN float fdividef(float x, float y) { return x / y; }
__KS_BOTH2(fdim, x > y ? x - y : (x <= y ? 0.0f : x + y), x > y ? x - y : (x <= y ? 0.0 : x + y))

__KS_FN float __ks_copysign(float x, float y) {
  return __uint_as_float((__float_as_uint(x) & 0x7fffffffu) | (__float_as_uint(y) & 0x80000000u));
}
__KS_FN double __ks_copysign(double x, double y) {
  return __longlong_as_double((__double_as_longlong(x) & LLONG_MAX) | (__double_as_longlong(y) & LLONG_MIN));
}
__KS_BOTH2(copysign, __ks_copysign(x, y), __ks_copysign(x, y))
// Halves go away from zero, which no PTX rounding does: add the largest number below one half, then cut off.
__KS_BOTH1(round, truncf(x + copysignf(0.49999997f, x)), trunc(x + copysign(0.49999999999999994, x)))
__KS_FN long lrintf(float x) { return __float2ll_rn(x); }
__KS_FN long lrint(double x) { return __double2ll_rn(x); }
__KS_FN long lroundf(float x) { return __float2ll_rz(roundf(x)); }
__KS_FN long lround(double x) { return __double2ll_rz(round(x)); }

__KS_FN bool isnan(float x) { return __builtin_isnan(x); }
__KS_FN bool isnan(double x) { return __builtin_isnan(x); }
__KS_FN bool isinf(float x) { return fabsf(x) == INFINITY; }
__KS_FN bool isinf(double x) { return fabs(x) == HUGE_VAL; }
__KS_FN bool isfinite(float x) { return fabsf(x) < INFINITY; }
__KS_FN bool isfinite(double x) { return fabs(x) < HUGE_VAL; }
__KS_FN bool signbit(float x) { return __float_as_int(x) < 0; }
__KS_FN bool signbit(double x) { return __double_as_longlong(x) < 0; }
