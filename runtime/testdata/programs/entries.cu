// Calls around the older ones: entry points by name, functions and modules of symbols, advice, captures looked at, views of texels, descriptions.
#include <cstdio>
#include <cstring>
#include <cuda.h>

__constant__ int factor = 3;
__global__ void times(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= factor;
}
__global__ void bits(cudaTextureObject_t t, unsigned int *out) { out[threadIdx.x] = tex1D<unsigned int>(t, threadIdx.x + 0.5f); }
static const char *name(cudaError_t e) { return cudaGetErrorName(e); }

int main() {
  int *p, h[64], n = 64, five = 5;
  cudaMallocManaged(&p, sizeof h);
  CUresult (*memset32)(CUdeviceptr, unsigned int, size_t);
  void *none = p;
  cudaError_t missing = cudaGetDriverEntryPoint("cuNoSuchCall", &none, cudaEnableDefault);
  printf("%s, %s %d\n", name(cudaGetDriverEntryPoint("cuMemsetD32", (void **)&memset32, cudaEnableDefault)), name(missing), none == nullptr);
  cudaGetLastError();
  void *same;
  printf("%d, same %d, %d\n", cuGetProcAddress("cuMemsetD32_v2", &same, 11080, 0), same == (void *)memset32, cuGetProcAddress("cuInit", nullptr, 11080, 0));
  memset32((CUdeviceptr)p, 7, n);

  CUfunction function;
  CUmodule module;
  CUdeviceptr at;
  size_t bytes;
  cudaGetFuncBySymbol(&function, times);
  printf("%d", cuFuncGetModule(&module, function));
  printf(" %d %zu", cuModuleGetGlobal(&at, &bytes, module, "factor"), bytes);
  cuMemcpyHtoD(at, &five, 4);
  CUlaunchConfig how = {2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0};
  void *arguments[] = {&p, &n};
  printf(" %d", cuLaunchKernelEx(&how, function, arguments, nullptr));
  CUlaunchAttribute cluster = {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  how.attrs = &cluster, how.numAttrs = 1;
  printf(" %d", cuLaunchKernelEx(&how, function, arguments, nullptr));
  cudaDeviceSynchronize();
  cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 3, 128);
  printf(": %d %d, %zu bytes\n", p[0], p[63], bytes);

  // A Kepler's managed memory has advice for the host alone.
  int read, at_home, users[3];
  void *values[] = {&read, &at_home, users};
  size_t sizes[] = {4, 4, 12};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation, cudaMemRangeAttributeAccessedBy};
  cudaMemAdvise(p, 128, cudaMemAdviseSetReadMostly, 0), cudaMemAdvise(p, sizeof h, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
  printf("%s: ", name(cudaMemRangeGetAttributes(values, sizes, which, 3, p, 128)));
  printf("%d %d %d %d, ", read, at_home, users[0], users[2]);
  cudaMemRangeGetAttribute(&read, 4, cudaMemRangeAttributeReadMostly, p, sizeof h);
  printf("more %d; %s %s\n", read, name(cudaMemAdvise(p, 4, cudaMemAdviseSetAccessedBy, 0)), name(cudaMemRangeGetAttribute(&read, 4, which[0], h, 4)));
  cudaGetLastError();

  // A capture: q = 1.0f and the kernel side by side, then a copy of both.
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  unsigned int *q;
  cudaMalloc(&q, sizeof h);
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cuMemsetD32Async((CUdeviceptr)q, 0x3f800000, n, s); // bytes that differ
  CUstreamCaptureStatus status;
  const CUgraphNode *last;
  cuuint64_t id = 0;
  size_t count;
  CUresult told = cuStreamGetCaptureInfo_v2(s, &status, &id, &graph, &last, &count);
  printf("%d: %d %d, %zu last", told, status, id != 0, count);
  cudaGraphNode_t set = last[0];
  cudaStreamUpdateCaptureDependencies(s, nullptr, 0, cudaStreamSetCaptureDependencies);
  times<<<2, 32, 0, s>>>(p, n);
  cudaStreamUpdateCaptureDependencies(s, &set, 1, cudaStreamAddCaptureDependencies);
  cudaMemcpyAsync(h, q, sizeof h, cudaMemcpyDeviceToHost, s);
  size_t edges = 0;
  cudaStreamEndCapture(s, &graph), cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
  cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0), cudaGraphLaunch(run, s), cudaStreamSynchronize(s);
  printf(", %zu edges: %d %#x\n", edges, p[5], h[63]);

  // Floats of an array seen as words, by the driver's description too.
  cudaArray_t array;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &desc, 4);
  float floats[4] = {1, 2, -1, 0.5f};
  cudaMemcpyToArray(array, 0, 0, floats, sizeof floats, cudaMemcpyHostToDevice);
  CUDA_RESOURCE_DESC resource = {}, back;
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC sampling = {}, asked;
  sampling.flags = CU_TRSF_READ_AS_INTEGER;
  CUDA_RESOURCE_VIEW_DESC view = {};
  view.format = cudaResViewFormatUnsignedInt1, view.width = 4;
  CUtexObject t;
  told = cuTexObjectCreate(&t, &resource, &sampling, &view);
  bits<<<1, 4>>>(t, q);
  cudaMemcpy(h, q, 16, cudaMemcpyDeviceToHost);
  cuTexObjectGetResourceDesc(&back, t), cuTexObjectGetTextureDesc(&asked, t);
  view.format = cudaResViewFormatUnsignedInt2;
  printf("%d: %x %x %x %x, same array %d, flags %u, a wider view: %d\n", told, h[0], h[1], h[2], h[3], back.res.array.hArray == array, asked.flags,
         cuTexObjectCreate(&t, &resource, &sampling, &view));
  printf("%s\n", name(cudaGetLastError()));
}
