// Graphs of the driver API: kernels of a module in nodes made by hand, changed afterwards, and in a captured stream.
#include <cuda.h>
#include <stdio.h>
static const char ptx[] = R"(.version 6.0
.target sm_35
.address_size 64
.visible .entry step(.param .u64 p, .param .u32 factor, .param .u32 add)
{
  .reg .u64 %a<3>;
  .reg .u32 %r<5>;
  ld.param.u64 %a1, [p];
  ld.param.u32 %r1, [factor];
  ld.param.u32 %r2, [add];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %a2, %r3, 4;
  add.u64 %a1, %a1, %a2;
  ld.global.u32 %r4, [%a1];
  mad.lo.u32 %r4, %r4, %r1, %r2;
  st.global.u32 [%a1], %r4;
  ret;
})";
#define CHECK(CALL) \
  if (CUresult r = CALL) printf("%s: %d\n", #CALL, r);
static void told(void *data) { ++*(int *)data; }
int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction step;
  CUdeviceptr p;
  unsigned int words[32] = {}, factor = 3, add = 5, calls = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate(&context, 0, device));
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&step, module, "step"));
  CHECK(cuMemAlloc(&p, sizeof words));
  void *arguments[] = {&p, &factor, &add};

  CUgraph graph;
  CUgraphNode fill, kernel, again, copy, host;
  CUgraphExec executable;
  CHECK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS ones = {p, 0, 1, 1, sizeof words, 1};
  CHECK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &ones, context));
  CUDA_KERNEL_NODE_PARAMS launch = {step, 1, 1, 1, 32, 1, 1, 0, arguments, nullptr};
  CHECK(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
  struct {
    CUdeviceptr p;
    unsigned int factor, add;
  } packed = {p, 2, 1};
  size_t bytes = sizeof packed;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  launch.kernelParams = nullptr, launch.extra = extra;
  CHECK(cuGraphAddKernelNode(&again, graph, &kernel, 1, &launch));
  CUDA_MEMCPY3D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE, back.srcDevice = p, back.dstMemoryType = CU_MEMORYTYPE_HOST, back.dstHost = words;
  back.WidthInBytes = sizeof words, back.Height = back.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&copy, graph, &again, 1, &back, context));
  CUDA_HOST_NODE_PARAMS tell = {told, &calls};
  CHECK(cuGraphAddHostNode(&host, graph, &copy, 1, &tell));
  CHECK(cuGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  CHECK(cuGraphLaunch(executable, nullptr));
  CHECK(cuCtxSynchronize());
  printf("(0x01010101 * 3 + 5) * 2 + 1: %x, calls %u\n", words[31], calls);

  CUDA_KERNEL_NODE_PARAMS now;
  CHECK(cuGraphKernelNodeGetParams(kernel, &now));
  printf("the same kernel: %d, %u threads, factor %u\n", now.func == step, now.blockDimX, *(unsigned int *)now.kernelParams[1]);
  factor = 1, add = 0;
  launch.kernelParams = arguments, launch.extra = nullptr;
  CHECK(cuGraphExecKernelNodeSetParams(executable, kernel, &launch));
  CHECK(cuGraphLaunch(executable, nullptr));
  CHECK(cuCtxSynchronize());
  printf("0x01010101 * 2 + 1: %x, calls %u\n", words[0], calls);
  launch.kernelParams = nullptr;
  printf("no arguments: %d, no kernel: %d\n", cuGraphKernelNodeSetParams(kernel, &launch), cuGraphKernelNodeSetParams(host, &now));

  CUstream stream;
  CUgraph seen;
  CUstreamCaptureStatus status;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  add = 7;
  for (int i = 0; i < 2; i++) CHECK(cuLaunchKernel(step, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cuStreamIsCapturing(stream, &status));
  CHECK(cuStreamEndCapture(stream, &seen));
  size_t nodes = 0;
  CHECK(cuGraphGetNodes(seen, nullptr, &nodes));
  CUgraphExec captured;
  CHECK(cuGraphInstantiateWithFlags(&captured, seen, 0));
  for (int i = 0; i < 3; i++) CHECK(cuGraphLaunch(captured, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemcpyDtoH(words, p, sizeof words));
  printf("captured %d, %zu nodes, 0x02020203 + 3 * 2 * 7: %x\n", status, nodes, words[5]);
  CHECK(cuGraphExecDestroy(captured));
  CHECK(cuGraphExecDestroy(executable));
  CHECK(cuGraphDestroy(seen));
  CHECK(cuGraphDestroy(graph));
}
