// Launches from kernels, in the compilation of files that have some: what their `kernel<<<grid, block>>>(arguments)` has been made of, and the
// functions of the runtime that kernels can call.
#pragma once

extern "C" {
__device__ void __keplersim_configure_launch(unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, size_t, cudaStream_t);
__device__ cudaError_t cudaDeviceSynchronize(void);
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);
__device__ const char *cudaGetErrorString(cudaError_t);
__device__ const char *cudaGetErrorName(cudaError_t);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned int);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t);
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned int);
__device__ cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t);
__device__ cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t);
__device__ cudaError_t cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t);
__device__ cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
__device__ cudaError_t cudaMemset2DAsync(void *, size_t, int, size_t, size_t, cudaStream_t);
__device__ cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *, cudaStream_t);
__device__ cudaError_t cudaMemset3DAsync(cudaPitchedPtr, int, cudaExtent, cudaStream_t);
__device__ cudaError_t cudaMalloc(void **, size_t);
__device__ cudaError_t cudaFree(void *);
__device__ cudaError_t cudaGetDevice(int *);
__device__ cudaError_t cudaGetDeviceCount(int *);
__device__ cudaError_t cudaRuntimeGetVersion(int *);
__device__ cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
__device__ cudaError_t cudaDeviceGetLimit(size_t *, cudaLimit);
__device__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *);
__device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
}

template <class _T> __device__ inline cudaError_t cudaMalloc(_T **p, size_t n) { return cudaMalloc((void **)p, n); }
template <class _T> __device__ inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, _T *kernel) {
  return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class _T> __device__ inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, _T kernel, int block, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block, shared);
}

// The configuration of the launch that follows, whose call stands behind it.
__host__ __device__ __attribute__((always_inline)) static inline void __keplersim_configure(
    dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
#ifdef __CUDA_ARCH__
  __keplersim_configure_launch(grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream);
#endif
}
