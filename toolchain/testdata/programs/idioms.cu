// Idioms that programs for Kepler bring along: their own atomicAdd for doubles, shared memory behind a template, warps that
// add up through volatile memory, tables of functions, and arguments of every mixture of types.
#include <stdio.h>
#include <stdlib.h>
#include <cuda.h>
#include <math.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double *at, double v) {
  unsigned long long *bits = (unsigned long long *)at, old = *bits, expected;
  do {
    expected = old;
    old = atomicCAS(bits, expected, __double_as_longlong(v + __longlong_as_double(expected)));
  } while (expected != old);
  return __longlong_as_double(old);
}
#endif

template <class T> struct SharedMemory {
  __device__ inline operator T *() {
    extern __shared__ int shared_words[];
    return (T *)shared_words;
  }
};
template <> struct SharedMemory<double> {
  __device__ inline operator double *() {
    extern __shared__ double shared_doubles[];
    return shared_doubles;
  }
};

// Blocks of 64 threads: the last 64 sums fold in one warp without a barrier.
template <class T> __global__ void fold(const T *in, T *out, unsigned int n) {
  T *s = SharedMemory<T>(), sum = 0;
  unsigned int tid = threadIdx.x;
  for (unsigned int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  s[tid] = sum;
  __syncthreads();
  if (tid < 32) {
    volatile T *warp = s;
    for (int half = 32; half > 0; half /= 2) warp[tid] = sum = sum + warp[tid + half];
  }
  if (tid == 0) atomicAdd(out, sum);
}
template __global__ void fold<double>(const double *, double *, unsigned int);
template __global__ void fold<int>(const int *, int *, unsigned int);

typedef float (*Operation)(float, float);
__device__ float sum_of(float a, float b) { return a + b; }
__device__ float product_of(float a, float b) { return a * b; }
__device__ int total(dim3 d) { return d.x * d.y * d.z; }

__global__ void __launch_bounds__(64, 4) mixture(float *out, short s, unsigned char c) {
  uint3 t = threadIdx;
  dim3 block = blockIdx, size(blockDim);
  int i = t.x + block.x * size.x;
  const Operation operation = i & 1 ? sum_of : product_of;
  double d = pow(2, 3) + pow(2.0f, 0.5) + sqrt(s) + fmax(c, 0.5) + min(s, (short)c) + max(1.0f, 2.0) + floor(i / 2) + abs(-1.5f);
  out[i] = operation(d, total(gridDim)) + exp2(3) + fabs(-2) + hypot(3.0f, 4) + lround(2.5) + isnan(out[i]);
}

int main(int argc, char **argv) {
  double *d, h = 0;
  if (cudaMalloc((void **)&d, 1 << 20) != cudaSuccess) exit(EXIT_FAILURE);
  fold<double><<<8, 64, 64 * sizeof(double)>>>(d, d, argc > 1 ? atoi(argv[1]) : 1000);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h + sqrt(h) + max(argc, 2));
  return 0;
}
