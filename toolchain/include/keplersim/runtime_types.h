// The types and constants of CUDA's runtime API, with CUDA 11.8's numbers.
#pragma once

#include "version.h"

// By which headers of others tell that CUDA's have been read.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __VECTOR_TYPES_H__

// __KS_ERRORS(DO): DO(name after cudaError, number, CUDA's sentence).
#define __KS_ERRORS(DO)                                                                             \
  DO(InvalidValue, 1, "invalid argument")                                                           \
  DO(MemoryAllocation, 2, "out of memory")                                                          \
  DO(InitializationError, 3, "initialization error")                                                \
  DO(CudartUnloading, 4, "driver shutting down")                                                    \
  DO(ProfilerDisabled, 5, "profiler disabled while using external profiling tool")                  \
  DO(ProfilerNotInitialized, 6, "profiler not initialized: call cudaProfilerInitialize()")          \
  DO(ProfilerAlreadyStarted, 7, "profiler already started")                                         \
  DO(ProfilerAlreadyStopped, 8, "profiler already stopped")                                         \
  DO(InvalidConfiguration, 9, "invalid configuration argument")                                     \
  DO(InvalidPitchValue, 12, "invalid pitch argument")                                               \
  DO(InvalidSymbol, 13, "invalid device symbol")                                                    \
  DO(InvalidHostPointer, 16, "invalid host pointer")                                                \
  DO(InvalidDevicePointer, 17, "invalid device pointer")                                            \
  DO(InvalidTexture, 18, "invalid texture reference")                                               \
  DO(InvalidTextureBinding, 19, "texture is not bound to a pointer")                                \
  DO(InvalidChannelDescriptor, 20, "invalid channel descriptor")                                    \
  DO(InvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                               \
  DO(AddressOfConstant, 22, "invalid address of constant")                                          \
  DO(TextureFetchFailed, 23, "fetch from texture failed")                                           \
  DO(TextureNotBound, 24, "cannot fetch from a texture that is not bound")                          \
  DO(SynchronizationError, 25, "incorrect use of __syncthreads()")                                  \
  DO(InvalidFilterSetting, 26, "linear filtering not supported for non-float type")                 \
  DO(InvalidNormSetting, 27, "read as normalized float not supported for 32-bit non float type")    \
  DO(MixedDeviceExecution, 28, "feature not yet implemented")                                       \
  DO(NotYetImplemented, 31, "feature not yet implemented")                                          \
  DO(MemoryValueTooLarge, 32, "memory value too large")                                             \
  DO(StubLibrary, 34, "CUDA driver is a stub library")                                              \
  DO(InsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")        \
  DO(CallRequiresNewerDriver, 36, "API call is not supported in the installed CUDA driver")         \
  DO(InvalidSurface, 37, "invalid surface reference")                                               \
  DO(DuplicateVariableName, 43, "duplicate global variable looked up by string name")               \
  DO(DuplicateTextureName, 44, "duplicate texture looked up by string name")                        \
  DO(DuplicateSurfaceName, 45, "duplicate surface looked up by string name")                        \
  DO(DevicesUnavailable, 46, "all CUDA-capable devices are busy or unavailable")                    \
  DO(IncompatibleDriverContext, 49, "incompatible driver context")                                  \
  DO(MissingConfiguration, 52, "__global__ function call is not configured")                        \
  DO(PriorLaunchFailure, 53, "unspecified launch failure in prior launch")                          \
  DO(LaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches")            \
  DO(LaunchFileScopedTex, 66, "launch failed because a grid uses file-scoped textures that the device runtime does not support") \
  DO(LaunchFileScopedSurf, 67, "launch failed because a grid uses file-scoped surfaces that the device runtime does not support") \
  DO(SyncDepthExceeded, 68, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth") \
  DO(LaunchPendingCountExceeded, 69, "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount") \
  DO(InvalidDeviceFunction, 98, "invalid device function")                                          \
  DO(NoDevice, 100, "no CUDA-capable device is detected")                                           \
  DO(InvalidDevice, 101, "invalid device ordinal")                                                  \
  DO(DeviceNotLicensed, 102, "device doesn't have valid Grid license")                              \
  DO(SoftwareValidityNotEstablished, 103, "integrity checks failed")                                \
  DO(StartupFailure, 127, "startup failure in cuda runtime")                                        \
  DO(InvalidKernelImage, 200, "device kernel image is invalid")                                     \
  DO(DeviceUninitialized, 201, "invalid device context")                                            \
  DO(MapBufferObjectFailed, 205, "mapping of buffer object failed")                                 \
  DO(UnmapBufferObjectFailed, 206, "unmapping of buffer object failed")                             \
  DO(ArrayIsMapped, 207, "array is mapped")                                                         \
  DO(AlreadyMapped, 208, "resource already mapped")                                                 \
  DO(NoKernelImageForDevice, 209, "no kernel image is available for execution on the device")       \
  DO(AlreadyAcquired, 210, "resource already acquired")                                             \
  DO(NotMapped, 211, "resource not mapped")                                                         \
  DO(NotMappedAsArray, 212, "resource not mapped as array")                                         \
  DO(NotMappedAsPointer, 213, "resource not mapped as pointer")                                     \
  DO(ECCUncorrectable, 214, "uncorrectable ECC error encountered")                                  \
  DO(UnsupportedLimit, 215, "limit is not supported on this architecture")                          \
  DO(DeviceAlreadyInUse, 216, "exclusive-thread device already in use by a different thread")       \
  DO(PeerAccessUnsupported, 217, "peer access is not supported between these two devices")          \
  DO(InvalidPtx, 218, "a PTX JIT compilation failed")                                               \
  DO(InvalidGraphicsContext, 219, "invalid OpenGL or DirectX context")                              \
  DO(NvlinkUncorrectable, 220, "uncorrectable NVLink error detected during the execution")          \
  DO(JitCompilerNotFound, 221, "PTX JIT compiler library not found")                                \
  DO(UnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain.")    \
  DO(JitCompilationDisabled, 223, "PTX JIT compilation was disabled")                               \
  DO(InvalidSource, 300, "device kernel image is invalid")                                          \
  DO(FileNotFound, 301, "file not found")                                                           \
  DO(SharedObjectSymbolNotFound, 302, "shared object symbol not found")                             \
  DO(SharedObjectInitFailed, 303, "shared object initialization failed")                            \
  DO(OperatingSystem, 304, "OS call failed or operation not supported on this OS")                  \
  DO(InvalidResourceHandle, 400, "invalid resource handle")                                         \
  DO(IllegalState, 401, "the operation cannot be performed in the present state")                   \
  DO(SymbolNotFound, 500, "named symbol not found")                                                 \
  DO(NotReady, 600, "device not ready")                                                             \
  DO(IllegalAddress, 700, "an illegal memory access was encountered")                               \
  DO(LaunchOutOfResources, 701, "too many resources requested for launch")                          \
  DO(LaunchTimeout, 702, "the launch timed out and was terminated")                                 \
  DO(LaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode")                   \
  DO(PeerAccessAlreadyEnabled, 704, "peer access is already enabled")                               \
  DO(PeerAccessNotEnabled, 705, "peer access has not been enabled")                                 \
  DO(SetOnActiveProcess, 708, "cannot set while device is active in this process")                  \
  DO(ContextIsDestroyed, 709, "context is destroyed")                                               \
  DO(Assert, 710, "device-side assert triggered")                                                   \
  DO(TooManyPeers, 711, "peer mapping resources exhausted")                                         \
  DO(HostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  DO(HostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")     \
  DO(HardwareStackError, 714, "hardware stack error")                                               \
  DO(IllegalInstruction, 715, "an illegal instruction was encountered")                             \
  DO(MisalignedAddress, 716, "misaligned address")                                                  \
  DO(InvalidAddressSpace, 717, "operation not supported on global/shared address space")            \
  DO(InvalidPc, 718, "invalid program counter")                                                     \
  DO(LaunchFailure, 719, "unspecified launch failure")                                              \
  DO(CooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                       \
  DO(NotPermitted, 800, "operation not permitted")                                                  \
  DO(NotSupported, 801, "operation not supported")                                                  \
  DO(SystemNotReady, 802, "system not yet initialized")                                             \
  DO(SystemDriverMismatch, 803, "system has unsupported display driver / cuda driver combination")  \
  DO(CompatNotSupportedOnDevice, 804, "forward compatibility was attempted on non supported HW")    \
  DO(StreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")             \
  DO(StreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")      \
  DO(StreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences")    \
  DO(StreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began")           \
  DO(StreamCaptureUnjoined, 904, "capturing stream has unjoined work")                              \
  DO(StreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream")        \
  DO(StreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
  DO(CapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream") \
  DO(StreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
  DO(Timeout, 909, "wait operation timed out")                                                      \
  DO(GraphExecUpdateFailure, 910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
  DO(Unknown, 999, "unknown error")

typedef enum cudaError {
  cudaSuccess = 0,
#define __KS_ERROR(NAME, NUMBER, TEXT) cudaError##NAME = NUMBER,
  __KS_ERRORS(__KS_ERROR)
#undef __KS_ERROR
  // Names of earlier toolkits.
  cudaErrorInvalidPtxOld = 10054, cudaErrorApiFailureBase = 10000
} cudaError_t;

enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUuuid_st cudaUUID_t;
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

// Attributes of a device, by CUDA's numbers: all of 11.8's. sim/attributes.go has their values.
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ, cudaDevAttrMaxGridDimX,
  cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ, cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize,
  cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock, cudaDevAttrClockRate, cudaDevAttrTextureAlignment, cudaDevAttrGpuOverlap,
  cudaDevAttrMultiProcessorCount, cudaDevAttrKernelExecTimeout, cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory, cudaDevAttrComputeMode,
  cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight, cudaDevAttrMaxTexture3DWidth,
  cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth, cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
  cudaDevAttrMaxTexture2DLayeredLayers, cudaDevAttrSurfaceAlignment, cudaDevAttrConcurrentKernels, cudaDevAttrEccEnabled,
  cudaDevAttrPciBusId, cudaDevAttrPciDeviceId, cudaDevAttrTccDriver, cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth,
  cudaDevAttrL2CacheSize, cudaDevAttrMaxThreadsPerMultiProcessor, cudaDevAttrAsyncEngineCount, cudaDevAttrUnifiedAddressing,
  cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers, cudaDevAttrMaxTexture2DGatherWidth = 45,
  cudaDevAttrMaxTexture2DGatherHeight, cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt,
  cudaDevAttrPciDomainId, cudaDevAttrTexturePitchAlignment, cudaDevAttrMaxTextureCubemapWidth, cudaDevAttrMaxTextureCubemapLayeredWidth,
  cudaDevAttrMaxTextureCubemapLayeredLayers, cudaDevAttrMaxSurface1DWidth, cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight,
  cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth, cudaDevAttrMaxSurface1DLayeredWidth,
  cudaDevAttrMaxSurface1DLayeredLayers, cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
  cudaDevAttrMaxSurface2DLayeredLayers, cudaDevAttrMaxSurfaceCubemapWidth, cudaDevAttrMaxSurfaceCubemapLayeredWidth,
  cudaDevAttrMaxSurfaceCubemapLayeredLayers, cudaDevAttrMaxTexture1DLinearWidth, cudaDevAttrMaxTexture2DLinearWidth,
  cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch, cudaDevAttrMaxTexture2DMipmappedWidth,
  cudaDevAttrMaxTexture2DMipmappedHeight, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMaxTexture1DMipmappedWidth, cudaDevAttrStreamPrioritiesSupported, cudaDevAttrGlobalL1CacheSupported,
  cudaDevAttrLocalL1CacheSupported, cudaDevAttrMaxSharedMemoryPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor,
  cudaDevAttrManagedMemory, cudaDevAttrIsMultiGpuBoard, cudaDevAttrMultiGpuBoardGroupID, cudaDevAttrHostNativeAtomicSupported,
  cudaDevAttrSingleToDoublePrecisionPerfRatio, cudaDevAttrPageableMemoryAccess, cudaDevAttrConcurrentManagedAccess,
  cudaDevAttrComputePreemptionSupported, cudaDevAttrCanUseHostPointerForRegisteredMem, cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrCooperativeMultiDeviceLaunch, cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrCanFlushRemoteWrites,
  cudaDevAttrHostRegisterSupported, cudaDevAttrPageableMemoryAccessUsesHostPageTables, cudaDevAttrDirectManagedMemAccessFromHost,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106, cudaDevAttrMaxPersistingL2CacheSize = 108, cudaDevAttrMaxAccessPolicyWindowSize,
  cudaDevAttrReservedSharedMemoryPerBlock = 111, cudaDevAttrSparseCudaArraySupported, cudaDevAttrHostRegisterReadOnlySupported,
  cudaDevAttrTimelineSemaphoreInteropSupported, cudaDevAttrMemoryPoolsSupported, cudaDevAttrGPUDirectRDMASupported,
  cudaDevAttrGPUDirectRDMAFlushWritesOptions, cudaDevAttrGPUDirectRDMAWritesOrdering, cudaDevAttrMemoryPoolSupportedHandleTypes,
  cudaDevAttrClusterLaunch, cudaDevAttrDeferredMappingCudaArraySupported, cudaDevAttrIpcEventSupport
};
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported
};
enum cudaLimit {
  cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize
};
// Windows of persisting L2 accesses, of compute capability 8.0: refused here, and named so that programs that ask first compile.
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
  void *base_ptr;
  size_t num_bytes;
  float hitRatio;
  enum cudaAccessProperty hitProp, missProp;
};
enum cudaSynchronizationPolicy { cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync };
typedef enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1, cudaStreamAttributeSynchronizationPolicy = 3 } cudaStreamAttrID;
typedef union cudaStreamAttrValue {
  struct cudaAccessPolicyWindow accessPolicyWindow;
  int syncPolicy;
} cudaStreamAttrValue;
// A launch by its description; of the attributes, none can be done here.
typedef enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative, cudaLaunchAttributeSynchronizationPolicy,
  cudaLaunchAttributeClusterDimension, cudaLaunchAttributeClusterSchedulingPolicyPreference, cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributePriority
} cudaLaunchAttributeID;
typedef union cudaLaunchAttributeValue {
  char pad[64];
  struct cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative, syncPolicy, programmaticStreamSerializationAllowed, priority;
  struct { unsigned int x, y, z; } clusterDim;
} cudaLaunchAttributeValue;
typedef cudaLaunchAttributeID cudaKernelNodeAttrID;
typedef cudaLaunchAttributeValue cudaKernelNodeAttrValue;
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttributeClusterDimension cudaLaunchAttributeClusterDimension
#define cudaKernelNodeAttributeClusterSchedulingPolicyPreference cudaLaunchAttributeClusterSchedulingPolicyPreference
typedef struct cudaLaunchAttribute_st {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
  struct dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
} cudaLaunchConfig_t;
struct cudaLaunchParams {
  void *func;
  struct dim3 gridDim, blockDim;
  void **args;
  size_t sharedMem;
  cudaStream_t stream;
};
typedef struct CUfunc_st *cudaFunction_t;
enum cudaGetDriverEntryPointFlags { cudaEnableDefault, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream };
enum { cudaEventRecordDefault = 0, cudaEventRecordExternal = 1, cudaEventWaitDefault = 0, cudaEventWaitExternal = 1 };
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum { cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaHostRegisterIoMemory = 4, cudaHostRegisterReadOnly = 8 };
enum {
  cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4, cudaPeerAccessDefault = 0, cudaOccupancyDefault = 0,
  cudaOccupancyDisableCachingOverride = 1
};
enum {
  cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4,
  cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16, cudaDeviceScheduleMask = 7, cudaDeviceMask = 31
};
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaMemRangeAttribute {
  cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation, cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout, cudaFuncAttributeClusterDimMustBeSet,
  cudaFuncAttributeRequiredClusterWidth, cudaFuncAttributeRequiredClusterHeight, cudaFuncAttributeRequiredClusterDepth,
  cudaFuncAttributeNonPortableClusterSizeAllowed, cudaFuncAttributeClusterSchedulingPolicyPreference, cudaFuncAttributeMax
};
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100 };

struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
  int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth;
  int l2CacheSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  int persistingL2CacheMaxSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, memoryPoolsSupported;
};
struct cudaPointerAttributes {
  enum cudaMemoryType memoryType, type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
};
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
typedef void (*cudaHostFn_t)(void *data);

#define CUDART_CB
#define CUDARTAPI
#define CUDA_IPC_HANDLE_SIZE 64
#define cudaIpcMemLazyEnablePeerAccess 1
typedef struct cudaIpcMemHandle_st { char reserved[CUDA_IPC_HANDLE_SIZE]; } cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st { char reserved[CUDA_IPC_HANDLE_SIZE]; } cudaIpcEventHandle_t;

// Arrays, textures and surfaces.
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
struct cudaArray;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
struct cudaMipmappedArray;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
// Texels seen as others of their size: of each kind with 1, 2 and 4 channels; the compressed ones are not simulated.
enum cudaResourceViewFormat {
#define __KS_VIEW(KIND) cudaResViewFormat##KIND##1, cudaResViewFormat##KIND##2, cudaResViewFormat##KIND##4,
  cudaResViewFormatNone, __KS_VIEW(UnsignedChar) __KS_VIEW(SignedChar) __KS_VIEW(UnsignedShort) __KS_VIEW(SignedShort) __KS_VIEW(UnsignedInt)
  __KS_VIEW(SignedInt) __KS_VIEW(Half) __KS_VIEW(Float)
#undef __KS_VIEW
  cudaResViewFormatUnsignedBlockCompressed1, cudaResViewFormatUnsignedBlockCompressed2, cudaResViewFormatUnsignedBlockCompressed3,
  cudaResViewFormatUnsignedBlockCompressed4, cudaResViewFormatSignedBlockCompressed4, cudaResViewFormatUnsignedBlockCompressed5,
  cudaResViewFormatSignedBlockCompressed5, cudaResViewFormatUnsignedBlockCompressed6H, cudaResViewFormatSignedBlockCompressed6H,
  cudaResViewFormatUnsignedBlockCompressed7
};
enum {
  cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4, cudaArrayTextureGather = 8,
  cudaArrayColorAttachment = 32, cudaArraySparse = 64, cudaArrayDeferredMapping = 128
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  enum cudaChannelFormatKind f;
};
struct cudaExtent { size_t width, height, depth; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaPos { size_t x, y, z; };
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  struct cudaPos srcPos;
  struct cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  struct cudaPos dstPos;
  struct cudaPitchedPtr dstPtr;
  struct cudaExtent extent;
  enum cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  struct cudaPos srcPos;
  struct cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  struct cudaPos dstPos;
  struct cudaPitchedPtr dstPtr;
  int dstDevice;
  struct cudaExtent extent;
};
struct cudaResourceDesc {
  enum cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { cudaMipmappedArray_t mipmap; } mipmap;
    struct { void *devPtr; struct cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void *devPtr; struct cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
  } res;
};
struct cudaResourceViewDesc {
  enum cudaResourceViewFormat format;
  size_t width, height, depth;
  unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaTextureDesc {
  enum cudaTextureAddressMode addressMode[3];
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct textureReference {
  int normalized;
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureAddressMode addressMode[3];
  struct cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
};
struct surfaceReference { struct cudaChannelFormatDesc channelDesc; };
