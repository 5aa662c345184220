// A tree of squares: the block of a square counts its points by quarter, warp by warp with ballots, moves them so that each quarter's lie together
// in the order in which they were, and launches four blocks for the quarters. Where there are few points, or it is deep, they are done.
#define WARPS 4

struct Node {
  int begin, end;
  float x0, y0, x1, y1;
};

extern "C" __global__ void quadtree(Node *nodes, float2 *from, float2 *to, float2 *done, int *leaves, int first, int depth, int most, int least) {
  int number = first + blockIdx.x;
  Node own = nodes[number];
  if (depth >= most || own.end - own.begin <= least) {
    for (int i = own.begin + threadIdx.x; i < own.end; i += blockDim.x) done[i] = from[i];
    if (threadIdx.x == 0) atomicAdd(&leaves[depth], 1);
    return;
  }
  float x = 0.5f * (own.x0 + own.x1), y = 0.5f * (own.y0 + own.y1);
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int each = ((own.end - own.begin + WARPS - 1) / WARPS + 31) / 32 * 32;
  int begin = own.begin + warp * each, end = min(begin + each, own.end);
  __shared__ int places[4][WARPS], starts[5];
  int count[4] = {0, 0, 0, 0};
  for (int i = begin; i < end; i += 32) {
    int quarter = -1;
    if (i + lane < end) quarter = (from[i + lane].x >= x) + 2 * (from[i + lane].y >= y);
    for (int q = 0; q < 4; q++) count[q] += __popc(__ballot(quarter == q));
  }
  if (lane == 0)
    for (int q = 0; q < 4; q++) places[q][warp] = count[q];
  __syncthreads();
  if (threadIdx.x == 0) {
    int at = own.begin;
    for (int q = 0; q < 4; q++) {
      starts[q] = at;
      for (int w = 0; w < WARPS; w++) {
        int n = places[q][w];
        places[q][w] = at;
        at += n;
      }
    }
    starts[4] = at;
  }
  __syncthreads();
  for (int q = 0; q < 4; q++) count[q] = places[q][warp];
  for (int i = begin; i < end; i += 32) {
    int quarter = -1;
    float2 p = make_float2(0, 0);
    if (i + lane < end) {
      p = from[i + lane];
      quarter = (p.x >= x) + 2 * (p.y >= y);
    }
    for (int q = 0; q < 4; q++) {
      unsigned mine = __ballot(quarter == q);
      if (quarter == q) to[count[q] + __popc(mine & ((1u << lane) - 1))] = p;
      count[q] += __popc(mine);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    Node *children = &nodes[4 * number + 1];
    for (int q = 0; q < 4; q++) {
      children[q].begin = starts[q];
      children[q].end = starts[q + 1];
      children[q].x0 = q % 2 ? x : own.x0;
      children[q].x1 = q % 2 ? own.x1 : x;
      children[q].y0 = q / 2 ? y : own.y0;
      children[q].y1 = q / 2 ? own.y1 : y;
    }
    quadtree<<<4, WARPS * 32>>>(nodes, to, from, done, leaves, 4 * number + 1, depth + 1, most, least);
  }
}
