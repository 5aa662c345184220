// Pickover's popcorn fractal in f32 with a constant in f64, which makes all its cosines f64: every pixel is moved 64 times, and each place where it
// comes to grows brighter; then the brightness becomes three colours. One-dimensional and two-dimensional loops over the picture.

struct Popcorn {
    unsigned width, height, pixels;
    float y1, y0, x0, x1, t0, t1, t2, t3, step;
};

__device__ void move(float *data, const Popcorn &p, unsigned column, unsigned row)
{
    const double pi = 3.141592653589793;
    float x = (float)column / (float)p.width * (p.x1 - p.x0) + p.x0;
    float y = (float)row / (float)p.height * (p.y1 - p.y0) + p.y0;
    for (unsigned n = 0; n < 64; n++) {
        x += p.step * cos(p.t0 * p.step + y + cos(p.t1 * p.step + pi * x));
        y += p.step * cos(p.t2 * p.step + x + cos(p.t3 * p.step + pi * y));
        int to_x = (unsigned)((x - p.x0) / (p.x1 - p.x0) * (float)p.width);
        int to_y = (unsigned)((y - p.y0) / (p.y1 - p.y0) * (float)p.height);
        if (to_x >= 0 && to_y >= 0 && to_x < p.width && to_y < p.height)
            data[to_x + to_y * p.width] += 0.001f;
    }
}

extern "C" __global__ void compute(float *data, const Popcorn p)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.pixels; i += blockDim.x * gridDim.x)
        move(data, p, i % p.width, i / p.height);
}

extern "C" __global__ void compute_2d(float *data, const Popcorn p)
{
    for (unsigned i = blockIdx.y * blockDim.y + threadIdx.y; i < p.height; i += blockDim.y * gridDim.y)
        for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < p.width; k += blockDim.x * gridDim.x)
            move(data, p, k, i);
}

extern "C" __global__ void color(float *data, const Popcorn p)
{
    const double powers[3] = {0.4, 1.0, 1.4}, weights[3] = {0.5, 0.2, 0.4};
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.pixels; i += blockDim.x * gridDim.x) {
        float density = sqrt(data[i]), part[3];
#pragma unroll
        for (int c = 0; c < 3; c++) {
            part[c] = pow((double)density, powers[c]);
            part[c] = part[c] > 1 ? 1 : part[c] < 0 ? 0 : part[c];
        }
#pragma unroll
        for (int c = 0; c < 3; c++)
            data[i + c * p.pixels] = 1.0 - weights[c] * part[c];
    }
}
