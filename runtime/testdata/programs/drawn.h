// Prints every step-th of the numbers that a call draws, as their bits, behind its status.
#include <curand.h>
#include <cstdio>
#include <cstring>
#include <vector>
template <typename T, typename Call> void line(const char *name, curandGenerator_t g, size_t n, size_t step, Call call) {
  T *d;
  cudaMalloc(&d, n * sizeof(T));
  int status = call(g, d, n);
  std::vector<T> h(n);
  cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(d);
  printf("%s %d", name, status);
  for (size_t i = 0; i < n && !status; i += step) {
    unsigned long long w = 0;
    memcpy(&w, &h[i], sizeof(T));
    printf(" %llx", w);
  }
  puts("");
}
