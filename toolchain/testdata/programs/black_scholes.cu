// European options after Black and Scholes: a call and a put for each price, strike and time, one thread an option.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

__device__ __forceinline__ void option(float &call, float &put, float price, float strike, float years, float rate, float sigma) {
  float root = sqrtf(years);
  float d1 = (logf(price / strike) + (rate + 0.5f * sigma * sigma) * years) / (sigma * root);
  float d2 = d1 - sigma * root;
  float discount = strike * expf(-rate * years);
  call = price * normcdff(d1) - discount * normcdff(d2);
  put = discount * normcdff(-d2) - price * normcdff(-d1);
}

__global__ void black_scholes(const float *__restrict__ price, const float *__restrict__ strike, const float *__restrict__ years,
                              float *call, float *put, float rate, float sigma, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    option(call[i], put[i], __ldg(&price[i]), __ldg(&strike[i]), __ldg(&years[i]), rate, sigma);
}

int main() {
  const int n = 1 << 20;
  std::vector<float> host(n, 20.0f);
  float *d[5];
  for (auto &p : d) cudaMalloc(&p, n * sizeof(float));
  cudaMemcpy(d[0], host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  black_scholes<<<480, 128>>>(d[0], d[1], d[2], d[3], d[4], 0.02f, 0.3f, n);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
