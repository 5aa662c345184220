// So many copies of so many bytes to the device, and what came of the last.
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int, char **arguments) {
  long count = atol(arguments[1]), bytes = atol(arguments[2]);
  char *host = (char *)malloc(bytes), *device, last = -1;
  memset(host, 1, bytes); // the memory is there
  cudaMalloc(&device, bytes);
  for (long i = 0; i < count; i++) {
    host[bytes - 1] = (char)(i % 100);
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
  }
  cudaMemcpy(&last, device + bytes - 1, 1, cudaMemcpyDeviceToHost);
  printf("%d %s\n", last, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
