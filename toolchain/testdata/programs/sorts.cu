// Three sorts: odd-even transposition and Batcher's odd-even merging in shared memory, and merge sort by rank in passes.
#include <cuda_runtime.h>
#include <algorithm>

template <typename T> __device__ inline void order(T &a, T &b) {
  if (b < a) {
    T t = a;
    a = b, b = t;
  }
}

extern "C" __global__ void odd_even_sort(int *data, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
  __syncthreads();
  for (int round = 0; round < n; round++) {
    int i = 2 * threadIdx.x + (round & 1);
    if (i + 1 < n) order(s[i], s[i + 1]);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[i];
}

extern "C" __global__ void batcher_sort(unsigned int *data) {
  __shared__ unsigned int s[256];
  const int n = 2 * blockDim.x, t = threadIdx.x;
  unsigned int *mine = data + blockIdx.x * n;
  s[t] = mine[t], s[t + blockDim.x] = mine[t + blockDim.x];
  for (int size = 2; size <= n; size <<= 1) {
    int stride = size / 2, offset = t & (stride - 1);
    __syncthreads();
    int at = 2 * t - (t & (stride - 1));
    order(s[at], s[at + stride]);
    for (stride >>= 1; stride > 0; stride >>= 1) {
      __syncthreads();
      at = 2 * t - (t & (stride - 1));
      if (offset >= stride) order(s[at - stride], s[at]);
    }
  }
  __syncthreads();
  mine[t] = s[t], mine[t + blockDim.x] = s[t + blockDim.x];
}

// The place of a key in a sorted run: by the number of smaller ones, or in the second run of a pair, of smaller and equal ones.
__device__ int rank_in(const float *run, int n, float key, bool after_equal) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (run[middle] < key || (after_equal && run[middle] == key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

extern "C" __global__ void merge_pass(const float *in, float *out, int n, int run) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int pair = i / (2 * run) * 2 * run, second = std::min(pair + run, n), end = std::min(pair + 2 * run, n);
  bool in_first = i < second;
  int to = in_first ? i + rank_in(in + second, end - second, in[i], false) : i - run + rank_in(in + pair, second - pair, in[i], true);
  out[to] = in[i];
}

int main() {
  float *a, *b;
  const int n = 10000;
  cudaMalloc(&a, n * sizeof *a), cudaMalloc(&b, n * sizeof *b);
  for (int run = 1; run < n; run *= 2, std::swap(a, b)) merge_pass<<<(n + 255) / 256, 256>>>(a, b, n, run);
  return cudaDeviceSynchronize();
}
