// SAXPY: y = alpha x + y in place, one fused multiply-add an element.
//
// Like the vector addition it waits for memory: compare the achieved bytes a second of the two, and what changes with
// fewer threads a block.
extern "C" __global__ void saxpy(unsigned int n, float alpha, const float *x, float *y) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(alpha, x[i], y[i]);
}
