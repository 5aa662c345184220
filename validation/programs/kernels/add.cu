// Sums of two vectors: f32 in three arrays, f64 in three arrays, and f64 in an array of records of three.

template <class T> __device__ void add_arrays(const T *a, const T *b, T *c, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void add_f32(const float *a, const float *b, float *c, int size) { add_arrays(a, b, c, size); }
extern "C" __global__ void add_f64(const double *a, const double *b, double *c, int size) { add_arrays(a, b, c, size); }

struct Record { double a, b, c; };

extern "C" __global__ void add_records(Record *records, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        records[i].c = records[i].a + records[i].b;
}
