// Ten thousand small copies, and one of many bytes.
#include <cstdio>
#include <cstring>
#include <vector>

int main() {
  int *p, sum = 0;
  cudaMalloc(&p, 4);
  for (int i = 0; i < 5000; i++) {
    int v;
    cudaMemcpy(p, &i, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
    sum += v;
  }
  printf("%d\n", sum);
  return 0;
}
