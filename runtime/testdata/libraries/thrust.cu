// Thrust's algorithms on a million elements, each held against the C++ library's.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

struct Squared {
  __host__ __device__ int operator()(int v) const { return v * v; }
};

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  std::vector<int> keys(n), values(n);
  unsigned state = 1;
  for (int i = 0; i < n; i++) state = state * 1664525u + 1013904223u, keys[i] = (int)(state >> 12), values[i] = i;
  auto say = [](const char *name, bool right) { printf("%s %s\n", name, right ? "right" : "WRONG"); };

  thrust::device_vector<int> device(keys.begin(), keys.end());
  std::vector<int> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  thrust::sort(device.begin(), device.end());
  thrust::host_vector<int> back = device;
  say("sort", std::equal(sorted.begin(), sorted.end(), back.begin()));

  thrust::device_vector<int> k(keys.begin(), keys.end()), v(values.begin(), values.end());
  std::vector<int> order = values;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
  back = v;
  say("sort_by_key", std::equal(order.begin(), order.end(), back.begin()));

  say("reduce", thrust::reduce(device.begin(), device.end(), 0ll) == std::accumulate(keys.begin(), keys.end(), 0ll));

  thrust::device_vector<int> out(n);
  std::vector<int> sums(n);
  std::partial_sum(values.begin(), values.end(), sums.begin());
  thrust::device_vector<int> in(values.begin(), values.end());
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  back = out;
  say("scan", std::equal(sums.begin(), sums.end(), back.begin()));

  thrust::transform(in.begin(), in.end(), out.begin(), Squared());
  back = out;
  bool right = true;
  for (int i = 0; i < n; i++) right &= back[i] == (int)((unsigned)i * (unsigned)i);
  say("transform", right);

  thrust::device_vector<int> uk(n), uv(values.begin(), values.end());
  std::vector<int> firsts;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) firsts.push_back(i);
  }
  std::vector<int> thirds(n);
  for (int i = 0; i < n; i++) thirds[i] = i / 3;
  uk.assign(thirds.begin(), thirds.end());
  auto end = thrust::unique_by_key(uk.begin(), uk.end(), uv.begin());
  back.assign(uv.begin(), end.second);
  say("unique_by_key", back.size() == firsts.size() && std::equal(firsts.begin(), firsts.end(), back.begin()));
  return 0;
}
