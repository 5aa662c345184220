// Standard input, arguments, the environment and the way that a process ends are the program's own.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <unistd.h>

__global__ void tell() { printf("from the device\n"); }

int main(int argc, char **argv) {
  std::string line;
  std::getline(std::cin, line);
  printf("%s read %s\n", argv[argc - 1], line.c_str());
  tell<<<1, 1>>>();
  printf("launched\n"); // what kernels print comes with the next synchronising call
  cudaDeviceSynchronize();
  fflush(stdout);
  if (line == "abort") abort();
  if (line == "exit") _exit(7);
  if (line == "null") *(volatile int *)nullptr = 1;
  if (line == "device") { // device memory is closed to the host
    int *p;
    cudaMalloc(&p, 4);
    *(volatile int *)p = 1;
  }
  return argc;
}
