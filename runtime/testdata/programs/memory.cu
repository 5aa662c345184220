// Managed, pinned, mapped and registered memory, and pointers in structures.
#include <cstdio>
#include <cstdlib>

struct Node {
  int value;
  Node *next;
};
__global__ void sum(const Node *list, int *result) {
  int s = 0;
  for (; list; list = list->next) s += list->value;
  *result = s;
}
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

int main() {
  Node *nodes;
  int *result, *pinned, *mapped, *own = (int *)malloc(4096), *seen;
  cudaMallocManaged(&nodes, 10 * sizeof(Node));
  cudaMallocManaged(&result, sizeof(int));
  for (int i = 0; i < 10; i++) nodes[i] = {i + 1, i < 9 ? &nodes[i + 1] : nullptr};
  sum<<<1, 1>>>(nodes, result);
  cudaDeviceSynchronize();
  printf("managed: %d\n", *result);

  cudaHostAlloc(&pinned, 32 * sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&mapped, pinned, 0);
  for (int i = 0; i < 32; i++) pinned[i] = i;
  twice<<<1, 32>>>(mapped);
  cudaDeviceSynchronize();
  printf("mapped: %d\n", pinned[31]);

  for (int i = 0; i < 32; i++) own[i] = 100 + i;
  cudaHostRegister(own, 32 * sizeof(int), cudaHostRegisterMapped);
  cudaHostGetDevicePointer(&seen, own, 0);
  twice<<<1, 32>>>(seen);
  cudaDeviceSynchronize();
  printf("registered: %d\n", own[31]);
  int beside = 300; // which lies above what is registered
  cudaMemcpy(seen, &beside, sizeof(int), cudaMemcpyDefault);
  printf("copied: %d\n", own[0]);
  own[0] = 200;
  cudaHostUnregister(own);
  own[0]++;
  printf("its own again: %d %d\n", own[0], own[31]);

  cudaPointerAttributes a;
  cudaPointerGetAttributes(&a, nodes);
  printf("attributes: %s, ", a.type == cudaMemoryTypeManaged && a.device == 0 ? "managed" : "else");
  cudaError_t known = cudaPointerGetAttributes(&a, own);
  printf("the program's own %d\n", known == cudaSuccess && a.type == cudaMemoryTypeUnregistered && a.hostPointer == own);
  size_t before, after, total;
  cudaMemGetInfo(&before, &total);
  void *block, *hosts;
  cudaMalloc(&block, 1 << 20);
  cudaMallocHost(&hosts, 1 << 20); // takes nothing of the device's
  cudaMemGetInfo(&after, &total);
  printf("taken: %zu\n", before - after);
  cudaFree(block), cudaFree(nodes), cudaFree(result), cudaFreeHost(pinned), cudaFreeHost(hosts);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  free(own);
  return 0;
}
