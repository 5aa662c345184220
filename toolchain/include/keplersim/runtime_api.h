// CUDA's runtime API. For a kernel alone it is declared so that a whole program parses; for a whole program runtime/native defines it.
#pragma once

#ifdef __cplusplus
#define __KS_DEFAULT(V) = V
extern "C" {
#else
#define __KS_DEFAULT(V)
#endif

// Launches.
unsigned int __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared __KS_DEFAULT(0), cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaConfigureCall(struct dim3 grid, struct dim3 block, size_t shared __KS_DEFAULT(0), cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaSetupArgument(const void *argument, size_t size, size_t offset);
cudaError_t cudaLaunch(const void *kernel);
cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared __KS_DEFAULT(0),
                             cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared __KS_DEFAULT(0),
                                        cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *data);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache c);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig c);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int block, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int block, size_t shared, unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks, int block);

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *kernel);
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags);
cudaError_t cudaSetDoubleForDevice(double *d);
cudaError_t cudaSetDoubleForHost(double *d);

// Devices.
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const struct cudaChannelFormatDesc *desc, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache c);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *c);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *c);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int peer);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache c);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *c);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

// Errors.
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

// Memory.
cudaError_t cudaMalloc(void **p, size_t n);
cudaError_t cudaFree(void *p);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent);
cudaError_t cudaMallocHost(void **p, size_t n);
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned int flags);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaHostRegister(void *p, size_t n, unsigned int flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaHostGetDevicePointer(void **p, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned int flags);
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemRangeGetAttribute(void *value, size_t bytes, enum cudaMemRangeAttribute attribute, const void *p, size_t n);
cudaError_t cudaMemRangeGetAttributes(void **values, size_t *bytes, enum cudaMemRangeAttribute *attributes, size_t count, const void *p, size_t n);
cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p);
cudaError_t cudaMemset(void *p, int v, size_t n);
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemset2D(void *p, size_t pitch, int v, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int v, size_t width, size_t height, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int v, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int v, struct cudaExtent extent, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters);
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void *to, int device, const void *from, int peer, size_t n);
cudaError_t cudaMemcpyPeerAsync(void *to, int device, const void *from, int peer, size_t n, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset __KS_DEFAULT(0),
                               enum cudaMemcpyKind kind __KS_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset __KS_DEFAULT(0),
                                 enum cudaMemcpyKind kind __KS_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *n, const void *symbol);

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags __KS_DEFAULT(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void *data, unsigned int flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t n __KS_DEFAULT(0), unsigned int flags __KS_DEFAULT(4));
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream __KS_DEFAULT(0), unsigned int flags __KS_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop);

// Between processes: not supported.
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p);
cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *p);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);

// Arrays, textures and surfaces.
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height __KS_DEFAULT(0),
                            unsigned int flags __KS_DEFAULT(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags __KS_DEFAULT(0));
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels,
                                     unsigned int flags __KS_DEFAULT(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t n, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t n, enum cudaMemcpyKind kind,
                                   cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind,
                                     cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t n,
                                   enum cudaMemcpyKind kind __KS_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream __KS_DEFAULT(0));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind __KS_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *t, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *s, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t s);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t t);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture, cudaTextureObject_t t);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view, cudaTextureObject_t t);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t s);
cudaError_t __ksBindTexture(size_t *offset, const struct textureReference *reference, const void *memory, const struct cudaChannelFormatDesc *desc, size_t width,
                            size_t height, size_t pitch, int normalized);
cudaError_t __ksBindTextureToArray(const struct textureReference *reference, cudaArray_const_t array, int normalized);
cudaError_t __ksBindSurfaceToArray(const struct surfaceReference *reference, cudaArray_const_t array);
cudaError_t __ksUnbindTexture(const struct textureReference *reference);
#ifdef __cplusplus
}
#endif

#include "runtime_graphs.h"
#include "runtime_unsupported.h"

static __inline__ struct cudaChannelFormatDesc __ksChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
  struct cudaChannelFormatDesc d = {x, y, z, w, f};
  return d;
}
static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent e = {width, height, depth};
  return e;
}
static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t width, size_t height) {
  struct cudaPitchedPtr r = {p, pitch, width, height};
  return r;
}
static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos p = {x, y, z};
  return p;
}
