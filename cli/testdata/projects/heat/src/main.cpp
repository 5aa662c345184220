// Compiled by the host's own compiler where a build system does so.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "heat.h"

int main(int argc, char **argv) {
  int cells = argc > 1 ? atoi(argv[1]) : 1000, steps = 50;
  Bar bar;
  std::vector<float> device(cells), now(cells), next;
  cudaError_t error = make_bar(bar, cells, 100);
  if (error == cudaSuccess) error = advance(bar, steps);
  if (error == cudaSuccess) error = read_bar(bar, device.data());
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  free_bar(bar);
  now[0] = 100;
  next = now;
  for (int s = 0; s < steps; s++) {
    for (int i = 1; i < cells - 1; i++) next[i] = now[i] + 0.25f * ((now[i - 1] - now[i]) + (now[i + 1] - now[i]));
    now.swap(next);
  }
  int wrong = 0;
  for (int i = 0; i < cells; i++) {
    float off = device[i] - now[i];
    wrong += off > 1e-4f || off < -1e-4f;
  }
  printf("%d cells, %d wrong, %s\n", cells, wrong, wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
