// Alignment of two sequences after Needleman and Wunsch: one block walks along the diagonals of the table of scores.
#include <cuda_runtime.h>
#include <stdint.h>

__device__ int max3(int a, int b, int c) { return max(a, max(b, c)); }

__global__ void needleman_wunsch(const uint8_t *a, const uint8_t *b, int *score, int n, int gap) {
  const int width = n + 1;
  for (int i = threadIdx.x; i <= n; i += blockDim.x) score[i] = -gap * i, score[i * width] = -gap * i;
  __syncthreads();
  for (int diagonal = 2; diagonal <= 2 * n; diagonal++) {
    int first = max(1, diagonal - n), last = min(n, diagonal - 1);
    for (int i = first + threadIdx.x; i <= last; i += blockDim.x) {
      int j = diagonal - i;
      int match = a[i - 1] == b[j - 1] ? 2 : -1;
      score[i * width + j] = max3(score[(i - 1) * width + j - 1] + match, score[(i - 1) * width + j] - gap, score[i * width + j - 1] - gap);
    }
    __syncthreads();
  }
}
