// A matrix copied and transposed in tiles of 32 by 32 by blocks of 32 by 8 threads, each thread four elements: straight, through
// shared memory, and through shared memory whose rows are a word longer than the tile's.
enum { tile = 32, rows = 8 };

#define POSITION                                                                       \
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y, width = gridDim.x * tile
#define EACH_ROW for (int j = 0; j < tile; j += rows)

extern "C" __global__ void copy(const float *in, float *out) {
  POSITION;
  EACH_ROW out[(y + j) * width + x] = in[(y + j) * width + x];
}

extern "C" __global__ void copy_shared(const float *in, float *out) {
  __shared__ float part[tile][tile];
  POSITION;
  EACH_ROW part[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  EACH_ROW out[(y + j) * width + x] = part[threadIdx.y + j][threadIdx.x];
}

extern "C" __global__ void straight(const float *in, float *out) {
  POSITION;
  EACH_ROW out[x * width + y + j] = in[(y + j) * width + x];
}

template <int pitch> __device__ void through_shared(const float *in, float *out) {
  __shared__ float part[tile][pitch];
  POSITION;
  EACH_ROW part[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  EACH_ROW out[(y + j) * width + x] = part[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void conflicts(const float *in, float *out) { through_shared<tile>(in, out); }
extern "C" __global__ void padded(const float *in, float *out) { through_shared<tile + 1>(in, out); }
