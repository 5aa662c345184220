// Numbers whose type cuBLAS hears of when it is called: read into the type that is computed in, and written back from it.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>
#include "numbers.cuh"

namespace {

size_t bytes_of(cudaDataType t) {
  switch (t) {
  case CUDA_R_8I: case CUDA_R_8U: return 1;
  case CUDA_R_16F: case CUDA_R_16BF: return 2;
  case CUDA_R_32F: case CUDA_R_32I: return 4;
  case CUDA_R_64F: case CUDA_C_32F: return 8;
  case CUDA_C_64F: return 16;
  default: return 0;
  }
}
template <typename W> __device__ __forceinline__ W widened_at(cudaDataType t, const void *p, size_t i) {
  switch (t) {
  case CUDA_R_8I: return number<W>((Real<W>)((const signed char *)p)[i]);
  case CUDA_R_8U: return number<W>((Real<W>)((const unsigned char *)p)[i]);
  case CUDA_R_16F: return number<W>((Real<W>)(float)((const __half *)p)[i]);
  case CUDA_R_16BF: return number<W>((Real<W>)(float)((const __nv_bfloat16 *)p)[i]);
  case CUDA_R_32F: return number<W>((Real<W>)((const float *)p)[i]);
  case CUDA_R_32I: return number<W>((Real<W>)((const int *)p)[i]);
  case CUDA_R_64F: return number<W>((Real<W>)((const double *)p)[i]);
  case CUDA_C_32F:
    if constexpr (is_complex<W>) return W{((const cuComplex *)p)[i].x, ((const cuComplex *)p)[i].y};
    break;
  case CUDA_C_64F:
    if constexpr (is_complex<W>) return W{(Real<W>)((const cuDoubleComplex *)p)[i].x, (Real<W>)((const cuDoubleComplex *)p)[i].y};
    break;
  default:;
  }
  return number<W>(0);
}
template <typename W> __device__ __forceinline__ Real<W> real_part(W v) {
  if constexpr (is_complex<W>) return v.x;
  else return v;
}
template <typename W> __device__ __forceinline__ void narrow_to(cudaDataType t, void *p, size_t i, W v) {
  switch (t) {
  case CUDA_R_8I: ((signed char *)p)[i] = (signed char)real_part(v); break;
  case CUDA_R_8U: ((unsigned char *)p)[i] = (unsigned char)real_part(v); break;
  case CUDA_R_16F: ((__half *)p)[i] = __float2half((float)real_part(v)); break;
  case CUDA_R_16BF: ((__nv_bfloat16 *)p)[i] = __float2bfloat16((float)real_part(v)); break;
  case CUDA_R_32F: ((float *)p)[i] = (float)real_part(v); break;
  case CUDA_R_32I: ((int *)p)[i] = (int)real_part(v); break;
  case CUDA_R_64F: ((double *)p)[i] = (double)real_part(v); break;
  case CUDA_C_32F:
    if constexpr (is_complex<W>) ((cuComplex *)p)[i] = cuComplex{(float)v.x, (float)v.y};
    break;
  case CUDA_C_64F:
    if constexpr (is_complex<W>) ((cuDoubleComplex *)p)[i] = cuDoubleComplex{v.x, v.y};
    break;
  default:;
  }
}

} // namespace
