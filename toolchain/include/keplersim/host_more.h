// Declarations of the host side that fewer programs need: copies of boxes, several devices, callbacks, errors by name.
#pragma once

#define CUDART_CB
#define CUDARTAPI

struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaPos { size_t x, y, z; };
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2, cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2, cudaDeviceLmemResizeToMax = 16 };
enum { cudaEventInterprocess = 4, cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaOccupancyDefault = 0 };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes {
  cudaMemoryType type, memoryType;
  int device;
  void *devicePointer, *hostPointer;
};
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
typedef void (*cudaHostFn_t)(void *data);
typedef const cudaArray *cudaArray_const_t;

extern "C" {
cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t width, size_t height);
cudaPos make_cudaPos(size_t x, size_t y, size_t z);
cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent extent);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream = 0);
cudaError_t cudaMemset3D(cudaPitchedPtr p, int v, cudaExtent extent);
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int v, size_t width, size_t height, cudaStream_t stream = 0);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n, cudaMemcpyKind kind);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t n, cudaMemcpyKind kind);
cudaError_t cudaMemcpyPeer(void *to, int device, const void *from, int peer, size_t n);
cudaError_t cudaMemcpyPeerAsync(void *to, int device, const void *from, int peer, size_t n, cudaStream_t stream = 0);
cudaError_t cudaMemAdvise(const void *p, size_t n, cudaMemoryAdvise advice, int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *properties);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *c);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *c);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *data, unsigned int flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t n = 0, unsigned int flags = 4);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *data);
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache c);
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value);
}
template <typename T> cudaError_t cudaFuncSetAttribute(T kernel, cudaFuncAttribute attribute, int value);
template <typename T> cudaError_t cudaGetSymbolSize(size_t *n, const T &symbol);
template <typename T> cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t n, size_t offset = 0,
                                                            cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0);
