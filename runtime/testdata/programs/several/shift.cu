#include "several.h"
static __device__ int helper = 10;
static __global__ void kernel(float4 *p) { p->x += helper, p->y += helper; }
void shift(float4 *p) {
  kernel<<<1, 1>>>(p);
  int more = 20;
  cudaMemcpyToSymbol(helper, &more, sizeof more);
  kernel<<<1, 1>>>(p);
}
