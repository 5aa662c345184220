// The fast Fourier transform of 256 points in shared memory: radix 2, bit-reversed at the start, one block a transform.
#include <cuda_runtime.h>
#include <cuComplex.h>

#define POINTS 256

__global__ void fft256(const cuComplex *in, cuComplex *out) {
  __shared__ cuComplex s[POINTS];
  const int t = threadIdx.x;
  for (int i = t; i < POINTS; i += blockDim.x) s[__brev(i) >> 24] = in[blockIdx.x * POINTS + i];
  for (int half = 1; half < POINTS; half *= 2) {
    __syncthreads();
    int k = t & (half - 1), at = 2 * t - k;
    float sine, cosine;
    sincospif(-(float)k / half, &sine, &cosine);
    cuComplex odd = cuCmulf(s[at + half], make_cuComplex(cosine, sine)), even = s[at];
    s[at] = cuCaddf(even, odd);
    s[at + half] = cuCsubf(even, odd);
  }
  __syncthreads();
  for (int i = t; i < POINTS; i += blockDim.x) out[blockIdx.x * POINTS + i] = s[i];
}
