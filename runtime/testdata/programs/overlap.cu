// What CUDA says of streams, seen by the clock: kernels of one stream follow each other, those of two may overlap, the legacy default stream stands
// between them, events mark what was before them, copies of pinned memory run beside kernels, and callbacks hold their stream back.
#include <cstdio>
#include <cstring>

__global__ void spin(long long cycles, long long *ended) {
  long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  if (ended) *ended = clock64();
}
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
__global__ void wait_for_host(volatile int *flag, int *seen) {
  while (!*flag) {
  }
  *seen = *flag;
}

const long long cycles = 200000;
float milliseconds(cudaStream_t first, cudaStream_t second, cudaStream_t between, bool use_between) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start), cudaEventCreate(&stop);
  cudaDeviceSynchronize();
  cudaEventRecord(start);
  spin<<<1, 1, 0, first>>>(cycles, nullptr);
  if (use_between) spin<<<1, 1, 0, between>>>(1, nullptr);
  spin<<<1, 1, 0, second>>>(cycles, nullptr);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float ms;
  cudaEventElapsedTime(&ms, start, stop);
  cudaEventDestroy(start), cudaEventDestroy(stop);
  return ms;
}

int *pinned;
void fill(cudaStream_t, cudaError_t status, void *data) {
  int *d;
  cudaError_t inside = cudaMalloc(&d, 4); // not allowed in a callback
  for (int i = 0; i < 32; i++) pinned[i] = status == cudaSuccess && inside == cudaErrorNotPermitted ? *(int *)data + i : -1;
}

int main() {
  cudaStream_t a, b, aside;
  cudaStreamCreate(&a), cudaStreamCreate(&b), cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
  float one = milliseconds(a, a, a, false) / 2;
  auto times = [one](float ms) { return (int)(ms / one + 0.5f); };
  printf("one stream %d, two %d, the default stream between %d, a stream aside %d\n", times(2 * one), times(milliseconds(a, b, a, false)),
         times(milliseconds(a, b, 0, true)), times(milliseconds(a, aside, 0, true)));

  cudaEvent_t done;
  cudaEventCreate(&done);
  spin<<<1, 1, 0, a>>>(20000, nullptr);
  cudaEventRecord(done, a);
  bool running = cudaEventQuery(done) == cudaErrorNotReady && cudaStreamQuery(a) == cudaErrorNotReady && cudaStreamQuery(b) == cudaSuccess;
  int polls = 0;
  while (cudaEventQuery(done) == cudaErrorNotReady) polls++;
  printf("runs %d, is over %d, no error remembered %d\n", running && polls > 0, cudaStreamQuery(a) == cudaSuccess, cudaGetLastError() == cudaSuccess);

  int *device, base = 100, result[32];
  cudaMallocHost(&pinned, 32 * sizeof(int)), cudaMalloc(&device, 32 * sizeof(int));
  memset(pinned, 0, 32 * sizeof(int));
  spin<<<1, 1, 0, a>>>(cycles, nullptr);
  cudaStreamAddCallback(a, fill, &base, 0);
  cudaMemcpyAsync(device, pinned, 32 * sizeof(int), cudaMemcpyHostToDevice, a); // what the callback will have written
  twice<<<1, 32, 0, a>>>(device);
  int before = pinned[5];
  cudaMemcpy(result, device, sizeof result, cudaMemcpyDeviceToHost); // the default stream waits for a
  printf("before %d, after %d, on the device %d\n", before, pinned[5], result[5]);

  int *flag, *seen;
  cudaHostAlloc(&flag, 2 * sizeof(int), cudaHostAllocMapped);
  flag[0] = flag[1] = 0;
  cudaHostGetDevicePointer(&seen, flag + 1, 0);
  wait_for_host<<<1, 1, 0, b>>>(flag, seen);
  flag[0] = 7; // a kernel that waits for the host, which goes on after its launch
  cudaStreamSynchronize(b);
  printf("released %d\n", flag[1]);

  long long *gone, *other;
  cudaMalloc(&gone, sizeof *gone);
  spin<<<1, 1>>>(1000, gone);
  cudaFree(gone); // which waits for the kernel
  cudaMalloc(&other, 1 << 16);
  cudaMemsetAsync(other, 1, 1 << 16, a);
  cudaMemcpyAsync(other, other + 100, 800, cudaMemcpyDeviceToDevice, a);
  cudaFree(other);
  printf("freed %s\n", cudaGetErrorString(cudaDeviceSynchronize()));

  const int streams = 32;
  cudaStream_t s[streams];
  for (auto &one : s) cudaStreamCreate(&one);
  cudaEvent_t start, stop;
  cudaEventCreate(&start), cudaEventCreate(&stop);
  cudaEventRecord(start);
  for (auto &one : s) spin<<<1, 1, 0, one>>>(cycles, nullptr);
  cudaEventRecord(stop);
  printf("not yet %d\n", cudaEventElapsedTime(&one, start, stop) == cudaErrorNotReady);
  cudaEventSynchronize(stop);
  float all;
  cudaEventElapsedTime(&all, start, stop);
  printf("32 streams overlap %d\n", all < 16 * milliseconds(a, a, a, false) / 2);
  return cudaGetLastError();
}
