// CUDA's built-in vector types and their alignments.
#pragma once

// An assignment of 8 or 16 bytes is one access of memory, as in nvcc's code. Left to itself, clang copies 16 as two of 8 bytes, and 8 as
// one number, which it loads as two of 4 bytes where its halves are used apart. A union with such a member has no assignment of its own
// then, and the types are not trivial: KEPLERSIM_PLAIN_VECTORS makes them so, in files that need it (toolchain/repair.go).
#if defined KEPLERSIM_PLAIN_VECTORS || !defined __cplusplus
#define __KS_ASSIGN2(A, TYPE)
#define __KS_ASSIGN4(A, TYPE)
#else
#define __KS_ASSIGN2(A, TYPE) __KS_ASSIGN2_##A(TYPE)
#define __KS_ASSIGN4(A, TYPE) __KS_ASSIGN4_##A(TYPE)
#endif
#define __KS_ASSIGNMENT(TYPE, ELEMENTS)                                                             \
  __host__ __device__ __forceinline__ TYPE &operator=(const TYPE &from) {                           \
    TYPE v = from;                                                                                  \
    ELEMENTS;                                                                                       \
    return *this;                                                                                   \
  }
#define __KS_ASSIGN2_16(TYPE) __KS_ASSIGNMENT(TYPE, (x = v.x, y = v.y))
#define __KS_ASSIGN4_16(TYPE) __KS_ASSIGNMENT(TYPE, (x = v.x, y = v.y, z = v.z, w = v.w))
#define __KS_ASSIGN2_2(TYPE)
#define __KS_ASSIGN2_4(TYPE)
#define __KS_ASSIGN2_8(TYPE) __KS_ASSIGNMENT(TYPE, (x = v.x, y = v.y))
#define __KS_ASSIGN4_4(TYPE)
#define __KS_ASSIGN4_8(TYPE)

#ifdef __cplusplus
#define __KS_NAMED(TYPE)
#else
#define __KS_NAMED(TYPE) typedef struct TYPE TYPE;
#endif

// Name, element, alignment of the 2-vector, alignment of the 4-vector.
#define __KS_EACH_VECTOR(DO) \
  DO(char, signed char, 2, 4) \
  DO(uchar, unsigned char, 2, 4) \
  DO(short, short, 4, 8) \
  DO(ushort, unsigned short, 4, 8) \
  DO(int, int, 8, 16) \
  DO(uint, unsigned int, 8, 16) \
  DO(long, long, 16, 16) \
  DO(ulong, unsigned long, 16, 16) \
  DO(longlong, long long, 16, 16) \
  DO(ulonglong, unsigned long long, 16, 16) \
  DO(float, float, 8, 16) \
  DO(double, double, 16, 16)

#define __KS_VECTORS(N, T, A2, A4)                                                                  \
  struct N##1 { T x; };                                                                             \
  __KS_NAMED(N##1) __KS_NAMED(N##2) __KS_NAMED(N##3) __KS_NAMED(N##4)                               \
  struct __align__(A2) N##2 { T x, y; __KS_ASSIGN2(A2, N##2) };                                     \
  struct N##3 { T x, y, z; };                                                                       \
  struct __align__(A4) N##4 { T x, y, z, w; __KS_ASSIGN4(A4, N##4) };
__KS_EACH_VECTOR(__KS_VECTORS)
#undef __KS_VECTORS

#ifdef __CUDA__
// The types of threadIdx, blockIdx, blockDim and gridDim: indices.h.
struct __ks_threadIdx_t;
struct __ks_blockIdx_t;
struct __ks_blockDim_t;
struct __ks_gridDim_t;
#endif

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
#ifdef __CUDA__
  __device__ dim3(const __ks_threadIdx_t &);
  __device__ dim3(const __ks_blockIdx_t &);
  __device__ dim3(const __ks_blockDim_t &);
  __device__ dim3(const __ks_gridDim_t &);
#endif
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const { return {x, y, z}; }
#endif
};
__KS_NAMED(dim3)
