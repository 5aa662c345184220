// Kernels whose board power and clocks are published: matrix products that keep the arithmetic units busy, as a vendor's library does, and a light
// one. Each thread keeps SIDE x SIDE results in registers; tiles of both matrices lie in shared memory, in two copies, so that one is filled while
// the other is used. Shared memory's banks are 8 bytes wide: a double, or a pair of floats.
struct __align__(8) Pair { float v[2]; };
struct One { double v[1]; };

template <typename T, typename Word, int WIDTH, int SIDE> __device__ __forceinline__ void product(const T *a, const T *b, T *c, int n, int depth) {
  constexpr int THREADS = 16, TILE = THREADS * SIDE, STEP = 8, WORDS = SIDE / WIDTH, ROW = TILE / WIDTH;
  constexpr int LOADS = STEP * TILE / (THREADS * THREADS);
  __shared__ Word left[2][STEP][ROW], right[2][STEP][ROW];
  const int x = threadIdx.x % THREADS, y = threadIdx.x / THREADS;
  T sum[SIDE][SIDE] = {}, fromA[LOADS], fromB[LOADS];
  const T *nextA = a + blockIdx.y * TILE, *nextB = b + blockIdx.x * TILE;
  auto load = [&] {
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
      const int at = threadIdx.x + i * THREADS * THREADS;
      fromA[i] = nextA[at / TILE * n + at % TILE];
      fromB[i] = nextB[at / TILE * n + at % TILE];
    }
    nextA += STEP * n;
    nextB += STEP * n;
  };
  auto store = [&](int copy) {
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
      const int at = threadIdx.x + i * THREADS * THREADS;
      ((T *)left[copy])[at] = fromA[i];
      ((T *)right[copy])[at] = fromB[i];
    }
  };
  load();
  store(0);
  __syncthreads();
  for (int at = 0, copy = 0; at < depth; at += STEP, copy ^= 1) {
    const bool more = at + STEP < depth;
    if (more) load();
#pragma unroll
    for (int k = 0; k < STEP; k++) {
      Word p[WORDS], q[WORDS];
#pragma unroll
      for (int i = 0; i < WORDS; i++) p[i] = left[copy][k][i * THREADS + y];
#pragma unroll
      for (int i = 0; i < WORDS; i++) q[i] = right[copy][k][i * THREADS + x];
#pragma unroll
      for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++) sum[i][j] += p[i / WIDTH].v[i % WIDTH] * q[j / WIDTH].v[j % WIDTH];
    }
    if (more) store(copy ^ 1);
    __syncthreads();
  }
  c += blockIdx.y * TILE * n + blockIdx.x * TILE;
#pragma unroll
  for (int i = 0; i < SIDE; i++)
#pragma unroll
    for (int j = 0; j < SIDE; j++)
      c[((i / WIDTH * THREADS + y) * WIDTH + i % WIDTH) * n + (j / WIDTH * THREADS + x) * WIDTH + j % WIDTH] = sum[i][j];
}

extern "C" __global__ void __launch_bounds__(256) sgemm(const float *a, const float *b, float *c, int n, int depth) {
  product<float, Pair, 2, 8>(a, b, c, n, depth);
}

extern "C" __global__ void __launch_bounds__(256) dgemm(const double *a, const double *b, double *c, int n, int depth) {
  product<double, One, 1, 6>(a, b, c, n, depth);
}

// Integer arithmetic on few warps: a kernel that leaves a board power to spare.
extern "C" __global__ void light(unsigned *out, int steps) {
  unsigned value = threadIdx.x + blockIdx.x;
  for (int i = 0; i < steps; i++) value = value * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
