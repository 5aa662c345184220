// The runtime API's templates and overloads of C++: typed pointers, kernels and symbols by name.
#pragma once

// CUB's name for it in kernels, since CUDA 11.6.
__host__ __device__ static inline __attribute__((unused)) cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance() { return cudaDeviceSynchronize(); }

#ifdef __CUDA__
// The device's own runtime, as far as libraries name it: what a kernel launches kernels by.
extern "C" __device__ void *cudaGetParameterBuffer(size_t alignment, size_t bytes);
extern "C" __device__ cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream);
#endif

static __inline__ cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return __ksChannelDesc(x, y, z, w, f); }
template <typename _T> struct __ks_channels {
  static cudaChannelFormatDesc get() { return __ksChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
};
#define __KS_CHANNEL(T, X, Y, Z, W, F)                                                              \
  template <> struct __ks_channels<T> { static cudaChannelFormatDesc get() { return __ksChannelDesc(X, Y, Z, W, cudaChannelFormatKind##F); } };
#define __KS_CHANNELS(N, E, BITS, F)                                                                \
  __KS_CHANNEL(E, BITS, 0, 0, 0, F) __KS_CHANNEL(N##1, BITS, 0, 0, 0, F) __KS_CHANNEL(N##2, BITS, BITS, 0, 0, F) \
  __KS_CHANNEL(N##3, BITS, BITS, BITS, 0, F) __KS_CHANNEL(N##4, BITS, BITS, BITS, BITS, F)
__KS_CHANNEL(char, 8, 0, 0, 0, Signed)
__KS_CHANNELS(char, signed char, 8, Signed)
__KS_CHANNELS(uchar, unsigned char, 8, Unsigned)
__KS_CHANNELS(short, short, 16, Signed)
__KS_CHANNELS(ushort, unsigned short, 16, Unsigned)
__KS_CHANNELS(int, int, 32, Signed)
__KS_CHANNELS(uint, unsigned int, 32, Unsigned)
__KS_CHANNELS(float, float, 32, Float)
#undef __KS_CHANNELS
#undef __KS_CHANNEL
template <typename _T> inline cudaChannelFormatDesc cudaCreateChannelDesc() { return __ks_channels<_T>::get(); }
static __inline__ cudaChannelFormatDesc cudaCreateChannelDescHalf() { return __ksChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }

// void * itself goes to the function of C.
template <typename _T> inline cudaError_t cudaMalloc(_T **p, size_t n) { return cudaMalloc((void **)p, n); }
template <typename _T> inline cudaError_t cudaMallocHost(_T **p, size_t n, unsigned int flags = 0) { return cudaHostAlloc((void **)p, n, flags); }
template <typename _T> inline cudaError_t cudaHostAlloc(_T **p, size_t n, unsigned int flags = 0) { return cudaHostAlloc((void **)p, n, flags); }
template <typename _T> inline cudaError_t cudaMallocManaged(_T **p, size_t n, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)p, n, flags);
}
template <typename _T> inline cudaError_t cudaMallocAsync(_T **p, size_t n, cudaStream_t stream) { return cudaMallocAsync((void **)p, n, stream); }
template <typename _T> inline cudaError_t cudaMallocPitch(_T **p, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch((void **)p, pitch, width, height);
}
template <typename _T> inline cudaError_t cudaHostGetDevicePointer(_T **p, void *host, unsigned int flags = 0) {
  return cudaHostGetDevicePointer((void **)p, host, flags);
}

// A symbol is its host variable's address.
template <typename _T> inline cudaError_t cudaMemcpyToSymbol(const _T &symbol, const void *from, size_t n, size_t offset = 0,
                                                            cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void *)&symbol, from, n, offset, kind);
}
template <typename _T> inline cudaError_t cudaMemcpyToSymbolAsync(const _T &symbol, const void *from, size_t n, size_t offset = 0,
                                                                 cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync((const void *)&symbol, from, n, offset, kind, stream);
}
template <typename _T> inline cudaError_t cudaMemcpyFromSymbol(void *to, const _T &symbol, size_t n, size_t offset = 0,
                                                              cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, (const void *)&symbol, n, offset, kind);
}
template <typename _T> inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const _T &symbol, size_t n, size_t offset = 0,
                                                                   cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, n, offset, kind, stream);
}
template <typename _T> inline cudaError_t cudaGetSymbolAddress(void **p, const _T &symbol) { return cudaGetSymbolAddress(p, (const void *)&symbol); }
template <typename _T> inline cudaError_t cudaGetSymbolAddress(_T **p, const _T &symbol) { return cudaGetSymbolAddress((void **)p, (const void *)&symbol); }
template <typename _T> inline cudaError_t cudaGetSymbolSize(size_t *n, const _T &symbol) { return cudaGetSymbolSize(n, (const void *)&symbol); }

template <typename _T> inline cudaError_t cudaLaunchKernel(const _T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                                          cudaStream_t stream = 0) {
  return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <typename... _P, typename... _A> inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(_P...), _A &&...a) {
  return [&](_P... parameters) { // with the kernel's own types
    void *arguments[] = {(void *)&parameters..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, arguments);
  }(static_cast<_A &&>(a)...);
}
template <typename _T> inline cudaError_t cudaLaunchCooperativeKernel(const _T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                                                     cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <typename _T> inline cudaError_t cudaLaunch(_T *kernel) { return cudaLaunch((const void *)kernel); }
template <typename _T> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, _T *kernel) {
  return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename _T> inline cudaError_t cudaFuncSetAttribute(_T *kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename _T> inline cudaError_t cudaFuncSetCacheConfig(_T *kernel, cudaFuncCache c) { return cudaFuncSetCacheConfig((const void *)kernel, c); }
template <typename _T> inline cudaError_t cudaFuncSetSharedMemConfig(_T *kernel, cudaSharedMemConfig c) {
  return cudaFuncSetSharedMemConfig((const void *)kernel, c);
}
template <typename _T> inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, _T kernel, int blocks, int block) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, block);
}
template <typename _T> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, _T kernel, int block, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block, shared);
}
template <typename _T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, _T kernel, int block, size_t shared, unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block, shared, flags);
}
// The block of whole warps that keeps most threads resident; of two equal ones the larger.
template <typename _F, typename _T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, _T kernel, _F shared_of, int limit = 0) {
  int device = 0, processors = 0, best = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, (const void *)kernel);
  if (error != cudaSuccess) return error;
  int most = limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
  for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, threads, shared_of(threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads > best) best = blocks * threads, *block = threads, *grid = blocks * processors;
  }
  return best ? cudaSuccess : cudaErrorInvalidConfiguration;
}
template <typename _T> inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, _T kernel, size_t shared = 0, int limit = 0) {
  struct Same {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
  } same = {shared};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, same, limit);
}

template <typename _T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, _T kernel, size_t shared = 0, int limit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared, limit);
}
template <typename _F, typename _T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, _T kernel, _F shared_of, int limit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared_of, limit);
}
template <typename _T> inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, _T *kernel) {
  return cudaGetFuncBySymbol(function, (const void *)kernel);
}

static __inline__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return cudaEventCreateWithFlags(event, flags); }
static __inline__ cudaError_t cudaMallocHost(void **p, size_t n, unsigned int flags) { return cudaHostAlloc(p, n, flags); }
