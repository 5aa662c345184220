// Calls of CUDA 11.8's driver API that a Kepler or this simulator cannot do: a part of cuda.h, so that programs that ask for them compile. All of
// them say CUDA_ERROR_NOT_SUPPORTED; runtime/native/driver_unsupported.inc defines them.
#pragma once

// Addresses reserved apart from the memory behind them.
typedef unsigned long long CUmemGenericAllocationHandle;
typedef enum CUmemAllocationType_enum { CU_MEM_ALLOCATION_TYPE_INVALID, CU_MEM_ALLOCATION_TYPE_PINNED } CUmemAllocationType;
typedef enum CUmemLocationType_enum { CU_MEM_LOCATION_TYPE_INVALID, CU_MEM_LOCATION_TYPE_DEVICE } CUmemLocationType;
typedef enum CUmemAllocationHandleType_enum {
  CU_MEM_HANDLE_TYPE_NONE = 0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1, CU_MEM_HANDLE_TYPE_WIN32 = 2
} CUmemAllocationHandleType;
typedef enum CUmemAccess_flags_enum {
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0, CU_MEM_ACCESS_FLAGS_PROT_READ = 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} CUmemAccess_flags;
typedef enum CUmemAllocationGranularity_flags_enum {
  CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
} CUmemAllocationGranularity_flags;
typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;
} CUmemLocation;
typedef struct CUmemAllocationProp_st {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct { unsigned char compressionType, gpuDirectRDMACapable; unsigned short usage; unsigned char reserved[4]; } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;
typedef struct CUipcMemHandle_st { char reserved[64]; } CUipcMemHandle;
typedef struct CUipcEventHandle_st { char reserved[64]; } CUipcEventHandle;

typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef enum CUmemPool_attribute_enum {
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH
} CUmemPool_attribute;
typedef struct CUmemPoolProps_st {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  unsigned char reserved[64];
} CUmemPoolProps;
typedef union CUstreamBatchMemOpParams_union { cuuint64_t pad[6]; } CUstreamBatchMemOpParams;

// __KS_UNSUPPORTED(DO): DO(name after cu, parameters).
#define __KS_UNSUPPORTED(DO)                                                                        \
  DO(MemAddressReserve, (CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long)) DO(MemAddressFree, (CUdeviceptr, size_t)) \
  DO(MemCreate, (CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long)) \
  DO(MemRelease, (CUmemGenericAllocationHandle)) DO(MemUnmap, (CUdeviceptr, size_t)) \
  DO(MemMap, (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long)) \
  DO(MemSetAccess, (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t)) \
  DO(MemGetAllocationGranularity, (size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags)) \
  DO(MemExportToShareableHandle, (void *, CUmemGenericAllocationHandle, CUmemAllocationHandleType, unsigned long long)) \
  DO(IpcGetMemHandle, (CUipcMemHandle *, CUdeviceptr)) DO(IpcOpenMemHandle, (CUdeviceptr *, CUipcMemHandle, unsigned int)) \
  DO(IpcCloseMemHandle, (CUdeviceptr)) DO(IpcGetEventHandle, (CUipcEventHandle *, CUevent)) \
  DO(IpcOpenEventHandle, (CUevent *, CUipcEventHandle)) \
  DO(MemImportFromShareableHandle, (CUmemGenericAllocationHandle *, void *, CUmemAllocationHandleType)) \
  DO(MemRetainAllocationHandle, (CUmemGenericAllocationHandle *, void *)) DO(MemGetAccess, (unsigned long long *, const CUmemLocation *, CUdeviceptr)) \
  DO(MemGetAllocationPropertiesFromHandle, (CUmemAllocationProp *, CUmemGenericAllocationHandle)) \
  DO(MemPoolCreate, (CUmemoryPool *, const CUmemPoolProps *)) DO(MemPoolDestroy, (CUmemoryPool)) DO(MemPoolTrimTo, (CUmemoryPool, size_t)) \
  DO(MemPoolSetAttribute, (CUmemoryPool, CUmemPool_attribute, void *)) DO(MemPoolGetAttribute, (CUmemoryPool, CUmemPool_attribute, void *)) \
  DO(MemPoolSetAccess, (CUmemoryPool, const CUmemAccessDesc *, size_t)) DO(MemPoolGetAccess, (CUmemAccess_flags *, CUmemoryPool, CUmemLocation *)) \
  DO(DeviceGetDefaultMemPool, (CUmemoryPool *, CUdevice)) DO(DeviceGetMemPool, (CUmemoryPool *, CUdevice)) \
  DO(DeviceSetMemPool, (CUdevice, CUmemoryPool)) DO(MemAllocFromPoolAsync, (CUdeviceptr *, size_t, CUmemoryPool, CUstream)) \
  DO(MipmappedArrayCreate, (CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned int)) DO(MipmappedArrayDestroy, (CUmipmappedArray)) \
  DO(MipmappedArrayGetLevel, (CUarray *, CUmipmappedArray, unsigned int)) DO(TexRefSetMipmappedArray, (CUtexref, CUmipmappedArray, unsigned int)) \
  DO(StreamWaitValue64, (CUstream, CUdeviceptr, cuuint64_t, unsigned int)) DO(StreamWriteValue64, (CUstream, CUdeviceptr, cuuint64_t, unsigned int)) \
  DO(StreamBatchMemOp, (CUstream, unsigned int, CUstreamBatchMemOpParams *, unsigned int)) \
  DO(StreamSetAttribute, (CUstream, CUstreamAttrID, const CUstreamAttrValue *)) DO(StreamGetAttribute, (CUstream, CUstreamAttrID, CUstreamAttrValue *)) \
  DO(GraphKernelNodeSetAttribute, (CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue *)) \
  DO(GraphKernelNodeGetAttribute, (CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue *)) \
  DO(LaunchCooperativeKernel, (CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, CUstream, void **))

#ifdef __cplusplus
extern "C" {
#endif
#define __KS_CALL(NAME, PARAMETERS) CUresult cu##NAME PARAMETERS;
__KS_UNSUPPORTED(__KS_CALL)
#undef __KS_CALL
#ifdef __cplusplus
}
#endif
