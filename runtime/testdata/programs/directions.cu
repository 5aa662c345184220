// What a copy's direction does to memory of each kind: the status of every combination, and whether the bytes arrived.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main() {
  const char *kinds[] = {"pageable", "pinned", "managed", "device"};
  const size_t n = 4096;
  char *from[4], *to[4], *seen = (char *)malloc(n);
  for (int i = 0; i < 2; i++) {
    char **p = i ? to : from;
    p[0] = (char *)malloc(n), cudaMallocHost(&p[1], n), cudaMallocManaged(&p[2], n), cudaMalloc(&p[3], n);
  }
  for (int d = 0; d < 4; d++)
    for (int s = 0; s < 4; s++) {
      printf("%s from %s:", kinds[d], kinds[s]);
      for (int kind = 0; kind < 5; kind++) {
        memset(seen, 1 + kind, n);
        cudaMemcpy(from[s], seen, n, cudaMemcpyDefault), cudaMemset(to[d], 0, d ? n : 0), cudaDeviceSynchronize();
        if (d < 3) memset(to[d], 0, n);
        cudaGetLastError();
        int status = cudaMemcpy(to[d], from[s], n, (cudaMemcpyKind)kind);
        int later = cudaDeviceSynchronize();
        memset(seen, 0, n);
        cudaMemcpy(seen, to[d], n, cudaMemcpyDefault);
        printf(" %d,%d,%s", status, later, seen[n - 1] == 1 + kind ? "there" : "not");
        cudaGetLastError();
      }
      printf("\n");
    }
}
