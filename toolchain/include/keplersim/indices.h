// threadIdx, blockIdx, blockDim and gridDim: each member reads its PTX special register where it is used.
#pragma once

#define __KS_INDEX(NAME, REGISTER)                                                                  \
  struct __ks_##NAME##_t {                                                                          \
    __declspec(property(get = __x)) unsigned int x;                                                 \
    __declspec(property(get = __y)) unsigned int y;                                                 \
    __declspec(property(get = __z)) unsigned int z;                                                 \
    __device__ __forceinline__ unsigned int __x() const { return __nvvm_read_ptx_sreg_##REGISTER##_x(); } \
    __device__ __forceinline__ unsigned int __y() const { return __nvvm_read_ptx_sreg_##REGISTER##_y(); } \
    __device__ __forceinline__ unsigned int __z() const { return __nvvm_read_ptx_sreg_##REGISTER##_z(); } \
    __device__ __forceinline__ operator uint3() const { return uint3{__x(), __y(), __z()}; }        \
  };                                                                                                \
  __device__ __forceinline__ dim3::dim3(const __ks_##NAME##_t &i) : x(i.x), y(i.y), z(i.z) {}       \
  extern const __device__ __attribute__((weak)) __ks_##NAME##_t NAME;

__KS_INDEX(threadIdx, tid)
__KS_INDEX(blockIdx, ctaid)
__KS_INDEX(blockDim, ntid)
__KS_INDEX(gridDim, nctaid)
#undef __KS_INDEX

// The same as macros, which device_launch_parameters.h defines.
#define __cudaGet_threadIdx() threadIdx
#define __cudaGet_blockIdx() blockIdx
#define __cudaGet_blockDim() blockDim
#define __cudaGet_gridDim() gridDim
#define __cudaGet_warpSize() warpSize

enum { warpSize = 32 };
