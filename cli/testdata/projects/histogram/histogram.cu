// Counts bytes of a file or of made-up text: shared-memory atomics, one partial count a block.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#ifndef BLOCK
#define BLOCK 128
#endif

__global__ void count(const unsigned char *text, int n, unsigned *bins) {
  __shared__ unsigned own[256];
  for (int i = threadIdx.x; i < 256; i += BLOCK) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) atomicAdd(&own[text[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += BLOCK) atomicAdd(&bins[i], own[i]);
}

int main(int argc, char **argv) {
  std::vector<unsigned char> text(40000);
  for (size_t i = 0; i < text.size(); i++) text[i] = (unsigned char)(i * i % 251);
  if (argc > 1) {
    FILE *f = fopen(argv[1], "rb");
    if (!f) return perror(argv[1]), 2;
    text.resize(fread(text.data(), 1, text.size(), f));
    fclose(f);
  }
  unsigned want[256] = {}, got[256], *bins;
  unsigned char *device;
  for (unsigned char c : text) want[c]++;
  cudaMalloc(&device, text.size()), cudaMalloc(&bins, sizeof got);
  cudaMemcpy(device, text.data(), text.size(), cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, sizeof got);
  count<<<8, BLOCK>>>(device, (int)text.size(), bins);
  cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost);
  bool same = memcmp(want, got, sizeof got) == 0;
  printf("%zu bytes, block %d: %s\n", text.size(), BLOCK, same ? "PASS" : "FAIL");
  return !same;
}
