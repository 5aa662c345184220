// Compiled to the .ptx files beside this one; see README.md.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

__device__ inline int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline int blockIndex() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ inline int blockSize() { return __nvvm_read_ptx_sreg_ntid_x(); }

struct Pair { char tag; double value; short rest[3]; };

__constant__ float coefficients[5] = {0.5f, -1.25f, 3.0f, 1e-30f, 2.0f};
__device__ int table[2][3] = {{1, -2, 3}, {4, 5, 6}};
__device__ long long wide[2] = {9223372036854775807LL, -9007199254740993LL};
__device__ const char greeting[] = "hello, \"world\"\n";
__device__ int *pointers[2] = {&table[0][1], &table[1][2]};
__device__ float accumulator;

extern "C" __device__ int vprintf(const char *format, void *arguments);

__device__ __attribute__((noinline)) int twice(int x) { return x * 2 + table[x & 1][2]; }
__device__ __attribute__((noinline)) Pair makePair(Pair p, int i) { p.value += i; p.rest[1] = (short)i; return p; }
typedef int (*Unary)(int);
__device__ Unary operations[1] = {twice};

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIndex() * blockSize() + thread();
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void reduce(const float *in, float *out, int n) {
  __shared__ float partial[256];
  int t = thread();
  partial[t] = t < n ? in[blockIndex() * 256 + t] : 0.0f;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) { out[blockIndex()] = partial[0]; accumulator = partial[0] * coefficients[n % 5]; }
}

__global__ void calls(Pair p, int which, Pair *out, long long *big) {
  out[thread()] = makePair(p, operations[which](thread()));
  *big = wide[which] + (long long)greeting[which] + *pointers[which & 1];
  struct { int a; double b; } arguments = {which, p.value};
  vprintf(greeting, &arguments);
}

__global__ void branches(int *data, unsigned n) {
  unsigned i = thread();
  switch (data[i]) {
  case 0: data[i] = 10; break;
  case 1: data[i] = twice(i); break;
  case 2: data[i] = -7; break;
  case 3: data[i] = __builtin_popcount(i); break;
  default: for (unsigned k = 0; k < n; ++k) data[i] ^= (int)(k * 0x9E3779B9u);
  }
}
