#include "several.h"
static __device__ int helper;
static __global__ void kernel(float4 *p) { p->x = -p->x, p->y = -p->y, p->z = -p->z, p->w = -p->w, helper = 1; }
void negate(float4 *p) { kernel<<<1, 1>>>(p); }
