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
