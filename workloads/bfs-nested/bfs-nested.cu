// Breadth-first search whose loop over the levels runs on the device: a kernel of one thread launches a level, waits for it, and looks whether
// there is more to do.
//
// The host asks for nothing between two levels, and does not have to know how many there are. While the parent waits it gives up its place on its
// SMX. The flat version is workload bfs, whose host launches every level; compare the times on the timeline.
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

extern "C" __global__ void search(const unsigned int *edgeStart, const unsigned int *neighbour, unsigned int *level,
                                  unsigned int *reached, unsigned int nodes) {
  for (unsigned int depth = 1;; depth++) {
    bfs_level<<<(nodes + 255) / 256, 256>>>(edgeStart, neighbour, level, reached, nodes, depth);
    cudaDeviceSynchronize();
    if (((volatile unsigned int *)reached)[depth] == 0) break;
  }
}
