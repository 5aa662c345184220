// Single nodes of graphs, looked at and changed; launches by a description; what 11.8 has and a Kepler has not.
#include <stdio.h>

__device__ int variable;
__constant__ int fixed[2] = {1, 2};
__global__ void copy_fixed(int *x) { x[0] = fixed[0], x[1] = fixed[1]; }
__global__ void add(int *x, int by) { x[threadIdx.x] += by; }
static const char *name(cudaError_t e) { return cudaGetErrorName(e); }
static int called;
static void by_one(void *) { called += 1; }
static void by_ten(void *) { called += 10; }

int main() {
  int *p, h[32] = {}, five = 5, seven = 7;
  cudaMalloc(&p, sizeof h);
  void *arguments[] = {&p, &five}, *others[] = {&p, &seven};
  cudaKernelNodeParams k = {(void *)add, dim3(1), dim3(32), 0, arguments, nullptr}, k7 = {(void *)add, dim3(1), dim3(32), 0, others, nullptr};
  cudaMemsetParams zero = {p, 0, 0, 1, sizeof h, 1}, ones = {p, 0, 0x01010101, 4, 32, 1}, mixed = {p, 0, 0x01020304, 4, 32, 1};
  cudaHostNodeParams one = {by_one, nullptr}, ten = {by_ten, nullptr};
  cudaGraph_t graph, clone;
  cudaGraphNode_t set, kernel, back, host, found, list[4];
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero);
  cudaGraphAddKernelNode(&kernel, graph, &set, 1, &k);
  cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, h, p, sizeof h, cudaMemcpyDeviceToHost);
  cudaGraphAddHostNode(&host, graph, &kernel, 1, &one);
  size_t before = 4, after = 4;
  cudaGraphNodeGetDependencies(back, list, &before);
  bool right = list[0] == kernel;
  cudaGraphNodeGetDependentNodes(kernel, list, &after);
  printf("%zu before, %zu after, %d\n", before, after, right && list[0] == back && list[1] == host);

  cudaGraphExec_t run;
  cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(run, 0), cudaDeviceSynchronize();
  printf("%d, called %d\n", h[3], called);
  cudaGraphExecMemsetNodeSetParams(run, set, &ones);
  cudaGraphExecHostNodeSetParams(run, host, &ten);
  cudaGraphNodeSetEnabled(run, kernel, 0);
  unsigned int enabled = 1;
  cudaGraphNodeGetEnabled(run, kernel, &enabled);
  cudaGraphLaunch(run, 0), cudaDeviceSynchronize();
  printf("%#x, called %d, enabled %u, bytes that differ: %s\n", h[3], called, enabled, name(cudaGraphExecMemsetNodeSetParams(run, set, &mixed)));
  int other[32] = {};
  cudaGraphNodeSetEnabled(run, kernel, 1);
  cudaGraphExecMemcpyNodeSetParams1D(run, back, other, p, sizeof other, cudaMemcpyDeviceToHost);
  cudaGraphLaunch(run, 0), cudaDeviceSynchronize();
  printf("%#x, called %d\n", other[3], called);

  // A clone keeps what it was made of; the graph loses a node.
  cudaGraphClone(&clone, graph);
  cudaGraphNodeFindInClone(&found, kernel, clone);
  cudaGraphKernelNodeSetParams(found, &k7);
  cudaGraphRemoveDependencies(graph, &kernel, &host, 1);
  cudaGraphDestroyNode(kernel);
  cudaGraphAddDependencies(graph, &set, &back, 1);
  for (cudaGraph_t g : {graph, clone}) {
    cudaGraphInstantiate(&run, g, nullptr, nullptr, 0);
    cudaGraphLaunch(run, 0), cudaDeviceSynchronize();
    size_t nodes, edges;
    cudaGraphGetNodes(g, nullptr, &nodes), cudaGraphGetEdges(g, nullptr, nullptr, &edges);
    printf("%d of %zu nodes, %zu edges\n", h[3], nodes, edges);
  }
  // A copy's node is found after the graph has lost another one of its kind, and a node that came later is not.
  cudaGraph_t line, copy_of_line;
  cudaGraphNode_t in_line[3], later, at_copy;
  cudaGraphCreate(&line, 0);
  for (int i = 0; i < 3; i++) cudaGraphAddKernelNode(&in_line[i], line, i ? &in_line[i - 1] : nullptr, i > 0, &k);
  cudaGraphClone(&copy_of_line, line);
  cudaGraphDestroyNode(in_line[0]);
  cudaGraphAddKernelNode(&later, line, nullptr, 0, &k);
  cudaGraphNodeFindInClone(&at_copy, in_line[2], copy_of_line);
  size_t behind = 9;
  cudaGraphNodeGetDependentNodes(at_copy, nullptr, &behind);
  printf("%zu behind the last; a later one in the copy: %s\n", behind, name(cudaGraphNodeFindInClone(&at_copy, later, copy_of_line)));
  cudaMemcpy3DParms copy = {};
  cudaGraphMemcpyNodeGetParams(back, &copy);
  cudaHostNodeParams asked;
  cudaGraphHostNodeGetParams(host, &asked);
  printf("copies %zu bytes, right way %d; calls the first %d; not a copy: %s\n", copy.extent.width, copy.kind == cudaMemcpyDeviceToHost,
         asked.fn == by_one, name(cudaGraphMemcpyNodeGetParams(host, &copy)));

  // Variables have addresses.
  cudaGraph_t symbols;
  cudaGraphNode_t into, out;
  cudaGraphCreate(&symbols, 0);
  cudaGraphAddMemcpyNodeToSymbol(&into, symbols, nullptr, 0, &variable, &seven, 4, 0, cudaMemcpyHostToDevice);
  cudaGraphAddMemcpyNodeFromSymbol(&out, symbols, &into, 1, &five, &variable, 4, 0, cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&run, symbols, nullptr, nullptr, 0);
  cudaGraphLaunch(run, 0), cudaDeviceSynchronize();
  printf("through a variable: %d\n", five);
  cudaGraphCreate(&symbols, 0);
  cudaGraphAddMemcpyNodeToSymbol(&into, symbols, nullptr, 0, fixed, &seven, 4, 4, cudaMemcpyHostToDevice);
  cudaGraphInstantiate(&run, symbols, nullptr, nullptr, 0);
  cudaGraphLaunch(run, 0);
  void *at;
  cudaGetSymbolAddress(&at, fixed);
  int eleven = 11, got[2];
  cudaMemcpy(at, &eleven, 4, cudaMemcpyHostToDevice);
  copy_fixed<<<1, 1>>>(p);
  cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpyToSymbol(fixed, &five, 4);
  copy_fixed<<<1, 1>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("constants by address: %d %d, then by name %d %d\n", got[0], got[1], h[0], h[1]);

  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(1), how.blockDim = dim3(32);
  cudaMemset(p, 0, sizeof h);
  cudaError_t launched = cudaLaunchKernelEx(&how, add, p, 3);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  how.attrs = &cluster, how.numAttrs = 1;
  printf("%s %d; in clusters: %s\n", name(launched), h[31], name(cudaLaunchKernelEx(&how, add, p, 3)));
  size_t shared;
  cudaOccupancyAvailableDynamicSMemPerBlock(&shared, add, 3, 128);
  cudaMemPool_t pool;
  printf("three blocks: %zu bytes each; a pool: %s\n", shared, name(cudaDeviceGetDefaultMemPool(&pool, 0)));
}
