// Quicksort whose kernels launch themselves for the two parts, and the same by one thread with a stack.
//
// The nested version is short, as on a CPU; every launch costs some 30 microseconds, so that it pays only where the parts are large and sorted side
// by side. Compare its time, and the tree of launches in the report, with quicksort-flat.yaml; then raise the size at which a thread sorts alone.
__device__ void insertion_sort(unsigned int *data, int left, int right) {
  for (int i = left + 1; i <= right; i++) {
    unsigned int v = data[i];
    int k = i;
    for (; k > left && data[k - 1] > v; k--) data[k] = data[k - 1];
    data[k] = v;
  }
}

// partition orders data around the middle element, and says where the right part begins and the left part ends.
__device__ void partition(unsigned int *data, int left, int right, int *begin, int *end) {
  unsigned int pivot = data[(left + right) / 2];
  int i = left, k = right;
  while (i <= k) {
    while (data[i] < pivot) i++;
    while (data[k] > pivot) k--;
    if (i <= k) {
      unsigned int v = data[i];
      data[i++] = data[k];
      data[k--] = v;
    }
  }
  *begin = i;
  *end = k;
}

extern "C" __global__ void quicksort(unsigned int *data, int left, int right, int alone, int depth) {
  if (right - left < alone || depth >= 20) {
    insertion_sort(data, left, right);
    return;
  }
  int begin, end;
  partition(data, left, right, &begin, &end);
  // Parts in streams of their own are sorted side by side; in the block's own stream one would wait for the other.
  if (left < end) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, s>>>(data, left, end, alone, depth + 1);
    cudaStreamDestroy(s);
  }
  if (begin < right) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, s>>>(data, begin, right, alone, depth + 1);
    cudaStreamDestroy(s);
  }
}

extern "C" __global__ void quicksort_flat(unsigned int *data, int left, int right, int alone) {
  int stack[64], top = 0;
  for (;;) {
    while (right - left >= alone) {
      int begin, end;
      partition(data, left, right, &begin, &end);
      if (begin < right && top < 64) {
        stack[top++] = begin;
        stack[top++] = right;
      }
      right = end;
    }
    insertion_sort(data, left, right);
    if (top == 0) return;
    right = stack[--top];
    left = stack[--top];
  }
}
