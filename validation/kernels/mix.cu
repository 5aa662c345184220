// Arithmetic mixed with traffic in a given proportion, as the program mixbench does it: blocks of 256 threads.
enum { block = 256 };

// Reading: a thread reads four times eight numbers, 256 apart, puts each through so many multiply-adds on itself, and adds
// up the products of neighbours. The sum is never -1, so that nothing is stored.
enum { together = 8, rounds = 4 };

template <class T, int steps> static __device__ void read_mix(T *data, T seed) {
  int at = blockIdx.x * block * together + threadIdx.x;
  for (int r = 0; r < rounds; r++, at += gridDim.x * block * together) {
    T x[together], sum = 0;
#pragma unroll
    for (int j = 0; j < together; j++) {
      x[j] = data[at + j * block];
#pragma unroll
      for (int i = 0; i < steps; i++) x[j] = x[j] * x[j] + seed;
    }
#pragma unroll
    for (int j = 0; j < together; j += 2) sum += x[j] * x[j + 1];
    if (sum == (T)-1) data[at] = sum;
  }
}

#define READ_MIX(type, name, steps) \
  extern "C" __global__ void read_##name##_##steps(type *data, int seed) { read_mix<type, steps>(data, seed); }
READ_MIX(float, f32, 0)
READ_MIX(float, f32, 16)
READ_MIX(float, f32, 32)
READ_MIX(float, f32, 64)
READ_MIX(double, f64, 4)
READ_MIX(double, f64, 32)
READ_MIX(int, s32, 8)
READ_MIX(int, s32, 32)

// Alternating: 32 slots a turn, of which the first are eight multiply-adds each, in eight chains that take each other's
// values, and the others are stores and loads by turns. A thread has sixteen numbers to read and sixteen to write, 256 apart.
enum { slots = 32, numbers = slots / 2 };

template <class T, int arithmetic> static __device__ void alternating(volatile T *data, T seed, int turns) {
  constexpr int pairs = (slots - arithmetic) / 2;
  int first = blockIdx.x * block * numbers + threadIdx.x, at = first, half = gridDim.x * block * numbers;
  T r[8];
#pragma unroll
  for (int i = 0; i < 8; i++) r[i] = seed + (T)(first + i);
  for (int t = 0; t < turns; t++) {
#pragma unroll
    for (int i = 0; i < arithmetic; i++) {
#pragma unroll
      for (int j = 0; j < 8; j++) r[j] = r[j] * r[j] + r[(j + 4) % 8];
    }
#pragma unroll
    for (int i = 0; i < pairs; i++, at += block) {
      data[at + half] = r[i % 8];
      r[i % 8] = data[at];
    }
    if (pairs > 0 && at >= first + (1 + numbers - pairs) * block) at = first;
  }
  T sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) sum += r[i];
  if (sum == (T)-1) data[0] = sum;
}

#define ALTERNATING(type, name, arithmetic) \
  extern "C" __global__ void alternating_##name##_##arithmetic(type *data, int seed, int turns) { alternating<type, arithmetic>(data, seed, turns); }
ALTERNATING(float, f32, 0)
ALTERNATING(float, f32, 16)
ALTERNATING(float, f32, 32)
ALTERNATING(double, f64, 32)
ALTERNATING(int, s32, 32)
