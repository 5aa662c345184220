// Graphs by capture and by hand: order, forks over events, parameters, updates, and what is refused while a stream is captured.
#include <cstdio>
#include <thread>

__constant__ int factor;

__global__ void times(int *p, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= factor;
}
__global__ void plus(int *p, int n, int more) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += more;
}
static void count(void *p) { ++*(int *)p; }
static const char *name(cudaError_t error) { return cudaGetErrorName(error); }

int main() {
  const int n = 100;
  int *p, *q, h[n], calls = 0;
  cudaMalloc(&p, sizeof h), cudaMalloc(&q, sizeof h);
  cudaStream_t s, t;
  cudaStreamCreate(&s), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork), cudaEventCreate(&join);

  // p = (0 + 3) * 2 + 1 in s; beside it q = 5 in t; then p += what a copy brings.
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(p, 0, sizeof h, s);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork, 0);
  cudaMemsetAsync(q, 0, sizeof h, t);
  plus<<<4, 32, 0, t>>>(q, n, 5);
  cudaEventRecord(join, t);
  plus<<<4, 32, 0, s>>>(p, n, 3);
  times<<<4, 32, 0, s>>>(p, n, 2);
  plus<<<4, 32, 0, s>>>(p, n, 1);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(t, &status);
  printf("t is captured: %d; ", status == cudaStreamCaptureStatusActive);
  cudaStreamWaitEvent(s, join, 0);
  cudaLaunchHostFunc(s, count, &calls);
  cudaMemcpyAsync(h, p, sizeof h, cudaMemcpyDeviceToHost, s);
  printf("end: %s\n", name(cudaStreamEndCapture(s, &graph)));
  size_t nodes = 0, roots = 0, edges = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes), cudaGraphGetRootNodes(graph, nullptr, &roots), cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
  printf("%zu nodes, %zu root, %zu edges\n", nodes, roots, edges);
  cudaGraphExec_t run;
  cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0);
  h[7] = -1;
  for (int i = 0; i < 3; i++) cudaGraphLaunch(run, s);
  cudaStreamSynchronize(s);
  int other;
  cudaMemcpy(&other, q + 99, sizeof other, cudaMemcpyDeviceToHost);
  printf("launched: %d %d, %d calls\n", h[7], other, calls);

  // Another parameter in the graph that runs, then an update by a graph of the same shape.
  cudaGraphNode_t list[16];
  nodes = 16;
  cudaGraphGetNodes(graph, list, &nodes);
  for (size_t i = 0; i < nodes; i++) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(list[i], &type);
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams k;
    cudaGraphKernelNodeGetParams(list[i], &k);
    if (k.func != (void *)times) continue;
    int factor = 10;
    void *arguments[] = {k.kernelParams[0], k.kernelParams[1], &factor};
    k.kernelParams = arguments;
    cudaGraphExecKernelNodeSetParams(run, list[i], &k);
  }
  cudaGraphLaunch(run, s), cudaStreamSynchronize(s);
  printf("factor 10: %d; ", h[7]);
  cudaGraphNode_t wrong;
  cudaGraphExecUpdateResult how;
  cudaGraphExecUpdate(run, graph, &wrong, &how);
  cudaGraphLaunch(run, s), cudaStreamSynchronize(s);
  for (size_t i = 0; i < nodes; i++) { // the updated one has its own arguments
    cudaKernelNodeParams k;
    if (cudaGraphKernelNodeGetParams(list[i], &k) == cudaSuccess) cudaGraphExecKernelNodeSetParams(run, list[i], &k);
  }
  cudaGetLastError();
  cudaGraphExecUpdate(run, graph, &wrong, &how);
  cudaGraphLaunch(run, s), cudaStreamSynchronize(s);
  printf("back: %d\n", h[7]);

  // By hand, in the wrong order, with a graph within a graph.
  cudaGraph_t made, inner;
  cudaGraphCreate(&made, 0), cudaGraphCreate(&inner, 0);
  int size = n, four = 4;
  void *add[] = {&p, &size, &four};
  cudaKernelNodeParams k = {(void *)plus, dim3(4), dim3(32), 0, add, nullptr};
  cudaMemsetParams set = {p, 0, 0, 4, (size_t)n, 1};
  cudaGraphNode_t last, first, middle, child;
  cudaGraphAddMemcpyNode1D(&last, made, nullptr, 0, h, p, sizeof h, cudaMemcpyDeviceToHost);
  cudaGraphAddKernelNode(&child, inner, nullptr, 0, &k);
  cudaGraphAddChildGraphNode(&middle, made, nullptr, 0, inner);
  cudaGraphAddMemsetNode(&first, made, nullptr, 0, &set);
  cudaGraphNode_t from[] = {first, middle}, to[] = {middle, last};
  cudaGraphAddDependencies(made, from, to, 2);
  cudaGraphExec_t by_hand;
  printf("%s ", name(cudaGraphInstantiate(&by_hand, made, nullptr, nullptr, 0)));
  cudaGraphLaunch(by_hand, s), cudaStreamSynchronize(s);
  printf("by hand: %d\n", h[7]);
  printf("another shape: %s %d; ", name(cudaGraphExecUpdate(run, made, &wrong, &how)), how == cudaGraphExecUpdateErrorTopologyChanged);
  cudaGraphAddDependencies(made, to + 1, from, 1);
  printf("in a circle: %s\n", name(cudaGraphInstantiate(&by_hand, made, nullptr, nullptr, 0)));

  // An H200 says 900, then 901, and gives no graph.
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  plus<<<1, 32, 0, s>>>(q, n, 5);
  printf("waiting: %s; ", name(cudaStreamSynchronize(s)));
  cudaStreamIsCapturing(s, &status);
  bool told = status == cudaStreamCaptureStatusInvalidated;
  cudaError_t end = cudaStreamEndCapture(s, &graph);
  printf("told: %d, end: %s, no graph: %d\n", told, name(end), !graph);

  // A stream that does not come back.
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork, 0);
  plus<<<1, 32, 0, t>>>(q, n, 5);
  printf("not joined: %s; twice: %s; legacy: %s\n", name(cudaStreamEndCapture(s, &graph)), name(cudaStreamEndCapture(s, &graph)),
         name(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)));

  // What a capture does not see is forbidden, unless it or the thread is relaxed; what waits for it is so in any mode.
  void *more;
  auto trying = [&](const char *what, cudaStreamCaptureMode mode, auto call) {
    cudaStreamBeginCapture(s, mode);
    cudaError_t told = call(), after = cudaMemsetAsync(q, 0, 4, s), end = cudaStreamEndCapture(s, &graph);
    cudaGetLastError();
    printf("%s: %d %d %d\n", what, told, after, end);
  };
  trying("malloc", cudaStreamCaptureModeGlobal, [&] { return cudaMalloc(&more, 4); });
  trying("relaxed", cudaStreamCaptureModeRelaxed, [&] { return cudaMalloc(&more, 4); });
  trying("relaxed thread", cudaStreamCaptureModeThreadLocal, [&] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t told = cudaFree(more);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return told;
  });
  trying("device", cudaStreamCaptureModeRelaxed, [&] { return cudaDeviceSynchronize(); });
  trying("legacy", cudaStreamCaptureModeRelaxed, [&] { return cudaMemset(q, 0, 4); });
  trying("memory of its own", cudaStreamCaptureModeGlobal, [&] { return cudaMallocAsync(&more, 4, s); });
  trying("another thread", cudaStreamCaptureModeThreadLocal, [&] {
    cudaError_t told;
    std::thread([&] { told = cudaMalloc(&more, 4); }).join();
    return told;
  });
  int two = 2, got = 0;
  trying("constant", cudaStreamCaptureModeGlobal, [&] { return cudaMemcpyToSymbolAsync(factor, &two, 4, 0, cudaMemcpyHostToDevice, s); });
  cudaMemcpyFromSymbol(&got, factor, 4);
  cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(run, s), cudaStreamSynchronize(s);
  printf("before the launch: %d", got);
  cudaMemcpyFromSymbol(&got, factor, 4);
  printf(", after: %d\n", got);
}
