// A test as a CUDA project may have it: run a kernel, compare with the host, and say by the exit code whether it was right.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(float* x, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}

int main()
{
    const int n = 1000;
    std::vector<float> x(n);
    for (int i = 0; i < n; i++)
        x[i] = i;
    float* device;
    if (cudaMalloc(&device, n * sizeof(float)) != cudaSuccess) {
        fprintf(stderr, "no memory on the device\n");
        return EXIT_FAILURE;
    }
    cudaMemcpy(device, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(device, 3, n);
    cudaMemcpy(x.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
    if (cudaError_t error = cudaGetLastError()) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
        return EXIT_FAILURE;
    }
    for (int i = 0; i < n; i++)
        if (x[i] != 3.0f * i) {
            fprintf(stderr, "x[%d] is %g, not %g\n", i, x[i], 3.0 * i);
            return EXIT_FAILURE;
        }
    puts("scale: ok");
}
