// CUB's device-wide algorithms and the primitives of blocks and warps.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

__global__ void primitives(const int *in, int *block_sum, int *warp_sum, int *scanned) {
  typedef cub::BlockReduce<int, 128> Reduce;
  typedef cub::BlockScan<int, 128> Scan;
  typedef cub::WarpReduce<int> Warp;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Warp::TempStorage warp[4];
  } storage;
  int v = in[threadIdx.x], sum = Reduce(storage.reduce).Sum(v);
  if (threadIdx.x == 0) *block_sum = sum;
  __syncthreads();
  int before;
  Scan(storage.scan).ExclusiveSum(v, before);
  scanned[threadIdx.x] = before;
  __syncthreads();
  int w = Warp(storage.warp[threadIdx.x / 32]).Sum(v);
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = w;
}

template <typename Call> void with_storage(Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  void *storage;
  cudaMalloc(&storage, bytes);
  call(storage, bytes);
  cudaFree(storage);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  std::vector<int> host(n), got(n);
  unsigned state = 7;
  for (int &v : host) state = state * 1664525u + 1013904223u, v = (int)(state >> 16);
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int)), cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  auto say = [](const char *name, bool right) { printf("%s %s\n", name, right ? "right" : "WRONG"); };
  auto read = [&](int many) { cudaMemcpy(got.data(), out, many * sizeof(int), cudaMemcpyDeviceToHost); };

  with_storage([&](void *p, size_t &bytes) { cub::DeviceReduce::Sum(p, bytes, in, out, n); });
  read(1);
  unsigned sum = 0;
  for (int v : host) sum += (unsigned)v;
  say("reduce", (unsigned)got[0] == sum);

  with_storage([&](void *p, size_t &bytes) { cub::DeviceScan::ExclusiveSum(p, bytes, in, out, n); });
  read(n);
  bool right = true;
  unsigned before = 0;
  for (int i = 0; i < n; i++) right &= (unsigned)got[i] == before, before += (unsigned)host[i];
  say("scan", right);

  with_storage([&](void *p, size_t &bytes) { cub::DeviceRadixSort::SortKeys(p, bytes, in, out, n); });
  read(n);
  std::vector<int> sorted = host;
  std::sort(sorted.begin(), sorted.end());
  say("radix sort", sorted == got);

  with_storage([&](void *p, size_t &bytes) { cub::DeviceHistogram::HistogramEven(p, bytes, in, out, 65, 0, 1 << 16, n); });
  read(64);
  std::vector<int> bins(64);
  for (int v : host) bins[v >> 10]++;
  say("histogram", std::equal(bins.begin(), bins.end(), got.begin()));

  primitives<<<1, 128>>>(in, out, out + 1, out + 5);
  read(133);
  right = got[0] == std::accumulate(host.begin(), host.begin() + 128, 0);
  for (int w = 0; w < 4; w++) right &= got[1 + w] == std::accumulate(host.begin() + 32 * w, host.begin() + 32 * w + 32, 0);
  for (int i = 0; i < 128; i++) right &= got[5 + i] == std::accumulate(host.begin(), host.begin() + i, 0);
  say("primitives", right);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
