// Which calls keep two kernels of different streams apart: s for side by side, A for apart, a line for non-blocking and one for blocking
// streams. The argument is how long the first kernel takes, ns: on a card 20000000.
#include <cstdio>
#include <cstdlib>

typedef unsigned long long u64;
__device__ u64 now() {
  u64 t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__global__ void spin(u64 ns, u64 *t) {
  t[0] = now();
  while (now() - t[0] < ns) {}
  t[1] = now();
}
__global__ void mark(u64 *t) { t[0] = now(); }

int main(int, char **arguments) {
  const size_t n = 4096;
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost, within = cudaMemcpyDeviceToDevice;
  const u64 length = strtoull(arguments[1], nullptr, 0);
  u64 *t;
  char *device, *other, *pinned, *pageable = (char *)malloc(n), *registered = (char *)aligned_alloc(4096, n);
  cudaMallocHost(&t, 64), cudaMalloc(&device, n), cudaMalloc(&other, n), cudaMallocHost(&pinned, n);
  for (unsigned flags : {cudaStreamNonBlocking, cudaStreamDefault}) {
    for (int call = 0; call < 18; call++) {
      cudaStream_t a, b, c;
      for (cudaStream_t *s : {&a, &b, &c}) cudaStreamCreateWithFlags(s, flags);
      char *x, *y, *z = nullptr;
      cudaMalloc(&x, n), cudaMallocHost(&y, n);
      mark<<<1, 1, 0, c>>>(t + 2), spin<<<1, 1, 0, a>>>(1, t), cudaDeviceSynchronize();
      spin<<<1, 1, 0, a>>>(length, t);
      switch (call) {
        case 1: cudaMemset(device, 1, n); break;
        case 2: cudaMemsetAsync(device, 1, n, b); break;
        case 3: cudaMemset2DAsync(device, 64, 1, 32, 32, b); break;
        case 4: cudaMemset(pinned, 1, n); break;
        case 5: cudaMemsetAsync(pinned, 1, n, b); break;
        case 6: cudaMemcpy(device, other, n, within); break;
        case 7: cudaMemcpyAsync(device, other, n, within, b); break;
        case 8: cudaMemcpy(device, pageable, n, in); break;
        case 9: cudaMemcpyAsync(device, pageable, n, in, b); break;
        case 10: cudaMemcpyAsync(pageable, device, n, out, b); break;
        case 11: cudaMemcpyAsync(device, pinned, n, in, b); break;
        case 12: mark<<<1, 1>>>(t + 3); break;
        case 13: cudaFree(x), x = nullptr; break;
        case 14: cudaFreeHost(y), y = nullptr; break;
        case 15: cudaMalloc(&z, n); break;
        case 16: cudaMallocManaged(&z, n); break;
        case 17: cudaHostRegister(registered, n, 0); break;
      }
      mark<<<1, 1, 0, c>>>(t + 2), cudaDeviceSynchronize();
      putchar(t[2] < t[1] ? 's' : 'A');
      if (call == 17) cudaHostUnregister(registered);
      cudaFree(x), cudaFree(z);
      if (y) cudaFreeHost(y);
      for (cudaStream_t s : {a, b, c}) cudaStreamDestroy(s);
    }
    putchar('\n');
  }
  puts(cudaGetErrorString(cudaGetLastError()));
}
