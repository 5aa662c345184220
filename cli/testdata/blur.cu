// The first thread reads before its buffer.
__global__ void blur(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - 1] + in[i] + in[i + 1];
}
