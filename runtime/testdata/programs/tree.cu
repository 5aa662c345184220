// A kernel of a template that launches itself: two children halve what each block was given, down to ranges of WIDTH elements.
#include <cstdio>

template <int WIDTH> __global__ void mark(int *p, int n, int depth) {
  int half = n / 2;
  if (n <= WIDTH) {
    if (threadIdx.x < n) p[threadIdx.x] = depth;
    return;
  }
  if (threadIdx.x == 0) {
    mark<WIDTH><<<1, WIDTH>>>(p, half, depth + 1);
    mark<WIDTH><<<1, WIDTH>>>(p + half, n - half, depth + 1);
  }
}

int main() {
  const int n = 13;
  int *d, p[n];
  cudaMalloc(&d, sizeof p);
  mark<4><<<1, 4>>>(d, n, 0);
  cudaMemcpy(p, d, sizeof p, cudaMemcpyDeviceToHost);
  for (int v : p) printf("%d ", v);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
