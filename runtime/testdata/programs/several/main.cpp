#include <cuda_runtime.h>
#include <cstdio>
#include "several.h"

int main() {
  float4 v = make_float4(1, 2, 3, 4), *device;
  if (cudaMalloc(&device, sizeof v) != cudaSuccess) return 1;
  cudaMemcpy(device, &v, sizeof v, cudaMemcpyHostToDevice);
  negate(device);
  shift(device);
  cudaMemcpy(&v, device, sizeof v, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g\n", v.x, v.y, v.z, v.w);
  return 0;
}
