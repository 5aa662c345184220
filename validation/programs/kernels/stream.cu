// STREAM's four kernels in f64, one number a thread.

extern "C" __global__ void copy(const double *a, double *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i];
}

extern "C" __global__ void mul(double *b, const double *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = 3.0 * c[i];
}

extern "C" __global__ void add(const double *a, const double *b, double *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

extern "C" __global__ void triad(double *a, const double *b, const double *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i] + 3.0 * c[i];
}
