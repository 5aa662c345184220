// Atomic operations, and loads through the read-only cache.
#pragma once

#define __KS_ATOMIC(NAME, T, BUILTIN, AS)                                                           \
  __device__ __forceinline__ T NAME(T *p, T v) { return (T)__nvvm_atom_##BUILTIN((AS *)p, (AS)v); }

#define __KS_ATOMIC_INT(NAME, OP)                                                                   \
  __KS_ATOMIC(NAME, int, OP##_gen_i, int)                                                           \
  __KS_ATOMIC(NAME, unsigned int, OP##_gen_i, int)

#define __KS_ATOMIC_LONG(NAME, OP)                                                                  \
  __KS_ATOMIC(NAME, long long, OP##_gen_ll, long long)                                              \
  __KS_ATOMIC(NAME, unsigned long long, OP##_gen_ll, long long)

__KS_ATOMIC_INT(atomicAdd, add)
__KS_ATOMIC_INT(atomicExch, xchg)
__KS_ATOMIC_INT(atomicAnd, and)
__KS_ATOMIC_INT(atomicOr, or)
__KS_ATOMIC_INT(atomicXor, xor)
__KS_ATOMIC(atomicMin, int, min_gen_i, int)
__KS_ATOMIC(atomicMax, int, max_gen_i, int)
__KS_ATOMIC(atomicMin, unsigned int, min_gen_ui, unsigned int)
__KS_ATOMIC(atomicMax, unsigned int, max_gen_ui, unsigned int)
__KS_ATOMIC(atomicInc, unsigned int, inc_gen_ui, unsigned int)
__KS_ATOMIC(atomicDec, unsigned int, dec_gen_ui, unsigned int)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 320
// GK104 has these two in 64 bits, but clang would make loops of compare-and-swap for it.
#define __KS_ATOMIC_WIDE(NAME, T, OP)                                                               \
  __device__ __forceinline__ T NAME(T *p, T v) {                                                    \
    T before;                                                                                       \
    asm volatile("atom." OP " %0, [%1], %2;" : "=l"(before) : "l"(p), "l"(v) : "memory");           \
    return before;                                                                                  \
  }
#define __KS_ATOMIC_WIDES(NAME, OP)                                                                 \
  __KS_ATOMIC_WIDE(NAME, long long, OP)                                                             \
  __KS_ATOMIC_WIDE(NAME, unsigned long long, OP)
__KS_ATOMIC_WIDES(atomicAdd, "add.u64")
__KS_ATOMIC_WIDES(atomicExch, "exch.b64")
#undef __KS_ATOMIC_WIDES
#undef __KS_ATOMIC_WIDE
#else
__KS_ATOMIC_LONG(atomicAdd, add)
__KS_ATOMIC_LONG(atomicExch, xchg)
#endif

__device__ __forceinline__ int atomicSub(int *p, int v) { return atomicAdd(p, -v); }
__device__ __forceinline__ unsigned int atomicSub(unsigned int *p, unsigned int v) { return atomicAdd(p, 0u - v); }

__device__ __forceinline__ int atomicCAS(int *p, int compare, int v) { return __nvvm_atom_cas_gen_i(p, compare, v); }
__device__ __forceinline__ unsigned int atomicCAS(unsigned int *p, unsigned int compare, unsigned int v) {
  return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v);
}
__device__ __forceinline__ unsigned long long atomicCAS(unsigned long long *p, unsigned long long compare, unsigned long long v) {
  return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)v);
}

__device__ __forceinline__ float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
__device__ __forceinline__ float atomicExch(float *p, float v) {
  return __builtin_bit_cast(float, atomicExch((unsigned int *)p, __builtin_bit_cast(unsigned int, v)));
}
// Kepler has no atomic addition in double precision: compare-and-swap until nobody came between. It is a template, so that
// a program's own atomicAdd(double *, double), which many bring for this reason, goes before it.
template <typename _T, typename Only> struct __ks_only {};
template <typename _T> struct __ks_only<_T, _T> { typedef _T type; };
template <typename _T> __device__ __forceinline__ typename __ks_only<_T, double>::type atomicAdd(_T *p, typename __ks_only<_T, double>::type v) {
  unsigned long long *bits = (unsigned long long *)p, seen = *bits, expected;
  do {
    expected = seen;
    seen = atomicCAS(bits, expected, __builtin_bit_cast(unsigned long long, __builtin_bit_cast(double, expected) + v));
  } while (seen != expected);
  return __builtin_bit_cast(double, seen);
}

// 64-bit minimum, maximum and bitwise atomics came with compute capability 3.2 (GK110; GK104 has them not).
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
__KS_ATOMIC(atomicMin, long long, min_gen_ll, long long)
__KS_ATOMIC(atomicMax, long long, max_gen_ll, long long)
__KS_ATOMIC(atomicMin, unsigned long long, min_gen_ull, unsigned long long)
__KS_ATOMIC(atomicMax, unsigned long long, max_gen_ull, unsigned long long)
__KS_ATOMIC_LONG(atomicAnd, and)
__KS_ATOMIC_LONG(atomicOr, or)
__KS_ATOMIC_LONG(atomicXor, xor)
#endif
// uint64_t is unsigned long, for which nvcc has no atomics. Ours are templates: a program's own go before them.
#define __KS_ATOMIC_ULONG(NAME)                                                                     \
  template <typename _T> __device__ __forceinline__ typename __ks_only<_T, unsigned long>::type NAME(_T *p, typename __ks_only<_T, unsigned long>::type v) { \
    return NAME((unsigned long long *)p, (unsigned long long)v);                                    \
  }
__KS_ATOMIC_ULONG(atomicAdd)
__KS_ATOMIC_ULONG(atomicExch)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
__KS_ATOMIC_ULONG(atomicAnd)
__KS_ATOMIC_ULONG(atomicOr)
__KS_ATOMIC_ULONG(atomicXor)
#endif
#undef __KS_ATOMIC
#undef __KS_ATOMIC_INT
#undef __KS_ATOMIC_LONG
#undef __KS_ATOMIC_ULONG

// __ldg reads through the read-only data cache (compute capability 3.5); on GK104 it is an ordinary load.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 350
#define __KS_LDG(T, SUFFIX, AS)                                                                     \
  __device__ __forceinline__ T __ldg(const T *p) { return (T)__nvvm_ldg_##SUFFIX((const AS *)p); }
#define __KS_LDG_VECTOR(T, N, E, SUFFIX)                                                            \
  typedef E __ks_##T __attribute__((ext_vector_type(N)));                                           \
  __device__ __forceinline__ T __ldg(const T *p) {                                                  \
    __ks_##T v = __nvvm_ldg_##SUFFIX((const __ks_##T *)p);                                          \
    T result;                                                                                       \
    __builtin_memcpy(&result, &v, sizeof result);                                                   \
    return result;                                                                                  \
  }
__KS_LDG_VECTOR(char2, 2, char, c2)
__KS_LDG_VECTOR(char4, 4, char, c4)
__KS_LDG_VECTOR(uchar2, 2, unsigned char, uc2)
__KS_LDG_VECTOR(uchar4, 4, unsigned char, uc4)
__KS_LDG_VECTOR(short2, 2, short, s2)
__KS_LDG_VECTOR(short4, 4, short, s4)
__KS_LDG_VECTOR(ushort2, 2, unsigned short, us2)
__KS_LDG_VECTOR(ushort4, 4, unsigned short, us4)
__KS_LDG_VECTOR(longlong2, 2, long long, ll2)
__KS_LDG_VECTOR(ulonglong2, 2, unsigned long long, ull2)
__KS_LDG_VECTOR(int2, 2, int, i2)
__KS_LDG_VECTOR(int4, 4, int, i4)
__KS_LDG_VECTOR(uint2, 2, unsigned int, ui2)
__KS_LDG_VECTOR(uint4, 4, unsigned int, ui4)
__KS_LDG_VECTOR(float2, 2, float, f2)
__KS_LDG_VECTOR(float4, 4, float, f4)
__KS_LDG_VECTOR(double2, 2, double, d2)
#undef __KS_LDG_VECTOR
#else
#define __KS_LDG(T, SUFFIX, AS)                                                                     \
  __device__ __forceinline__ T __ldg(const T *p) { return *p; }
__KS_LDG(char2, , )
__KS_LDG(char4, , )
__KS_LDG(uchar2, , )
__KS_LDG(uchar4, , )
__KS_LDG(short2, , )
__KS_LDG(short4, , )
__KS_LDG(ushort2, , )
__KS_LDG(ushort4, , )
__KS_LDG(longlong2, , )
__KS_LDG(ulonglong2, , )
__KS_LDG(int2, , )
__KS_LDG(int4, , )
__KS_LDG(uint2, , )
__KS_LDG(uint4, , )
__KS_LDG(float2, , )
__KS_LDG(float4, , )
__KS_LDG(double2, , )
#endif
__KS_LDG(signed char, c, char)
__KS_LDG(char, c, char)
__KS_LDG(short, s, short)
__KS_LDG(int, i, int)
__KS_LDG(long, l, long)
__KS_LDG(long long, ll, long long)
__KS_LDG(unsigned char, uc, unsigned char)
__KS_LDG(unsigned short, us, unsigned short)
__KS_LDG(unsigned int, ui, unsigned int)
__KS_LDG(unsigned long, ul, unsigned long)
__KS_LDG(unsigned long long, ull, unsigned long long)
__KS_LDG(float, f, float)
__KS_LDG(double, d, double)
#undef __KS_LDG

// Loads and stores with a cache operator: __ldcg past L1, __ldcs for data read once, __stwt and relatives for stores. Each is one access; AS is
// what a register holds of an element.
#define __KS_CACHED_BY(ACCESS, T, E, PTX, C, AS)                                                    \
  ACCESS##_LOAD(T, E, PTX, C, AS, ca) ACCESS##_LOAD(T, E, PTX, C, AS, cg) ACCESS##_LOAD(T, E, PTX, C, AS, cs) ACCESS##_LOAD(T, E, PTX, C, AS, cv) \
  ACCESS##_STORE(T, E, PTX, C, AS, wb) ACCESS##_STORE(T, E, PTX, C, AS, cg) ACCESS##_STORE(T, E, PTX, C, AS, cs) ACCESS##_STORE(T, E, PTX, C, AS, wt)
#define __KS_ONE_LOAD(T, E, PTX, C, AS, OP)                                                         \
  __device__ __forceinline__ T __ld##OP(const T *p) {                                               \
    AS v;                                                                                           \
    asm volatile("ld." #OP "." PTX " %0, [%1];" : "=" C(v) : "l"(p) : "memory");                    \
    return (T)v;                                                                                    \
  }
#define __KS_ONE_STORE(T, E, PTX, C, AS, OP)                                                        \
  __device__ __forceinline__ void __st##OP(T *p, T v) { asm volatile("st." #OP "." PTX " [%0], %1;" ::"l"(p), C((AS)v) : "memory"); }
#define __KS_TWO_LOAD(T, E, PTX, C, AS, OP)                                                         \
  __device__ __forceinline__ T __ld##OP(const T *p) {                                               \
    AS x, y;                                                                                        \
    asm volatile("ld." #OP ".v2." PTX " {%0, %1}, [%2];" : "=" C(x), "=" C(y) : "l"(p) : "memory"); \
    return {(E)x, (E)y};                                                                            \
  }
#define __KS_TWO_STORE(T, E, PTX, C, AS, OP)                                                        \
  __device__ __forceinline__ void __st##OP(T *p, T v) {                                             \
    asm volatile("st." #OP ".v2." PTX " [%0], {%1, %2};" ::"l"(p), C((AS)v.x), C((AS)v.y) : "memory"); \
  }
#define __KS_FOUR_LOAD(T, E, PTX, C, AS, OP)                                                        \
  __device__ __forceinline__ T __ld##OP(const T *p) {                                               \
    AS x, y, z, w;                                                                                  \
    asm volatile("ld." #OP ".v4." PTX " {%0, %1, %2, %3}, [%4];" : "=" C(x), "=" C(y), "=" C(z), "=" C(w) : "l"(p) : "memory"); \
    return {(E)x, (E)y, (E)z, (E)w};                                                                \
  }
#define __KS_FOUR_STORE(T, E, PTX, C, AS, OP)                                                       \
  __device__ __forceinline__ void __st##OP(T *p, T v) {                                             \
    asm volatile("st." #OP ".v4." PTX " [%0], {%1, %2, %3, %4};" ::"l"(p), C((AS)v.x), C((AS)v.y), C((AS)v.z), C((AS)v.w) : "memory"); \
  }
#define __KS_CACHED(T, PTX, C, AS) __KS_CACHED_BY(__KS_ONE, T, T, PTX, C, AS)
#define __KS_CACHED_2(NAME, T, PTX, C, AS) __KS_CACHED(T, PTX, C, AS) __KS_CACHED_BY(__KS_TWO, NAME##2, T, PTX, C, AS)
#define __KS_CACHED_4(NAME, T, PTX, C, AS) __KS_CACHED_2(NAME, T, PTX, C, AS) __KS_CACHED_BY(__KS_FOUR, NAME##4, T, PTX, C, AS)
__KS_CACHED(signed char, "s8", "r", int)
__KS_CACHED(long, "s64", "l", long)
__KS_CACHED(unsigned long, "u64", "l", unsigned long)
__KS_CACHED_4(char, char, "s8", "r", int)
__KS_CACHED_4(uchar, unsigned char, "u8", "r", unsigned int)
__KS_CACHED_4(short, short, "s16", "h", short)
__KS_CACHED_4(ushort, unsigned short, "u16", "h", unsigned short)
__KS_CACHED_4(int, int, "s32", "r", int)
__KS_CACHED_4(uint, unsigned int, "u32", "r", unsigned int)
__KS_CACHED_4(float, float, "f32", "f", float)
__KS_CACHED_2(longlong, long long, "s64", "l", long long)
__KS_CACHED_2(ulonglong, unsigned long long, "u64", "l", unsigned long long)
__KS_CACHED_2(double, double, "f64", "d", double)
#undef __KS_CACHED
#undef __KS_CACHED_2
#undef __KS_CACHED_4
#undef __KS_CACHED_BY
#undef __KS_ONE_LOAD
#undef __KS_ONE_STORE
#undef __KS_TWO_LOAD
#undef __KS_TWO_STORE
#undef __KS_FOUR_LOAD
#undef __KS_FOUR_STORE
