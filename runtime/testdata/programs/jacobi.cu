// Jacobi iteration of a plate's heat: the host looks at the largest change and stops when it is small.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void step(const float *from, float *to, float *change, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float v = 0.25f * (from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] + from[(y + 1) * n + x]);
  change[y * n + x] = fabsf(v - from[y * n + x]);
  to[y * n + x] = v;
}

int main() {
  const int n = 32;
  std::vector<float> plate(n * n), host, next, changes(n * n);
  for (int x = 0; x < n; x++) plate[x] = 100;
  host = next = plate;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemcpy(a, plate.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, plate.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(c, 0, n * n * sizeof(float));
  int steps = 0;
  float largest;
  do {
    step<<<dim3(2, 2), dim3(16, 16)>>>(a, b, c, n);
    cudaMemcpy(changes.data(), c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    largest = 0;
    for (float v : changes) largest = std::max(largest, v);
    std::swap(a, b);
    steps++;
  } while (largest > 0.5f);
  cudaMemcpy(plate.data(), a, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  int expected = 0;
  do {
    largest = 0;
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        next[y * n + x] = 0.25f * (host[y * n + x - 1] + host[y * n + x + 1] + host[(y - 1) * n + x] + host[(y + 1) * n + x]);
        largest = std::max(largest, std::fabs(next[y * n + x] - host[y * n + x]));
      }
    std::swap(host, next);
    expected++;
  } while (largest > 0.5f);
  float error = 0;
  for (int i = 0; i < n * n; i++) error = std::max(error, std::fabs(plate[i] - host[i]));
  printf("steps %s, error %s\n", steps == expected && steps > 10 ? "as on the host" : "differ", error < 1e-3f ? "small" : "large");
  return steps != expected || error >= 1e-3f;
}
