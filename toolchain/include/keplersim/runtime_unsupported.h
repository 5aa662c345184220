// Calls of CUDA 11.8's runtime API that a Kepler or this simulator cannot do: a part of runtime_api.h, so that programs that ask for them
// compile. All of them say cudaErrorNotSupported; runtime/native/cudart_unsupported.inc defines them.
#pragma once

// Pools of memory: compute capability 6.0.
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor, cudaMemHandleTypeWin32, cudaMemHandleTypeWin32Kmt = 4 };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3 };
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh
};
enum cudaGraphMemAttributeType {
  cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh
};
struct cudaMemLocation { enum cudaMemLocationType type; int id; };
struct cudaMemAccessDesc { struct cudaMemLocation location; enum cudaMemAccessFlags flags; };
struct cudaMemPoolProps {
  enum cudaMemAllocationType allocType;
  enum cudaMemAllocationHandleType handleTypes;
  struct cudaMemLocation location;
  void *win32SecurityAttributes;
  unsigned char reserved[64];
};
struct cudaMemPoolPtrExportData { unsigned char reserved[64]; };
struct cudaMemAllocNodeParams {
  struct cudaMemPoolProps poolProps;
  const struct cudaMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr;
};

struct cudaArrayMemoryRequirements { size_t size, alignment; unsigned int reserved[4]; };
struct cudaArraySparseProperties {
  struct { unsigned int width, height, depth; } tileExtent;
  unsigned int miptailFirstLevel;
  unsigned long long miptailSize;
  unsigned int flags, reserved[4];
};
enum { cudaGraphUserObjectMove = 1, cudaUserObjectNoDestructorSync = 1 };

// Memory and semaphores of other programs and of graphics.
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef struct CUuserObject_st *cudaUserObject_t;
enum cudaExternalMemoryHandleType {
  cudaExternalMemoryHandleTypeOpaqueFd = 1, cudaExternalMemoryHandleTypeOpaqueWin32, cudaExternalMemoryHandleTypeOpaqueWin32Kmt,
  cudaExternalMemoryHandleTypeD3D12Heap, cudaExternalMemoryHandleTypeD3D12Resource, cudaExternalMemoryHandleTypeD3D11Resource,
  cudaExternalMemoryHandleTypeD3D11ResourceKmt, cudaExternalMemoryHandleTypeNvSciBuf
};
enum cudaExternalSemaphoreHandleType {
  cudaExternalSemaphoreHandleTypeOpaqueFd = 1, cudaExternalSemaphoreHandleTypeOpaqueWin32, cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt,
  cudaExternalSemaphoreHandleTypeD3D12Fence, cudaExternalSemaphoreHandleTypeD3D11Fence, cudaExternalSemaphoreHandleTypeNvSciSync,
  cudaExternalSemaphoreHandleTypeKeyedMutex, cudaExternalSemaphoreHandleTypeKeyedMutexKmt, cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd,
  cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32
};
enum { cudaExternalMemoryDedicated = 1 };
union __ksExternalHandle {
  int fd;
  struct { void *handle; const void *name; } win32;
  const void *nvSciBufObject, *nvSciSyncObj;
};
struct cudaExternalMemoryHandleDesc {
  enum cudaExternalMemoryHandleType type;
  union __ksExternalHandle handle;
  unsigned long long size;
  unsigned int flags;
};
struct cudaExternalMemoryBufferDesc { unsigned long long offset, size; unsigned int flags; };
struct cudaExternalMemoryMipmappedArrayDesc {
  unsigned long long offset;
  struct cudaChannelFormatDesc formatDesc;
  struct cudaExtent extent;
  unsigned int flags, numLevels;
};
struct cudaExternalSemaphoreHandleDesc {
  enum cudaExternalSemaphoreHandleType type;
  union __ksExternalHandle handle;
  unsigned int flags;
};
struct cudaExternalSemaphoreSignalParams {
  struct {
    struct { unsigned long long value; } fence;
    union { void *fence; unsigned long long reserved; } nvSciSync;
    struct { unsigned long long key; } keyedMutex;
    unsigned int reserved[12];
  } params;
  unsigned int flags, reserved[16];
};
struct cudaExternalSemaphoreWaitParams {
  struct {
    struct { unsigned long long value; } fence;
    union { void *fence; unsigned long long reserved; } nvSciSync;
    struct { unsigned long long key; unsigned int timeoutMs; } keyedMutex;
    unsigned int reserved[10];
  } params;
  unsigned int flags, reserved[16];
};
enum cudaGraphicsRegisterFlags {
  cudaGraphicsRegisterFlagsNone, cudaGraphicsRegisterFlagsReadOnly, cudaGraphicsRegisterFlagsWriteDiscard,
  cudaGraphicsRegisterFlagsSurfaceLoadStore = 4, cudaGraphicsRegisterFlagsTextureGather = 8
};
enum cudaGraphicsMapFlags { cudaGraphicsMapFlagsNone, cudaGraphicsMapFlagsReadOnly, cudaGraphicsMapFlagsWriteDiscard };

// __KS_RUNTIME_UNSUPPORTED(DO): DO(name after cuda, parameters).
#define __KS_RUNTIME_UNSUPPORTED(DO)                                                                \
  DO(MemPoolCreate, (cudaMemPool_t *, const struct cudaMemPoolProps *)) DO(MemPoolDestroy, (cudaMemPool_t)) \
  DO(DeviceGetDefaultMemPool, (cudaMemPool_t *, int)) DO(DeviceGetMemPool, (cudaMemPool_t *, int)) DO(DeviceSetMemPool, (int, cudaMemPool_t)) \
  DO(MemPoolSetAttribute, (cudaMemPool_t, enum cudaMemPoolAttr, void *)) DO(MemPoolGetAttribute, (cudaMemPool_t, enum cudaMemPoolAttr, void *)) \
  DO(MemPoolTrimTo, (cudaMemPool_t, size_t)) DO(MemPoolSetAccess, (cudaMemPool_t, const struct cudaMemAccessDesc *, size_t)) \
  DO(MemPoolGetAccess, (enum cudaMemAccessFlags *, cudaMemPool_t, struct cudaMemLocation *)) \
  DO(MemPoolExportToShareableHandle, (void *, cudaMemPool_t, enum cudaMemAllocationHandleType, unsigned int)) \
  DO(MemPoolImportFromShareableHandle, (cudaMemPool_t *, void *, enum cudaMemAllocationHandleType, unsigned int)) \
  DO(MemPoolExportPointer, (struct cudaMemPoolPtrExportData *, void *)) \
  DO(MemPoolImportPointer, (void **, cudaMemPool_t, struct cudaMemPoolPtrExportData *)) \
  DO(MallocFromPoolAsync, (void **, size_t, cudaMemPool_t, cudaStream_t)) \
  DO(DeviceGraphMemTrim, (int)) DO(DeviceGetGraphMemAttribute, (int, enum cudaGraphMemAttributeType, void *)) \
  DO(DeviceSetGraphMemAttribute, (int, enum cudaGraphMemAttributeType, void *)) \
  DO(GraphAddMemAllocNode, (cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, struct cudaMemAllocNodeParams *)) \
  DO(GraphAddMemFreeNode, (cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *)) \
  DO(ImportExternalMemory, (cudaExternalMemory_t *, const struct cudaExternalMemoryHandleDesc *)) DO(DestroyExternalMemory, (cudaExternalMemory_t)) \
  DO(ExternalMemoryGetMappedBuffer, (void **, cudaExternalMemory_t, const struct cudaExternalMemoryBufferDesc *)) \
  DO(ExternalMemoryGetMappedMipmappedArray, (cudaMipmappedArray_t *, cudaExternalMemory_t, const struct cudaExternalMemoryMipmappedArrayDesc *)) \
  DO(ImportExternalSemaphore, (cudaExternalSemaphore_t *, const struct cudaExternalSemaphoreHandleDesc *)) \
  DO(DestroyExternalSemaphore, (cudaExternalSemaphore_t)) \
  DO(SignalExternalSemaphoresAsync, (const cudaExternalSemaphore_t *, const struct cudaExternalSemaphoreSignalParams *, unsigned int, cudaStream_t)) \
  DO(WaitExternalSemaphoresAsync, (const cudaExternalSemaphore_t *, const struct cudaExternalSemaphoreWaitParams *, unsigned int, cudaStream_t)) \
  DO(GraphicsMapResources, (int, cudaGraphicsResource_t *, cudaStream_t)) DO(GraphicsUnmapResources, (int, cudaGraphicsResource_t *, cudaStream_t)) \
  DO(GraphicsUnregisterResource, (cudaGraphicsResource_t)) DO(GraphicsResourceSetMapFlags, (cudaGraphicsResource_t, unsigned int)) \
  DO(GraphicsResourceGetMappedPointer, (void **, size_t *, cudaGraphicsResource_t)) \
  DO(GraphicsSubResourceGetMappedArray, (cudaArray_t *, cudaGraphicsResource_t, unsigned int, unsigned int)) \
  DO(GraphicsResourceGetMappedMipmappedArray, (cudaMipmappedArray_t *, cudaGraphicsResource_t)) \
  DO(UserObjectCreate, (cudaUserObject_t *, void *, cudaHostFn_t, unsigned int, unsigned int)) DO(UserObjectRetain, (cudaUserObject_t, unsigned int)) \
  DO(UserObjectRelease, (cudaUserObject_t, unsigned int)) DO(GraphRetainUserObject, (cudaGraph_t, cudaUserObject_t, unsigned int, unsigned int)) \
  DO(GraphReleaseUserObject, (cudaGraph_t, cudaUserObject_t, unsigned int)) \
  DO(FreeMipmappedArray, (cudaMipmappedArray_t)) DO(GetMipmappedArrayLevel, (cudaArray_t *, cudaMipmappedArray_t, unsigned int)) \
  DO(DeviceFlushGPUDirectRDMAWrites, (int, int)) \
  DO(LaunchCooperativeKernelMultiDevice, (struct cudaLaunchParams *, unsigned int, unsigned int)) \
  DO(GraphKernelNodeGetAttribute, (cudaGraphNode_t, cudaKernelNodeAttrID, cudaKernelNodeAttrValue *)) \
  DO(GraphKernelNodeSetAttribute, (cudaGraphNode_t, cudaKernelNodeAttrID, const cudaKernelNodeAttrValue *)) \
  DO(GraphMemAllocNodeGetParams, (cudaGraphNode_t, struct cudaMemAllocNodeParams *)) DO(GraphMemFreeNodeGetParams, (cudaGraphNode_t, void *)) \
  DO(ArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements *, cudaArray_t, int)) \
  DO(ArrayGetSparseProperties, (struct cudaArraySparseProperties *, cudaArray_t)) DO(ArrayGetPlane, (cudaArray_t *, cudaArray_t, unsigned int)) \
  DO(OccupancyMaxActiveClusters, (int *, const void *, const cudaLaunchConfig_t *)) \
  DO(OccupancyMaxPotentialClusterSize, (int *, const void *, const cudaLaunchConfig_t *))

#ifdef __cplusplus
extern "C" {
#endif
#define __KS_CALL(NAME, PARAMETERS) cudaError_t cuda##NAME PARAMETERS;
__KS_RUNTIME_UNSUPPORTED(__KS_CALL)
#undef __KS_CALL
#ifdef __cplusplus
}
#endif
