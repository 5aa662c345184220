// The last thread reads one element past the end, which no test of the results shows. The exit code is the argument.
#include <cstdio>
#include <cstdlib>
#include <signal.h>

__global__ void increment(int* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        x[i] += 1;
}

int main(int argc, char** argv)
{
    const int n = 100;
    int code = argc > 1 ? atoi(argv[1]) : 0;
    signal(SIGCHLD, SIG_IGN);
    int* x;
    cudaMalloc(&x, n * sizeof *x);
    cudaMemset(x, 0, n * sizeof *x);
    increment<<<1, 128>>>(x, n);
    cudaDeviceSynchronize();
    cudaFree(x);
    atexit([] { puts("left"); });
    puts("ok");
    return code;
}
