// What two of the CUDA samples compute, written anew.

enum { tile = 32, bodies = 256 };

// product is matrixMul: C = A B by tiles of 32 by 32 in shared memory, where A has rows of inner elements and B and C have rows of
// columns. A's row is read four elements at a time, as nvcc reads it.
extern "C" __global__ void product(const float *A, const float *B, float *C, int inner, int columns) {
  __shared__ float4 tileA[tile][tile / 4];
  __shared__ float tileB[tile][tile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0.0f;
  for (int at = 0; at < inner; at += tile) {
    ((float *)tileA[y])[x] = A[row * inner + at + x];
    tileB[y][x] = B[(at + y) * columns + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; k += 4) {
      float4 a = tileA[y][k / 4];
      sum += a.x * tileB[k][x];
      sum += a.y * tileB[k + 1][x];
      sum += a.z * tileB[k + 2][x];
      sum += a.w * tileB[k + 3][x];
    }
    __syncthreads();
  }
  C[row * columns + column] = sum;
}

__constant__ float softening = 0.01f;

// The sample is compiled with -ftz=true, which changes only this function's code.
static __device__ float inverseRoot(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// attract is nbody: each thread adds up what all bodies, 256 at a time in shared memory, do to one; w is the mass.
extern "C" __global__ void attract(const float4 *positions, float4 *accelerations, int count) {
  __shared__ float4 some[bodies];
  float4 mine = positions[blockIdx.x * bodies + threadIdx.x];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (int first = 0; first < count; first += bodies) {
    some[threadIdx.x] = positions[first + threadIdx.x];
    __syncthreads();
#pragma unroll 128
    for (int i = 0; i < bodies; i++) {
      float4 other = some[i];
      float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
      float square = dx * dx + dy * dy + dz * dz;
      square += softening;
      float inverse = inverseRoot(square);
      float scale = other.w * (inverse * inverse * inverse);
      x += dx * scale;
      y += dy * scale;
      z += dz * scale;
    }
    __syncthreads();
  }
  accelerations[blockIdx.x * bodies + threadIdx.x] = make_float4(x, y, z, 0.0f);
}
