// The API functions that the simulator is told of, by number.
#pragma once

#define CALLS(DO) \
  DO(cudaLaunchKernel) DO(cudaLaunch) DO(cudaOccupancyMaxActiveBlocksPerMultiprocessor) DO(cudaSetDevice) \
  DO(cudaGetDeviceProperties) DO(cudaDeviceSynchronize) DO(cudaThreadSynchronize) DO(cudaDeviceReset) \
  DO(cudaDeviceSetLimit) DO(cudaDeviceGetLimit) DO(cudaDeviceSetCacheConfig) \
  DO(cudaDeviceSetSharedMemConfig) DO(cudaProfilerStart) DO(cudaProfilerStop) DO(cudaMalloc) \
  DO(cudaMallocHost) DO(cudaHostAlloc) DO(cudaMallocManaged) DO(cudaMallocAsync) DO(cudaMallocPitch) \
  DO(cudaMalloc3D) DO(cudaFree) DO(cudaFreeHost) DO(cudaHostRegister) DO(cudaHostUnregister) \
  DO(cudaMemGetInfo) DO(cudaPointerGetAttributes) DO(cudaMemset) DO(cudaMemsetAsync) DO(cudaMemset2D) \
  DO(cudaMemset2DAsync) DO(cudaMemset3DAsync) DO(cudaMemcpy) DO(cudaMemcpyAsync) DO(cudaMemcpy2D) \
  DO(cudaMemcpy2DAsync) DO(cudaMemcpyPeer) DO(cudaMemcpyPeerAsync) DO(cudaMemcpyToSymbol) \
  DO(cudaMemcpyToSymbolAsync) DO(cudaMemcpyFromSymbol) DO(cudaMemcpyFromSymbolAsync) \
  DO(cudaStreamCreateWithPriority) DO(cudaStreamCreateWithFlags) DO(cudaStreamCreate) DO(cudaStreamDestroy) \
  DO(cudaStreamSynchronize) DO(cudaStreamQuery) DO(cudaStreamWaitEvent) DO(cudaStreamAddCallback) \
  DO(cudaLaunchHostFunc) DO(cudaStreamAttachMemAsync) DO(cudaEventCreateWithFlags) DO(cudaEventCreate) \
  DO(cudaEventDestroy) DO(cudaEventRecord) DO(cudaEventSynchronize) DO(cudaEventQuery) \
  DO(cudaEventElapsedTime) DO(cudaMallocArray) DO(cudaFreeArray) DO(cudaMemcpyToArray) \
  DO(cudaMemcpyToArrayAsync) DO(cudaMemcpyFromArray) DO(cudaMemcpyFromArrayAsync) \
  DO(cudaMemcpy2DToArrayAsync) DO(cudaMemcpy2DToArray) DO(cudaMemcpy2DFromArray) DO(cudaMemcpy3D) \
  DO(cudaCreateTextureObject) DO(cudaDestroyTextureObject) DO(cudaCreateSurfaceObject) \
  DO(cudaDestroySurfaceObject) DO(cudaBindTexture) DO(cudaBindTextureToArray) DO(cudaBindSurfaceToArray) \
  DO(cudaDeviceCanAccessPeer) DO(cudaDeviceEnablePeerAccess) DO(cudaDeviceDisablePeerAccess) \
  DO(cuLaunchKernel) DO(cuMemAlloc) DO(cuMemcpy) DO(cuMemcpyHtoD) DO(cuMemcpyDtoH) DO(cuMemcpyDtoD)

enum Call {
  CALL_none,
#define CALL(NAME) CALL_##NAME,
  CALLS(CALL)
#undef CALL
};

// Their names, one behind the other, each with a NUL.
static const char call_names[] =
#define CALL(NAME) #NAME "\0"
    CALLS(CALL)
#undef CALL
    ;
