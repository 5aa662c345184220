// Barriers, fences, warp votes and shuffles, clocks.
//
// On Kepler the 32 lanes of a warp advance together, so the *_sync spellings that later CUDA versions ask for mean the
// plain instruction here: the mask is taken and ignored. __syncwarp() stands in the PTX, as nvcc's does: no access to memory may pass
// it, in our scheduler as little as in clang. With __KEPLERSIM_CHECK__, which --check defines, masks stand in the code too.
#pragma once

// __syncthreads() is known to clang itself.
__device__ __forceinline__ int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__device__ __forceinline__ int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__device__ __forceinline__ int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__device__ __forceinline__ void __syncwarp(unsigned int mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
#ifdef __KEPLERSIM_CHECK__
__device__ __forceinline__ void __ks_members(unsigned int mask) {
  asm volatile("{\n\t.reg .pred q;\n\tsetp.eq.u32 q, %0, %0;\n\tvote.sync.any.pred q, q, %0;\n\t}" ::"r"(mask));
}
#else
__KS_FN void __ks_members(unsigned int) {}
#endif

__device__ __forceinline__ void __threadfence_block() { __nvvm_membar_cta(); }
__device__ __forceinline__ void __threadfence() { __nvvm_membar_gl(); }
__device__ __forceinline__ void __threadfence_system() { __nvvm_membar_sys(); }

__device__ __forceinline__ unsigned int __ballot(int p) {
  unsigned int d;
  asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.s32 q, %1, 0;\n\tvote.ballot.b32 %0, q;\n\t}" : "=r"(d) : "r"(p));
  return d;
}
__device__ __forceinline__ int __any(int p) {
  int d;
  asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.s32 q, %1, 0;\n\tvote.any.pred q, q;\n\tselp.s32 %0, 1, 0, q;\n\t}" : "=r"(d) : "r"(p));
  return d;
}
__device__ __forceinline__ int __all(int p) {
  int d;
  asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.s32 q, %1, 0;\n\tvote.all.pred q, q;\n\tselp.s32 %0, 1, 0, q;\n\t}" : "=r"(d) : "r"(p));
  return d;
}
__device__ __forceinline__ unsigned int __activemask() { return __ballot(1); }
__device__ __forceinline__ unsigned int __ballot_sync(unsigned int mask, int p) {
  __ks_members(mask);
  return __ballot(p);
}
__device__ __forceinline__ int __any_sync(unsigned int mask, int p) {
  __ks_members(mask);
  return __any(p);
}
__device__ __forceinline__ int __all_sync(unsigned int mask, int p) {
  __ks_members(mask);
  return __all(p);
}

// A shuffle's last operand: the segment mask in bits 8 to 12, the clamp lane in bits 0 to 4.
__KS_FN int __ks_segment(int width) { return (32 - width) << 8; }

template <typename _T> struct __ks_double {};
template <> struct __ks_double<double> { typedef double type; };

#define __KS_SHUFFLE(NAME, MODE, CLAMP)                                                             \
  __device__ __forceinline__ int NAME(int v, int b, int width = 32) {                               \
    return __nvvm_shfl_##MODE##_i32(v, b, __ks_segment(width) | CLAMP);                             \
  }                                                                                                 \
  __device__ __forceinline__ float NAME(float v, int b, int width = 32) {                           \
    return __nvvm_shfl_##MODE##_f32(v, b, __ks_segment(width) | CLAMP);                             \
  }                                                                                                 \
  __device__ __forceinline__ unsigned int NAME(unsigned int v, int b, int width = 32) {             \
    return (unsigned int)NAME((int)v, b, width);                                                    \
  }                                                                                                 \
  __device__ __forceinline__ unsigned long long NAME(unsigned long long v, int b, int width = 32) { \
    unsigned int lo = NAME((unsigned int)v, b, width), hi = NAME((unsigned int)(v >> 32), b, width); \
    return (unsigned long long)hi << 32 | lo;                                                       \
  }                                                                                                 \
  __device__ __forceinline__ long long NAME(long long v, int b, int width = 32) {                   \
    return (long long)NAME((unsigned long long)v, b, width);                                        \
  }                                                                                                 \
  __device__ __forceinline__ unsigned long NAME(unsigned long v, int b, int width = 32) {           \
    return (unsigned long)NAME((unsigned long long)v, b, width);                                    \
  }                                                                                                 \
  __device__ __forceinline__ long NAME(long v, int b, int width = 32) {                             \
    return (long)NAME((unsigned long long)v, b, width);                                             \
  }                                                                                                 \
  /* A template, which gives way to the function that older programs bring along. */               \
  template <typename _T> __device__ __forceinline__ typename __ks_double<_T>::type NAME(_T v, int b, int width = 32) { \
    return __builtin_bit_cast(double, NAME(__builtin_bit_cast(unsigned long long, v), b, width));   \
  }                                                                                                 \
  template <typename _T>                                                                            \
  __device__ __forceinline__ _T NAME##_sync(unsigned int mask, _T v, int b, int width = 32) {       \
    __ks_members(mask);                                                                             \
    return NAME(v, b, width);                                                                       \
  }

__KS_SHUFFLE(__shfl, idx, 0x1f)
__KS_SHUFFLE(__shfl_up, up, 0)
__KS_SHUFFLE(__shfl_down, down, 0x1f)
__KS_SHUFFLE(__shfl_xor, bfly, 0x1f)
#undef __KS_SHUFFLE

__device__ __forceinline__ unsigned int __ks_lane() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ __forceinline__ long long int clock64() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
__device__ __forceinline__ int clock() {
  int t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ __forceinline__ void __trap() { asm volatile("trap;"); }
__device__ __forceinline__ void __brkpt() { asm volatile("brkpt;"); }
__device__ __forceinline__ void __prof_trigger(int) { asm volatile("pmevent 0;"); }

#define __KS_NEWER(DECLARATION, SINCE, INSTEAD)                                                     \
  __device__ __attribute__((unavailable("it came with compute capability " SINCE "; on Kepler " INSTEAD))) DECLARATION;
__KS_NEWER(void __nanosleep(unsigned int), "7.0", "wait in a loop on clock64()")
__KS_NEWER(unsigned int __match_any_sync(unsigned int, unsigned int), "7.0", "compare with __shfl in a loop over the lanes")
__KS_NEWER(unsigned int __match_all_sync(unsigned int, unsigned int, int *), "7.0", "compare with __shfl(value, 0) and __all")
__KS_NEWER(unsigned int __reduce_add_sync(unsigned int, unsigned int), "8.0", "add up with __shfl_xor")
__KS_NEWER(unsigned int __reduce_min_sync(unsigned int, unsigned int), "8.0", "reduce with __shfl_xor")
__KS_NEWER(unsigned int __reduce_max_sync(unsigned int, unsigned int), "8.0", "reduce with __shfl_xor")
__KS_NEWER(int atomicAdd_system(int *, int), "6.0", "atomicAdd serves the whole device")
__KS_NEWER(int atomicAdd_block(int *, int), "6.0", "use atomicAdd")
#undef __KS_NEWER

__device__ __forceinline__ unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
__device__ __forceinline__ unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
__device__ __forceinline__ unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
__device__ __forceinline__ unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
__device__ __forceinline__ size_t __cvta_generic_to_shared(const void *p) {
  unsigned long long address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
