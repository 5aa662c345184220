// Breadth-first search of a graph, one launch a level.
//
// A thread owns a node. If the node was reached at this level, it marks its neighbours that nobody has reached yet with
// the next level. Several threads may mark one neighbour, but all with the same number, so the result is the
// same in any order. Few lanes have work, and those with work have unequal amounts: control and memory divergence.
// level[] holds 0 for "not reached", 1 for the source. reached[d] counts the nodes of level d.
extern "C" __global__ void bfs_level(const unsigned int *edgeStart, const unsigned int *neighbour, unsigned int *level,
                                     unsigned int *reached, unsigned int nodes, unsigned int depth) {
  unsigned int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || level[node] != depth) return;
  atomicAdd(&reached[depth], 1u);
  for (unsigned int e = edgeStart[node]; e < edgeStart[node + 1]; e++) {
    unsigned int next = neighbour[e];
    if (level[next] == 0) level[next] = depth + 1;
  }
}
