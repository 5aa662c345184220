// What host parts of programs in C++ use, all at once: it must parse, and the one kernel come out.
#include <iostream>
#include <vector>
#include <string>
#include <fstream>
#include <sstream>
#include <iomanip>
#include <chrono>
#include <random>
#include <algorithm>
#include <numeric>
#include <limits>
#include <cstdint>
#include <cmath>
#include <ctime>
#include <memory>
#include <map>
#include <functional>
#include <type_traits>
#include <sys/time.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuComplex.h>
#include <math_constants.h>
#include <device_launch_parameters.h>
namespace cg = cooperative_groups;
using namespace std;
#define CHECK(call) do { cudaError_t e = call; if (e != cudaSuccess) { cerr << "error " << cudaGetErrorString(e) << " at " << __LINE__ << endl; exit(EXIT_FAILURE);} } while (0)
__constant__ float coef[16];
__managed__ int counter;
template <typename T, int N> __global__ __launch_bounds__(N) void k(T *__restrict__ a, const T *__restrict__ b, size_t n) {
  extern __shared__ char raw[];
  T *s = reinterpret_cast<T *>(raw);
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  cg::thread_block blk = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(blk);
  s[threadIdx.x] = i < n ? __ldg(&b[i]) : std::numeric_limits<T>::max();
  blk.sync();
  T v = cg::reduce(tile, s[threadIdx.x], cg::plus<T>());
  if (tile.thread_rank() == 0) atomicAdd(&counter, 1);
  a[i] = std::min(v, std::max<T>(a[i], T(2))) + pow(2.0f, 3) + std::abs(v) + std::sqrt((float)v) + coef[i & 15];
  half h = __float2half((float)a[i]);
  a[i] += __half2float(h);
  cuFloatComplex z = cuCmulf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, 4));
  a[i] += cuCabsf(z);
  if (isnan(a[i]) || std::isinf((double)a[i])) printf("bad %d\n", (int)i);
}
template __global__ void k<float, 256>(float *, const float *, size_t);
static double now() { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + t.tv_usec * 1e-6; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  std::vector<float> h(n), r = {1.f, 2.f};
  std::mt19937 gen(42); std::uniform_real_distribution<float> dis(0.0f, 1.0f);
  for (auto &x : h) x = dis(gen);
  std::generate(h.begin(), h.end(), [&]() { return dis(gen); });
  float *d; CHECK(cudaMalloc(&d, n * sizeof(float))); CHECK(cudaMalloc((void **)&d, n * sizeof(float)));
  CHECK(cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(coef, h.data(), sizeof(coef)));
  auto t0 = std::chrono::high_resolution_clock::now(); clock_t c0 = clock();
  k<float, 256><<<(n + 255) / 256, 256, 1024>>>(d, d, n);
  dim3 grid(n / 16, 16), block(16, 16); k<float, 256><<<grid, block, 0, 0>>>(d, d, n);
  CHECK(cudaDeviceSynchronize());
  auto t1 = std::chrono::high_resolution_clock::now();
  double ms = std::chrono::duration<double, std::milli>(t1 - t0).count(); long us = std::chrono::duration_cast<std::chrono::microseconds>(t1 - t0).count();
  std::cout << "Time: " << std::fixed << std::setprecision(3) << ms << " ms" << us << std::endl; printf("%f %ld %f\n", now(), (long)(clock() - c0), (double)c0 / CLOCKS_PER_SEC);
  ifstream f("x.txt"); string line; while (getline(f, line)) cout << line << "\n"; if (!f.is_open()) return -1;
  std::sort(h.begin(), h.end()); float s = std::accumulate(h.begin(), h.end(), 0.0f); cout << s << ' ' << string("a") + "b" << 3.0 << endl;
  float mx = fmaxf(h[0], 3); mx = std::max(mx, h[1]); double e = fabs(h[0] - h[1]) + pow(h[0], 2) + abs(-3); int w = 1; w = max(w, 3);
  map<string, int> m; m["x"] = 1; std::unique_ptr<float[]> u(new float[n]); u[0] = 1; float *q = new float[5]; delete[] q;
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); cout << p.name << p.major << endl; assert(s > 0); std::function<int(int)> fn = [](int x) { return x; };
  cudaStream_t st; cudaStreamCreate(&st); cudaFree(d); return 0;
}
