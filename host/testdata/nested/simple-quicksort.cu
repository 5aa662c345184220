// Quicksort by single threads, each of which launches a kernel for either part, in a stream of its own; what is short or deep is sorted by
// selection.
__device__ void selection(unsigned *data, int left, int right) {
  for (int i = left; i <= right; i++) {
    int least = i;
    for (int k = i + 1; k <= right; k++)
      if (data[k] < data[least]) least = k;
    unsigned v = data[i];
    data[i] = data[least];
    data[least] = v;
  }
}

extern "C" __global__ void quicksort(unsigned *data, int left, int right, int depth) {
  if (depth >= 16 || right - left <= 32) {
    selection(data, left, right);
    return;
  }
  unsigned *l = data + left, *r = data + right, pivot = data[(left + right) / 2];
  while (l <= r) {
    while (*l < pivot) l++;
    while (*r > pivot) r--;
    if (l <= r) {
      unsigned v = *l;
      *l++ = *r;
      *r-- = v;
    }
  }
  int end = r - data, begin = l - data;
  cudaStream_t s;
  if (left < end) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, s>>>(data, left, end, depth + 1);
    cudaStreamDestroy(s);
  }
  if (begin < right) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, s>>>(data, begin, right, depth + 1);
    cudaStreamDestroy(s);
  }
}
