// Quicksort by grids: warps partition their values around a pivot by ballots, and take places with one atomic a warp and side. The last block
// of a grid launches the two sides: as grids again, or where they are short as a block that sorts them in shared memory.
#define THREADS 128
#define SHORT 512

struct Range {
  unsigned begin, length; // of the data
  unsigned less, more;    // values that have a place at either end
  unsigned done;          // blocks
};
__device__ Range ranges[2048];
__device__ unsigned used;

__global__ void bitonic(const unsigned *from, unsigned *to, unsigned length) {
  __shared__ unsigned values[SHORT];
  unsigned n = 1;
  while (n < length) n *= 2;
  for (unsigned i = threadIdx.x; i < n; i += THREADS) values[i] = i < length ? from[i] : 0xffffffffu;
  __syncthreads();
  for (unsigned k = 2; k <= n; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      for (unsigned i = threadIdx.x; i < n; i += THREADS)
        if (unsigned other = i ^ j; other > i) {
          unsigned a = values[i], b = values[other];
          if ((a > b) == ((i & k) == 0)) values[i] = b, values[other] = a;
        }
      __syncthreads();
    }
  for (unsigned i = threadIdx.x; i < length; i += THREADS) to[i] = values[i];
}

__global__ void partition(unsigned *sorted, unsigned *from, unsigned *to, unsigned number);

__device__ void start(unsigned *sorted, unsigned *from, unsigned *to, unsigned begin, unsigned length) {
  if (length == 0) return;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  if (length <= SHORT) {
    bitonic<<<1, THREADS, 0, s>>>(from + begin, sorted + begin, length);
  } else {
    unsigned number = atomicAdd(&used, 1);
    ranges[number].begin = begin;
    ranges[number].length = length;
    partition<<<(length + THREADS - 1) / THREADS, THREADS, 0, s>>>(sorted, from, to, number);
  }
  cudaStreamDestroy(s);
}

__device__ unsigned median(unsigned a, unsigned b, unsigned c) { return max(min(a, b), min(max(a, b), c)); }

__global__ void partition(unsigned *sorted, unsigned *from, unsigned *to, unsigned number) {
  Range *own = &ranges[number];
  unsigned begin = own->begin, length = own->length, lane = threadIdx.x % 32;
  unsigned pivot = median(from[begin], from[begin + length / 2], from[begin + length - 1]);
  unsigned at = blockIdx.x * THREADS + threadIdx.x;
  bool in = at < length;
  unsigned value = in ? from[begin + at] : 0;
  bool is_less = in && value < pivot, is_more = in && value > pivot;
  unsigned less = __ballot(is_less), more = __ballot(is_more), left = 0, right = 0;
  if (lane == 0) {
    left = atomicAdd(&own->less, __popc(less));
    right = atomicAdd(&own->more, __popc(more));
  }
  left = __shfl((int)left, 0);
  right = __shfl((int)right, 0);
  unsigned before = (1u << lane) - 1;
  if (is_less) to[begin + left + __popc(less & before)] = value;
  if (is_more) to[begin + length - 1 - (right + __popc(more & before))] = value;
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&own->done, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  volatile Range *whole = own;
  left = whole->less;
  right = whole->more;
  for (unsigned i = left + threadIdx.x; i < length - right; i += THREADS) sorted[begin + i] = pivot;
  if (threadIdx.x == 0) {
    start(sorted, to, from, begin, left);
    start(sorted, to, from, begin + length - right, right);
  }
}

extern "C" __global__ void sort(unsigned *data, unsigned *scratch, unsigned length) { start(data, data, scratch, 0, length); }
