// Small programs whose times on real cards somebody published, written anew.

// Sixteen reads of so many floats a thread, a block's threads side by side, added up: clpeak's global bandwidth. More than four
// floats are several loads of sixteen bytes.
template <int quads> static __device__ void wide(const float4 *in, float *out) {
  int at = blockIdx.x * blockDim.x * 16 + threadIdx.x;
  float4 sum[quads] = {};
#pragma unroll
  for (int i = 0; i < 16; i++, at += blockDim.x) {
#pragma unroll
    for (int q = 0; q < quads; q++) {
      float4 v = in[at * quads + q];
      sum[q].x += v.x, sum[q].y += v.y, sum[q].z += v.z, sum[q].w += v.w;
    }
  }
  float total = 0;
#pragma unroll
  for (int q = 0; q < quads; q++) total += sum[q].x + sum[q].y + sum[q].z + sum[q].w;
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

extern "C" __global__ void wide_1(const float *in, float *out) {
  int at = blockIdx.x * blockDim.x * 16 + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 16; i++, at += blockDim.x) sum += in[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void wide_4(const float4 *in, float *out) { wide<1>(in, out); }
extern "C" __global__ void wide_8(const float4 *in, float *out) { wide<2>(in, out); }
extern "C" __global__ void wide_16(const float4 *in, float *out) { wide<4>(in, out); }

// A Jacobi step of Laplace's equation on a grid of width by height by depth points: inside, a sixth of the six neighbours; on the
// boundary, what was there.
static __device__ float jacobi(const float *__restrict__ from, int at, int row, int plane, bool inside) {
  if (!inside) return from[at];
  return (from[at - 1] + from[at + 1] + from[at - row] + from[at + row] + from[at - plane] + from[at + plane]) * (1.0f / 6.0f);
}

// A thread a column of points, which it goes through from plane to plane.
extern "C" __global__ void laplace_columns(const float *__restrict__ from, float *__restrict__ to, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int at = y * width + x;
  if (x >= width || y >= height) return;
  for (int z = 0; z < depth; z++, at += width * height) {
    bool inside = x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1;
    to[at] = jacobi(from, at, width, width * height, inside);
  }
}

// A thread a point.
extern "C" __global__ void laplace_points(const float *__restrict__ from, float *__restrict__ to, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  int at = (z * height + y) * width + x;
  if (x >= width || y >= height || z >= depth) return;
  bool inside = x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1;
  to[at] = jacobi(from, at, width, width * height, inside);
}

// Two correlated stocks over 100 steps, a path a thread, from numbers drawn before. The numbers of a block lie step by step, or
// those of a path follow one another.
__constant__ int path_steps = 100;
__constant__ float correlation = 0.5f, rest = 0.8660254f, growth = 1.0005f, deviation = 0.01f, discount = 0.05f;

static __device__ void path(const float *draws, float *payoffs, int at, int step) {
  float first = 1.0f, second = 1.0f;
  for (int n = 0; n < path_steps; n++) {
    float one = draws[at];
    at += step;
    float other = correlation * one + rest * draws[at];
    at += step;
    first *= growth + deviation * one;
    second *= growth + deviation * other;
  }
  bool near = fabsf(first - 1.0f) < 0.1f && fabsf(second - 1.0f) < 0.1f;
  payoffs[blockIdx.x * blockDim.x + threadIdx.x] = near ? expf(-discount) : 0.0f;
}

extern "C" __global__ void paths_by_step(float *draws, float *payoffs) {
  path(draws, payoffs, 2 * path_steps * blockIdx.x * blockDim.x + threadIdx.x, blockDim.x);
}
extern "C" __global__ void paths_by_thread(float *draws, float *payoffs) {
  path(draws, payoffs, 2 * path_steps * (blockIdx.x * blockDim.x + threadIdx.x), 1);
}

// The sum of all threads' numbers: a tree in shared memory, with a barrier a level down to one warp, and an addition in device
// memory for each block. How large a block is, the code learns when it runs.
enum { members = 256 };

extern "C" __global__ void sum_of_threads(unsigned *total) {
  __shared__ volatile unsigned partial[members];
  unsigned me = threadIdx.x, sum = blockIdx.x * blockDim.x + me, half = blockDim.x / 2;
  partial[me] = sum;
  __syncthreads();
  for (; half > 32; half /= 2) {
    if (me < half) partial[me] = sum = sum + partial[me + half];
    __syncthreads();
  }
  for (; half > 0; half /= 2)
    if (me < half) partial[me] = sum = sum + partial[me + half];
  if (me == 0) atomicAdd(total, sum);
}

// A histogram of 32 bins, a number a thread: additions in shared memory, then those of the block's bins in device memory.
extern "C" __global__ void histogram(const int *data, int *counts) {
  __shared__ int bins[members];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[data[blockIdx.x * members + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

// Six numbers a thread in shared memory, swapped with their neighbours 1,024 times: gpumembench's shared memory test.
template <class T> static __device__ void swap(T *a, T *b) {
  T t = *b;
  *b = *a;
  *a = t;
}

template <class T> static __device__ void swaps(T *out, T zero, int turns) {
  extern __shared__ float4 room[];
  T *mine = (T *)room + threadIdx.x;
  int next = blockDim.x;
  for (int i = 0; i < 6; i++) mine[i * next] = zero;
  __threadfence_block();
#pragma unroll 32
  for (int t = 0; t < turns; t++) {
    swap(mine, mine + next);
    swap(mine + 2 * next, mine + 3 * next);
    swap(mine + 4 * next, mine + 5 * next);
    __threadfence_block();
    swap(mine + next, mine + 2 * next);
    swap(mine + 3 * next, mine + 4 * next);
    __threadfence_block();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine[0];
}

extern "C" __global__ void swaps_8(float2 *out, int turns) { swaps(out, make_float2(0, 0), turns); }
extern "C" __global__ void swaps_16(float4 *out, int turns) { swaps(out, make_float4(0, 0, 0, 0), turns); }

// Each turn, 16 numbers a thread are read and added up, or written: those of all threads side by side, so many threads apart, or a
// thread's own side by side, 2 KB from the next thread's. SHOC's device memory.
enum { threads = 32768, apart = 512, kept = 2048 };

static __device__ void read_turns(const float *in, float *out, int at, int step, int last, int turns) {
  float sum = 0;
  for (int t = 0; t < turns; t++) {
    float got = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) got += in[(at + i * step) & last];
    sum += got;
    at = (at + 16 * step) & last;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static __device__ void write_turns(float *out, int at, int step, int last, int turns) {
  float me = blockIdx.x * blockDim.x + threadIdx.x;
  for (int t = 0; t < turns; t++) {
#pragma unroll
    for (int i = 0; i < 16; i++) out[(at + i * step) & last] = me;
    at = (at + 16 * step) & last;
  }
}

extern "C" __global__ void read_spread(const float *in, float *out, int size, int turns) {
  read_turns(in, out, blockIdx.x * blockDim.x + threadIdx.x, threads, size - 1, turns);
}
extern "C" __global__ void read_own(const float *in, float *out, int size, int turns) {
  read_turns(in, out, (blockIdx.x * blockDim.x + threadIdx.x) * apart, 1, size - 1, turns);
}
extern "C" __global__ void write_spread(float *out, int size, int turns) {
  write_turns(out, blockIdx.x * blockDim.x + threadIdx.x, threads, size - 1, turns);
}
extern "C" __global__ void write_own(float *out, int size, int turns) {
  write_turns(out, (blockIdx.x * blockDim.x + threadIdx.x) * apart, 1, size - 1, turns);
}

// The same in 8 KB of shared memory, a word from thread to thread and from number to number.
extern "C" __global__ void read_shared(const float *in, float *out, int turns) {
  __shared__ float room[kept];
  int mine = kept / blockDim.x;
  for (int i = 0; i < mine; i++) room[threadIdx.x * mine + i] = in[(blockDim.x * blockIdx.x + threadIdx.x * mine + i) % (threads * 2)];
  __syncthreads();
  read_turns(room, out, threadIdx.x, 1, kept - 1, turns);
}
extern "C" __global__ void write_shared(float *out, int turns) {
  __shared__ float room[kept];
  write_turns(room, threadIdx.x, 1, kept - 1, turns);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

// Eight numbers, each of which becomes v - w x, 30 times a turn.
extern "C" __global__ void multiply_add_8(float *data, int turns, float v, float w) {
  float *mine = &data[blockIdx.x * blockDim.x + threadIdx.x], x[8];
#pragma unroll
  for (int c = 0; c < 8; c++) x[c] = *mine + c;
  for (int t = 0; t < turns; t++) {
#pragma unroll
    for (int i = 0; i < 30; i++) {
#pragma unroll
      for (int c = 0; c < 8; c++) x[c] = v - x[c] * w;
    }
  }
  *mine = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

// The search for seven bytes whose MD5 hash is given (RFC 1321). A byte has so many values; a thread tries those of the first byte.
extern "C" __global__ void search_md5(unsigned *found, unsigned hash0, unsigned hash1, unsigned hash2, unsigned hash3, unsigned values) {
  unsigned rest = (blockIdx.x * blockDim.x + threadIdx.x) * values, first = rest;
  unsigned long long key = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    key |= (unsigned long long)(rest % values & 255) << 8 * i;
    rest /= values;
  }
  unsigned low = key, high = key >> 32 | 0x80000000;
  for (unsigned n = 0; n < values; n++, low++) {
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    const int turn[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
#pragma unroll
    for (int i = 0; i < 64; i++) {
      unsigned mixed = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c) : i < 48 ? b ^ c ^ d : c ^ (b | ~d);
      int word = i < 16 ? i : i < 32 ? 5 * i + 1 : i < 48 ? 3 * i + 5 : 7 * i;
      unsigned text = word % 16 == 0 ? low : word % 16 == 1 ? high : word % 16 == 14 ? 56 : 0;
      unsigned sum = a + mixed + text + (unsigned)(long long)(__builtin_fabs(__builtin_sin(i + 1.0)) * 4294967296.0);
      int left = turn[i / 16][i % 4];
      a = d, d = c, c = b;
      b += sum << left | sum >> (32 - left);
    }
    if (a + 0x67452301 == hash0 && b + 0xefcdab89 == hash1 && c + 0x98badcfe == hash2 && d + 0x10325476 == hash3) *found = first + n;
  }
}

// y = x + y in strides of the whole grid.
extern "C" __global__ void add_in_strides(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = x[i] + y[i];
}
