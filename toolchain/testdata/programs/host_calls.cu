// Calls of the runtime that the host parts of programs make, the rarer ones among them, and those of NVIDIA's samples: all must parse.
#include <helper_cuda.h>
#include <helper_functions.h>
#include <cuda_runtime.h>
#include <cstdio>
__global__ void k(float *a) { a[0]=1;
}
void CUDART_CB cb(cudaStream_t s, cudaError_t e, void *d) {}
int main(int argc, char **argv) {
  StopWatchInterface *timer = NULL;
  sdkCreateTimer(&timer);
  int device = findCudaDevice(argc, (const char **)argv);
  checkCudaErrors(cudaSetDevice(device));
  getLastCudaError("launch");
  cudaStream_t s;
  cudaEvent_t e;
  float *a, *h;
  size_t p, n;
  int c, v;
  cudaDeviceProp prop;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamSynchronize(s);
  cudaStreamQuery(s);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamAddCallback(s, cb, 0, 0);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaEventQuery(e);
  cudaEventRecord(e, s);
  cudaEventDestroy(e);
  cudaMemcpyAsync(a, h, 4, cudaMemcpyHostToDevice, s);
  cudaMemcpy2D(a, 4, h, 4, 4, 4, cudaMemcpyDefault);
  cudaMemcpy2DAsync(a, 4, h, 4, 4, 4, cudaMemcpyHostToDevice, s);
  cudaMemset2D(a, 4, 0, 4, 4);
  cudaMemsetAsync(a, 0, 4, s);
  cudaHostRegister(h, 4, 0);
  cudaHostUnregister(h);
  cudaFreeHost(h);
  cudaMallocHost((void**)&h, 4);
  cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1<<20);
  cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
  cudaGetDeviceCount(&c);
  cudaSetDevice(0);
  cudaGetDevice(&c);
  cudaChooseDevice(&c, &prop);
  cudaSetDeviceFlags(cudaDeviceMapHost);
  cudaThreadSynchronize();
  cudaThreadExit();
  cudaDeviceReset();
  cudaPeekAtLastError();
  cudaMemGetInfo(&n, &p);
  cudaDriverGetVersion(&v);
  cudaRuntimeGetVersion(&v);
  cudaDeviceEnablePeerAccess(0, 0);
  cudaDeviceCanAccessPeer(&v, 0, 1);
  cudaMemcpyPeer(a, 0, h, 1, 4);
  cudaMemPrefetchAsync(a, 4, 0, s);
  cudaMemAdvise(a, 4, cudaMemAdviseSetReadMostly, 0);
  void *args[]={&a};
  cudaLaunchKernel((void*)k, dim3(1), dim3(1), args, 0, s);
  cudaPitchedPtr pp;
  cudaExtent ex=make_cudaExtent(1, 2, 3);
  cudaMalloc3D(&pp, ex);
  cudaMemcpy3DParms cp={0};
  cp.srcPtr=make_cudaPitchedPtr(a, 4, 4, 4);
  cp.dstPtr=pp;
  cp.extent=ex;
  cp.kind=cudaMemcpyHostToDevice;
  cudaMemcpy3D(&cp);
  cudaMemset3D(pp, 0, ex);
  cudaArray_t arr;
  cudaMemcpyFromArray(h, arr, 0, 0, 4, cudaMemcpyDeviceToHost);
  cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
  cudaOccupancyMaxPotentialBlockSize(&v, &c, k, 0, 0);
  printf("%s %d.%d %d %d %zu %d %d %d %d %d\n", prop.name, prop.major, prop.minor, prop.multiProcessorCount, prop.maxThreadsPerBlock, prop.sharedMemPerBlock, prop.regsPerBlock, prop.warpSize, prop.clockRate, prop.memoryClockRate, prop.memoryBusWidth);
  printf("%s %s\n", cudaGetErrorName(cudaSuccess), cudaGetErrorString(cudaErrorInvalidValue));
  if (cudaErrorMemoryAllocation==cudaMalloc(&a, 4)) return 1;
  k<<<dim3(1, 1), dim3(1, 1, 1), 0, s>>>(a);
  return 0;
}
