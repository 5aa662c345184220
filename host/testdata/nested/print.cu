#include <cstdio>

// Each block tells of itself and launches two more, until they are deep enough. Numbers are one digit a level.
extern "C" __global__ void print(unsigned *told, int depth, int most, int parent) {
  int own = parent * 10 + blockIdx.x + 1;
  printf("depth %d: block %d of %d\n", depth, own, parent);
  atomicAdd(&told[depth], own);
  if (depth < most) print<<<2, 1>>>(told, depth + 1, most, own);
}
