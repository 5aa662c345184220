// A child of a program that has used CUDA gets an error, and the parent goes on.
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *p) { p[0]++; }

int main() {
  int *p, count = -1;
  cudaMalloc(&p, sizeof *p);
  cudaMemset(p, 0, sizeof *p);
  fflush(stdout);
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    if (child == 0) {
      int *own;
      cudaError_t malloc = cudaMalloc(&own, 4), counted = cudaGetDeviceCount(&count);
      add<<<1, 1>>>(p);
      printf("child: %s, %s, %s, %d devices\n", cudaGetErrorName(malloc), cudaGetErrorName(counted), cudaGetErrorName(cudaDeviceSynchronize()), count);
      fflush(stdout);
      if (i == 0) _exit(3);
      return 4;
    }
    int status;
    waitpid(child, &status, 0);
    add<<<1, 1>>>(p);
    int n = 0;
    cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
    printf("parent: %d, child ended with %d, %s\n", n, WEXITSTATUS(status), cudaGetErrorName(cudaGetLastError()));
    fflush(stdout);
  }
  return 0;
}
