// A bar that is heated at one end: what the host calls of the device's side.
#pragma once
#include <cuda_runtime.h>

struct Bar {
  float *now, *next;
  int cells;
};
cudaError_t make_bar(Bar &bar, int cells, float hot);
cudaError_t advance(Bar &bar, int steps);
cudaError_t read_bar(const Bar &bar, float *cells);
void free_bar(Bar &bar);
