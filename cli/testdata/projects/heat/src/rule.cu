#include "rule.h"

__constant__ float conductance = 0.25f;
static __device__ float weight(float a, float b) { return a - b; }
__device__ float rule(float left, float middle, float right) { return middle + conductance * (weight(left, middle) + weight(right, middle)); }
