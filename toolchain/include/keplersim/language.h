// CUDA's language extensions as clang attributes, and the types of <stdint.h> and <stddef.h>.
#pragma once
// By these, libraries tell that CUDA's headers have been read, whose names they would otherwise take back.
#define __HOST_DEFINES_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#ifndef KEPLERSIM_NESTED
#define __global__ __attribute__((global))
#else // kernels that device code names: see nested.h
#define __global__ __attribute__((host)) __attribute__((device)) __attribute__((nvptx_kernel)) \
    __attribute__((used)) __attribute__((noinline))
#endif
#define __shared__ __attribute__((shared))
#ifdef __CUDA_ARCH__ // the host may write a static constant by its name, which no compiler sees: its first value is not folded into code
#define __constant__ __attribute__((constant)) __attribute__((annotate("the host may write it")))
#else
#define __constant__ __attribute__((constant))
#endif
// A managed variable has pages of its own on both sides, in host code in a section of their own: the runtime makes them the same pages.
#if defined(__CUDA_ARCH__) || !defined(KEPLERSIM_MACHINE_LIBRARY)
#define __managed__ __attribute__((device)) __attribute__((aligned(4096)))
#else
#define __managed__ __attribute__((device)) __attribute__((aligned(4096))) __attribute__((section("keplersim_managed")))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#if __clang_major__ < 15 // later it is a word of the language, and libstdc++ has it inside attributes
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

// How a function of these headers that host code has too is declared: inlined wherever it is called.
#define __KS_BOTH_FN static __inline__ __attribute__((host, device, always_inline, unused))
#ifdef KEPLERSIM_MACHINE_LIBRARY
// The rest is the device's alone, as the host has its own functions of many of these names.
#define __KS_SIDES device
#else
#define __KS_SIDES host, device
#endif
#define __KS_FN static __inline__ __attribute__((__KS_SIDES, always_inline, unused))
// The same for the long functions, which are called instead of copied unless the compiler finds that they pay.
#define __KS_LONG_FN static __inline__ __attribute__((__KS_SIDES, unused))

#ifndef KEPLERSIM_MACHINE_LIBRARY
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#ifndef NULL
#define NULL __null
#endif
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-LONG_MAX - 1)
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (2ul * LONG_MAX + 1)
#define LLONG_MIN (-LLONG_MAX - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LLONG_MIN
#define INT64_MAX LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VAL __builtin_huge_val()
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_SQRT2 1.41421356237309504880
#endif
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define CUDART_PI_F 3.141592654f
#define CUDART_INF_F INFINITY
#define CUDART_NAN_F NAN
