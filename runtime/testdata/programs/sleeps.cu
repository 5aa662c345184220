// What the device does while the host sleeps, by each of C's and C++'s ways to sleep.
#include <chrono>
#include <cstdio>
#include <thread>
#include <time.h>
#include <unistd.h>

__global__ void spin(long cycles) {
  long start = clock64();
  while (clock64() - start < cycles) {}
}
__global__ void look(int *seen, const int *data) { *seen = *data; }

int main() {
  int *data, *seen;
  cudaMalloc(&data, 4);
  cudaMallocHost(&seen, 4);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  for (int way = 0; way < 6; way++) {
    cudaMemset(data, 0, 4);
    cudaDeviceSynchronize();
    spin<<<1, 1, 0, a>>>(100000); // some 150 us
    cudaMemsetAsync(data, 1, 4, a);
    timespec ms = {0, 1000000}, at;
    switch (way) {
      case 1: usleep(1000); break;
      case 2: nanosleep(&ms, nullptr); break;
      case 3: clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, nullptr); break;
      case 4: std::this_thread::sleep_for(std::chrono::milliseconds(1)); break;
      case 5:
        clock_gettime(CLOCK_MONOTONIC, &at);
        at.tv_nsec += 2000000, at.tv_sec += at.tv_nsec / 1000000000, at.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
    }
    look<<<1, 1, 0, b>>>(seen, data);
    cudaStreamSynchronize(b);
    printf("%d ", *seen == 0x01010101);
    cudaDeviceSynchronize();
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
