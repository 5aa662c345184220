// System calls of device code: printf, assert, the device heap; and memset and memcpy, which become loops.
#pragma once

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__attribute__((__KS_SIDES)) int printf(const char *format, ...);
__attribute__((__KS_SIDES)) void *malloc(size_t bytes);
__attribute__((__KS_SIDES)) void free(void *p);
__attribute__((__KS_SIDES, noreturn)) void __assertfail(const char *message, const char *file, unsigned int line, const char *function,
                                                        size_t character_bytes);
}

#ifdef KEPLERSIM_MACHINE_LIBRARY
// What the machine's assert calls.
extern "C" __device__ __forceinline__ __attribute__((noreturn)) void __assert_fail(const char *message, const char *file, unsigned int line,
                                                                                const char *function) {
  __assertfail(message, file, line, function, 1);
}
#elif defined(NDEBUG)
#define assert(condition) ((void)0)
#elif defined(__CUDA_ARCH__)
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#else
#define assert(condition) ((void)(condition))
#endif

__KS_FN void *memset(void *p, int v, size_t n) { return __builtin_memset(p, v, n); }
__KS_FN void *memcpy(void *to, const void *from, size_t n) { return __builtin_memcpy(to, from, n); }
// new and delete of device code are the device heap's.
__device__ __forceinline__ void *operator new(size_t n) { return malloc(n); }
__device__ __forceinline__ void *operator new[](size_t n) { return malloc(n); }
__device__ __forceinline__ void operator delete(void *p) noexcept { free(p); }
__device__ __forceinline__ void operator delete[](void *p) noexcept { free(p); }
__device__ __forceinline__ void operator delete(void *p, size_t) noexcept { free(p); }
__device__ __forceinline__ void operator delete[](void *p, size_t) noexcept { free(p); }
#ifndef KEPLERSIM_MACHINE_LIBRARY
__host__ __device__ __forceinline__ void *operator new(size_t, void *at) noexcept { return at; }
__host__ __device__ __forceinline__ void *operator new[](size_t, void *at) noexcept { return at; }
#else
__device__ __forceinline__ void *operator new(size_t, void *at) noexcept { return at; }
__device__ __forceinline__ void *operator new[](size_t, void *at) noexcept { return at; }
__device__ __forceinline__ void operator delete(void *, void *) noexcept {} // what a constructor that throws would call
__device__ __forceinline__ void operator delete[](void *, void *) noexcept {}
__device__ __forceinline__ void *operator new(size_t n, const std::nothrow_t &) noexcept { return malloc(n); }
__device__ __forceinline__ void *operator new[](size_t n, const std::nothrow_t &) noexcept { return malloc(n); }
#endif
