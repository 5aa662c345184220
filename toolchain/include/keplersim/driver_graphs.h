// Graphs of CUDA's driver API: a part of cuda.h, so that programs that name them compile. All of them say CUDA_ERROR_NOT_SUPPORTED;
// runtime/native/driver_graphs.inc defines them.
#pragma once

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

typedef struct CUDA_KERNEL_NODE_PARAMS_st {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void **kernelParams, **extra;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st {
  CUdeviceptr dst;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS_st {
  CUhostFn fn;
  void *userData;
} CUDA_HOST_NODE_PARAMS;

// __KS_GRAPHS(DO): DO(name after cuGraph, parameters).
#define __KS_GRAPHS(DO)                                                                             \
  DO(Create, (CUgraph *, unsigned int)) DO(Destroy, (CUgraph)) DO(Clone, (CUgraph *, CUgraph)) DO(DestroyNode, (CUgraphNode)) \
  DO(AddKernelNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS *)) \
  DO(AddMemcpyNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMCPY3D *, CUcontext)) \
  DO(AddMemsetNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMSET_NODE_PARAMS *, CUcontext)) \
  DO(AddHostNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_HOST_NODE_PARAMS *)) \
  DO(AddEmptyNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t)) \
  DO(AddChildGraphNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph)) \
  DO(AddDependencies, (CUgraph, const CUgraphNode *, const CUgraphNode *, size_t)) \
  DO(GetEdges, (CUgraph, CUgraphNode *, CUgraphNode *, size_t *)) DO(GetNodes, (CUgraph, CUgraphNode *, size_t *)) \
  DO(Instantiate, (CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t)) DO(Launch, (CUgraphExec, CUstream)) DO(ExecDestroy, (CUgraphExec))

#ifdef __cplusplus
extern "C" {
#endif
#define __KS_GRAPH(NAME, PARAMETERS) CUresult cuGraph##NAME PARAMETERS;
__KS_GRAPHS(__KS_GRAPH)
#undef __KS_GRAPH
#ifdef __cplusplus
}
#endif
