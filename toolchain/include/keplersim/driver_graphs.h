// Graphs of CUDA's driver API: a part of cuda.h. runtime/native/driver_graphs.inc defines the calls over those of the runtime API.
#pragma once

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

// The numbers are those of the runtime API.
typedef enum CUgraphNodeType_enum {
  CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_HOST, CU_GRAPH_NODE_TYPE_GRAPH,
  CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_EVENT_RECORD
} CUgraphNodeType;
typedef enum CUgraphExecUpdateResult_enum {
  CU_GRAPH_EXEC_UPDATE_SUCCESS, CU_GRAPH_EXEC_UPDATE_ERROR, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED,
  CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED
} CUgraphExecUpdateResult;
typedef enum CUstreamCaptureMode_enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED
} CUstreamCaptureMode;
typedef enum CUstreamCaptureStatus_enum {
  CU_STREAM_CAPTURE_STATUS_NONE, CU_STREAM_CAPTURE_STATUS_ACTIVE, CU_STREAM_CAPTURE_STATUS_INVALIDATED
} CUstreamCaptureStatus;

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

// Calls that are the runtime's. __KS_GRAPHS(DO): DO(name after cu or cuda, parameters, what the runtime's gets).
#define __KS_PLACE CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count
#define __KS_GRAPHS(DO)                                                                                                                       \
  DO(GraphCreate, (CUgraph *graph, unsigned int flags), (graph, flags)) DO(GraphDestroy, (CUgraph graph), (graph))                            \
  DO(GraphClone, (CUgraph *clone, CUgraph graph), (clone, graph)) DO(GraphDestroyNode, (CUgraphNode node), (node))                            \
  DO(GraphMemsetNodeGetParams, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p), (node, (cudaMemsetParams *)p))                                 \
  DO(GraphMemsetNodeSetParams, (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p), (node, (const cudaMemsetParams *)p))                     \
  DO(GraphAddHostNode, (__KS_PLACE, const CUDA_HOST_NODE_PARAMS *p), (node, graph, after, count, (const cudaHostNodeParams *)p))              \
  DO(GraphHostNodeGetParams, (CUgraphNode node, CUDA_HOST_NODE_PARAMS *p), (node, (cudaHostNodeParams *)p))                                   \
  DO(GraphHostNodeSetParams, (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p), (node, (const cudaHostNodeParams *)p))                       \
  DO(GraphExecHostNodeSetParams, (CUgraphExec executable, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p),                                  \
     (executable, node, (const cudaHostNodeParams *)p))                                                                                       \
  DO(GraphAddEmptyNode, (__KS_PLACE), (node, graph, after, count))                                                                            \
  DO(GraphAddChildGraphNode, (__KS_PLACE, CUgraph child), (node, graph, after, count, child))                                                 \
  DO(GraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph *graph), (node, graph))                                                          \
  DO(GraphExecChildGraphNodeSetParams, (CUgraphExec executable, CUgraphNode node, CUgraph child), (executable, node, child))                  \
  DO(GraphAddEventRecordNode, (__KS_PLACE, CUevent event), (node, graph, after, count, event))                                                \
  DO(GraphAddEventWaitNode, (__KS_PLACE, CUevent event), (node, graph, after, count, event))                                                  \
  DO(GraphEventRecordNodeGetEvent, (CUgraphNode node, CUevent *event), (node, event))                                                         \
  DO(GraphEventRecordNodeSetEvent, (CUgraphNode node, CUevent event), (node, event))                                                          \
  DO(GraphExecEventRecordNodeSetEvent, (CUgraphExec executable, CUgraphNode node, CUevent event), (executable, node, event))                  \
  DO(GraphEventWaitNodeGetEvent, (CUgraphNode node, CUevent *event), (node, event))                                                           \
  DO(GraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent event), (node, event))                                                            \
  DO(GraphExecEventWaitNodeSetEvent, (CUgraphExec executable, CUgraphNode node, CUevent event), (executable, node, event))                    \
  DO(GraphKernelNodeCopyAttributes, (CUgraphNode to, CUgraphNode from), (to, from))                                                           \
  DO(GraphAddDependencies, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count), (graph, from, to, count))           \
  DO(GraphRemoveDependencies, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count), (graph, from, to, count))        \
  DO(GraphGetEdges, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count), (graph, from, to, count))                             \
  DO(GraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), (graph, nodes, count))                                                \
  DO(GraphGetRootNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), (graph, nodes, count))                                            \
  DO(GraphNodeGetDependencies, (CUgraphNode node, CUgraphNode *nodes, size_t *count), (node, nodes, count))                                   \
  DO(GraphNodeGetDependentNodes, (CUgraphNode node, CUgraphNode *nodes, size_t *count), (node, nodes, count))                                 \
  DO(GraphNodeGetType, (CUgraphNode node, CUgraphNodeType *type), (node, (cudaGraphNodeType *)type))                                          \
  DO(GraphNodeFindInClone, (CUgraphNode *found, CUgraphNode node, CUgraph clone), (found, node, clone))                                       \
  DO(GraphNodeSetEnabled, (CUgraphExec executable, CUgraphNode node, unsigned int enabled), (executable, node, enabled))                      \
  DO(GraphNodeGetEnabled, (CUgraphExec executable, CUgraphNode node, unsigned int *enabled), (executable, node, enabled))                     \
  DO(GraphInstantiate, (CUgraphExec *executable, CUgraph graph, CUgraphNode *wrong, char *log, size_t bytes), (executable, graph, wrong, log, bytes)) \
  DO(GraphInstantiateWithFlags, (CUgraphExec *executable, CUgraph graph, unsigned long long flags), (executable, graph, flags))               \
  DO(GraphExecUpdate, (CUgraphExec executable, CUgraph graph, CUgraphNode *wrong, CUgraphExecUpdateResult *how),                              \
     (executable, graph, wrong, (cudaGraphExecUpdateResult *)how))                                                                            \
  DO(GraphUpload, (CUgraphExec executable, CUstream stream), (executable, stream))                                                            \
  DO(GraphLaunch, (CUgraphExec executable, CUstream stream), (executable, stream))                                                            \
  DO(GraphExecDestroy, (CUgraphExec executable), (executable))                                                                                \
  DO(GraphDebugDotPrint, (CUgraph graph, const char *path, unsigned int flags), (graph, path, flags))                                         \
  DO(StreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode), (stream, (cudaStreamCaptureMode)mode))                                  \
  DO(StreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph))                                                                    \
  DO(StreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), (stream, (cudaStreamCaptureStatus *)status))

#ifdef __cplusplus
extern "C" {
#endif
#define __KS_GRAPH(NAME, PARAMETERS, ARGUMENTS) CUresult cu##NAME PARAMETERS;
__KS_GRAPHS(__KS_GRAPH)
#undef __KS_GRAPH
CUresult cuGraphAddKernelNode(__KS_PLACE, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphAddMemcpyNode(__KS_PLACE, const CUDA_MEMCPY3D *p, CUcontext context);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *p);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *p);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D *p, CUcontext context);
CUresult cuGraphAddMemsetNode(__KS_PLACE, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context);
#ifdef __cplusplus
}
#endif
